/** Removes secrets from the parameters of messages. */
import type { Span } from '../../source.js';
import { isOwnWord } from './secret-words.js';
import { secretsOf, type Secrets } from './secrets.js';
import { wordSet } from '../../wordset.js';

/** Parameters that are sentences of the compiler, with names of the user in quotes. */
const sentences = new Set(['problem', 'hint', 'expected', 'what', 'resource', 'why', 'reason']);

/** Parameters that are words of the compiler. */
const own = wordSet('dialect type method form known fields words owners kind near example used syntax');

/** The text that replaces a secret. */
export const concealed = '…';

/**
 * The parameters of a message about the span. Of a secret value only texts that are certainly not part of it are kept; elsewhere, and in a
 * hint that comes with its edits, the words of secrets become stars.
 */
export function conceal<T extends readonly unknown[]>(parameters: T, span: Span): T {
  const secrets = secretsOf(span.source);
  const change = secrets.touches(span) ? ofValue(secrets) : starred(secrets);
  const changed = parameters.map((parameter) =>
    typeof parameter === 'object' && parameter !== null
      ? Object.fromEntries(
          Object.entries(parameter).map(([name, value]: [string, unknown]) => [
            name,
            hasHint(value) ? { ...value, hint: withStars(value.hint, secrets) } : change(name, value),
          ]),
        )
      : parameter,
  );
  return changed as readonly unknown[] as T;
}

function hasHint(value: unknown): value is { readonly hint: string } {
  return typeof value === 'object' && value !== null && 'hint' in value && typeof value.hint === 'string';
}

function withStars(text: string, secrets: Secrets): string {
  return text.replaceAll(/[\p{L}\p{N}_]{4,}/gu, (word) =>
    secrets.isHidden(word) && !isOwnWord(word) ? '*'.repeat(word.length) : word,
  );
}

type Change = (name: string, value: unknown) => unknown;

function ofValue(secrets: Secrets): Change {
  const isCertain = (text: string): boolean =>
    !/[\p{L}\p{N}]/u.test(text) || isOwnWord(text) || secrets.isName(text);
  const change: Change = (name, value) => {
    if (own.has(name)) return value;
    if (Array.isArray(value))
      return value.filter((item: unknown) => typeof item !== 'string' || isCertain(item)) as unknown[];
    if (typeof value !== 'string') return value;
    if (sentences.has(name)) return withoutQuoted(value, isCertain);
    if (isCertain(value) || (name === 'reference' && /^[A-Z][A-Z0-9_]*$/.test(value))) return value;
    if (name === 'nearest' || name === 'meant') return undefined;
    return name === 'quoted' ? `'${concealed}'` : concealed;
  };
  return change;
}

/** A sentence without its quoted parts, unless they are certainly not secret. */
function withoutQuoted(sentence: string, isCertain: (text: string) => boolean): string {
  const [first = '', ...others] = sentence.split("'");
  // With a quote in a name their number is odd: then the end of the name is unknown.
  if (others.length % 2 === 1) return others.length === 1 ? sentence : `${first}'${concealed}'`;
  return [
    first,
    ...others.map((part, index) => (index % 2 === 1 || isCertain(part) ? part : concealed)),
  ].join("'");
}

function starred(secrets: Secrets): Change {
  return (name, value) => {
    if (own.has(name) || sentences.has(name)) return value;
    if (Array.isArray(value))
      return value.map((item: unknown) => (typeof item === 'string' ? withStars(item, secrets) : item));
    return typeof value === 'string' ? withStars(value, secrets) : value;
  };
}
