/** Which names of fulfillments expressions can read. */
import type { Syntax } from './ast.js';

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
