/** .env with the values of the configuration, and .env.example with the names. Format: runtime/server/env-file.ts. */
import { reference, type EnvironmentPlan } from '../plan/environment.js';
import { commentText } from './comment.js';

export function emitEnv({ values }: EnvironmentPlan): string {
  const intro = `# Values of the configuration. Do not commit this file: they may be secret. Environment variables win.`;
  return `${[intro, ...values.map(({ name, value }) => `${name}=${envValue(value)}`)].join('\n')}\n`;
}

export function emitEnvExample({ values, references }: EnvironmentPlan): string {
  const intro = `# Variables of this configuration. Set them in the environment, or in .env (one NAME=value on each line).`;
  const lines = [
    ...references.map(({ name, meaning, isNeeded }) => ({
      name,
      meaning: `${isNeeded ? 'needed: ' : ''}${meaning}`,
      example: '',
      isWhole: true,
    })),
    ...values,
  ].flatMap(({ name, meaning, example, isWhole }) => [
    '',
    `# ${commentText(meaning)}${isWhole ? '' : ', without options that may be secret'}`,
    `# ${name}=${envValue(example)}`,
  ]);
  return `${[intro, ...lines].join('\n')}\n`;
}

const bare = /^[A-Za-z0-9_./:@%+,=?&~-]*$/;
const special = /[\\"$\p{Cc}\u2028\u2029\ufeff\p{Cs}]/gu;

/** Any text as a value of the file; environment references stay references. */
export function envValue(text: string): string {
  if (bare.test(text)) return text;
  let quoted = '';
  let from = 0;
  for (const match of text.matchAll(reference)) {
    quoted += escapeText(text.slice(from, match.index));
    const [name = '', ...fallback] = match[0].slice(2, -1).split(':');
    quoted += fallback.length === 0 ? match[0] : `\${${name}:${escapeText(fallback.join(':'))}}`;
    from = match.index + match[0].length;
  }
  return `"${quoted}${escapeText(text.slice(from))}"`;
}

function escapeText(text: string): string {
  return text.replaceAll(special, (character) => {
    if ('\\"$'.includes(character)) return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
