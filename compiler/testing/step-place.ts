/** Where a step is told of as a whole. */
import type { Place } from '../source.js';
import type { TestStep } from './test-model.js';

export function placeOf({ action, node }: TestStep): Place {
  return action.kind === 'request' ? action.request.place : (node.entries[0]?.key.place ?? node.place);
}
