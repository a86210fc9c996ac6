/** .env with the values of the configuration, and .env.example with the names. Format: `readEnvFile` in runtime/server/environment.ts. */
import { referencesIn } from '../../../../runtime/server/environment-reference.js';
import type { EnvironmentPlan } from '../../plan/environment.js';
import { commentText } from '../module/comment.js';

export function emitEnv({ values }: EnvironmentPlan): string {
  const intro = `# Values of the configuration. Do not commit this file: they may be secret. Environment variables win.`;
  const own = values.filter(({ isFromOutside }) => isFromOutside !== true);
  return `${[intro, ...own.map(({ name, value }) => `${name}=${envValue(value)}`)].join('\n')}\n`;
}

export function emitEnvExample({ values, references, replicas }: EnvironmentPlan): string {
  const intro = `# Variables of this configuration. Set them in the environment, or in .env (one NAME=value on each line).`;
  const lines = [
    ...references.map(({ name, meaning, isNeeded }) => ({
      name,
      meaning: `${isNeeded ? 'needed: ' : ''}${meaning}`,
      example: '',
      isWhole: true,
    })),
    ...values.map((variable) => ({
      ...variable,
      meaning: variable.isFromOutside === true ? `needed: ${variable.meaning}` : variable.meaning,
    })),
    ...replicas.map((replica) => ({ ...replica, example: '', isWhole: true })),
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
  for (const { name, fallback, text: whole, start, end } of referencesIn(text)) {
    quoted += escapeText(text.slice(from, start));
    const head = `\${${name}:`;
    quoted += fallback === undefined ? whole : `${head}${escapeText(whole.slice(head.length, -1))}}`;
    from = end;
  }
  return `"${quoted}${escapeText(text.slice(from))}"`;
}

function escapeText(text: string): string {
  return text.replaceAll(special, (character) => {
    if ('\\"$'.includes(character)) return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
