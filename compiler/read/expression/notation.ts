/** How to read the expressions of an operation. */
import type { Syntax } from './ast.js';

export interface Notation {
  readonly syntax: Syntax;
  /** Words of Syntax B that are names of fulfillments, and refer to these everywhere in the operation. */
  readonly names?: ReadonlySet<string> | undefined;
  /** The probable meaning of a bare word in this context: a string by default. */
  readonly bareWord?: BareWord | undefined;
}

/** A query parameter, a result column, a file name or a secret. */
export type BareWord = 'query' | 'column' | 'file' | 'secret';

/** The notation for an operation with these fulfillment names. */
export function notationOf(syntax: Syntax, fulfillments: readonly string[]): Notation {
  const names = syntax === 'B' ? fulfillments.filter((name) => words.has(name)) : [];
  return { syntax, ...(names.length > 0 && { names: new Set(names) }) };
}

/** Whether a fulfillment with that name hides a word of Syntax B. */
export function hidesWord(name: string, syntax: Syntax): boolean {
  return syntax === 'B' && words.has(name);
}

/** Words added after version 1.0 of the language: older configurations may use them as names. */
const words: ReadonlySet<string> = new Set(['header', 'query', 'cookie', 'caller', 'error']);

const readable = { A: /^[^\s(),:[\]'"@$][^(),[\]'"]*$/, B: /^[\p{L}_][\p{L}\p{N}_-]*$/u };
const reserved = /^(?:param|body|null|true|false)$/;

/** Whether expressions of that syntax can contain the name. */
export function isReadableName(name: string, syntax: Syntax): boolean {
  return readable[syntax].test(name);
}

/** Whether the name has another meaning in that syntax. */
export function isReservedName(name: string, syntax: Syntax): boolean {
  return syntax === 'B' && reserved.test(name);
}
