/** Expressions whose value is a number or a boolean whatever the request holds. */
import type { Expression } from '../expression/ast.js';

export function isKnownNumber({ kind }: Expression): boolean {
  return kind === 'number' || kind === 'size' || kind === 'status';
}

export function isKnownBoolean({ kind }: Expression): boolean {
  return kind === 'boolean' || kind === 'comparison' || kind === 'logical' || kind === 'not';
}
