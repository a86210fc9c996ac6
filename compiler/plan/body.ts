/** Which operations need the request body: those that read it, and those that call one which does without giving it another. */
import type { Operation } from '../config/model.js';
import { allFulfillments, walkOperation } from '../config/walk.js';
import { contains } from '../expression/visit.js';

/** The names of the operations that need the request body. */
export function operationsReadingBody(operations: readonly Operation[]): Set<string> {
  const readers = new Set(operations.filter(readsBody).map((operation) => operation.name.value));
  for (let size = -1; size < readers.size;) {
    size = readers.size;
    for (const operation of operations) {
      if (callsWithoutBody(operation).some((called) => readers.has(called)))
        readers.add(operation.name.value);
    }
  }
  return readers;
}

function readsBody(operation: Operation): boolean {
  let found = false;
  walkOperation(operation, (expression) => {
    found ||= contains(expression, 'body');
  });
  return found;
}

/** The operations that it calls with its own body. */
function callsWithoutBody(operation: Operation): string[] {
  return allFulfillments(operation.fulfillments).flatMap(({ fulfillment }) => {
    if (fulfillment.type !== 'REFERENCE') return [];
    const givesBody = fulfillment.parameters.some(({ name }) => name.value === 'body');
    return givesBody ? [] : [fulfillment.operationName.value];
  });
}
