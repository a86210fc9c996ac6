/** The span of diagnostics about a whole step. */
import type { Span } from '../source.js';
import type { TestStep } from './test-model.js';

export function spanOf({ action, node }: TestStep): Span {
  return action.kind === 'request' ? action.request.span : (node.entries[0]?.key.span ?? node.span);
}
