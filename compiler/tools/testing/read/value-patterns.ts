/** Patterns in expected values: `/^K-\d+$/` for matching strings, `<integer>` for any value of a kind. */
import { isJsonMap } from '../../../read/json.js';

/** Which values a placeholder matches. */
export const valueKinds = {
  any: () => true,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value)),
  boolean: (value) => typeof value === 'boolean',
  list: (value) => Array.isArray(value),
  object: isJsonMap,
  date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
  timestamp: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?$/.test(value),
  uuid: (value) => typeof value === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
} as const satisfies Readonly<Record<string, (value: unknown) => boolean>>;

export type ValueKind = keyof typeof valueKinds;

/** The meaning of a string in an expected value. */
export type Pattern =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'kind'; readonly name: ValueKind }
  | { readonly kind: 'regex'; readonly regex: RegExp }
  | { readonly kind: 'unknown-kind'; readonly name: string }
  | { readonly kind: 'bad-regex'; readonly reason: string };

/** Strings that start with backslashes and `/` or `<` stand for the string after the first backslash. */
const escaped = /^\\+[/<]/;

export function patternOf(text: string): Pattern {
  if (escaped.test(text)) return { kind: 'text', text: text.slice(1) };
  const name = /^<([a-z]+)>$/i.exec(text)?.[1];
  if (name !== undefined) return isKind(name) ? { kind: 'kind', name } : { kind: 'unknown-kind', name };
  const [, source, flags = ''] = /^\/(.+)\/([imsu]*)$/s.exec(text) ?? [];
  if (source === undefined) return { kind: 'text', text };
  try {
    return { kind: 'regex', regex: new RegExp(source, flags) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*\/: /s, '') : '';
    return { kind: 'bad-regex', reason };
  }
}

/** The expected value that matches exactly this string. */
export function literalText(text: string): string {
  return patternOf(text).kind === 'text' && !escaped.test(text) ? text : `\\${text}`;
}

function isKind(name: string): name is ValueKind {
  return Object.hasOwn(valueKinds, name);
}
