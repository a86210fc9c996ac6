/** How the expressions of an operation are read. */
import type { Syntax } from './ast.js';

export interface Notation {
  readonly syntax: Syntax;
  /** Words of Syntax B that are fulfillments of the operation: everywhere in it they mean these. */
  readonly names?: ReadonlySet<string> | undefined;
  /** The probable meaning of a word without a function in this place: a string by default. */
  readonly bareWord?: BareWord | undefined;
}

/** A value that a request asks for, a column of a result, the name of a file, or a secret. */
export type BareWord = 'query' | 'column' | 'file' | 'secret';

/** The notation of an operation with fulfillments of these names. */
export function notationOf(syntax: Syntax, fulfillments: readonly string[]): Notation {
  const names = syntax === 'B' ? fulfillments.filter((name) => words.has(name)) : [];
  return { syntax, ...(names.length > 0 && { names: new Set(names) }) };
}

/** Whether a fulfillment of that name hides a word of Syntax B. */
export function hidesWord(name: string, syntax: Syntax): boolean {
  return syntax === 'B' && words.has(name);
}

/** Words that came after version 1.0 of the language: a configuration may have used them as names before. */
const words: ReadonlySet<string> = new Set(['header', 'query', 'cookie', 'caller', 'error']);

const readable = { A: /^[^\s(),:[\]'"@$][^(),[\]'"]*$/, B: /^[\p{L}_][\p{L}\p{N}_-]*$/u };
const reserved = /^(?:param|body|null|true|false)$/;

/** Whether an expression of that syntax can hold the name. */
export function isReadableName(name: string, syntax: Syntax): boolean {
  return readable[syntax].test(name);
}

/** Whether the name means something else in that syntax. */
export function isReservedName(name: string, syntax: Syntax): boolean {
  return syntax === 'B' && reserved.test(name);
}
