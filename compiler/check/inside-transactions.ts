/** Which operations run in a transaction (decisions 5.10). */
import type { Operation } from '../config/model.js';
import { referencesOf } from '../config/walk.js';

/** The operations with `transaction: true`, and those that they call. */
export function insideTransactions(operations: readonly Operation[]): Set<Operation> {
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  const inside = new Set(operations.filter(({ transaction }) => transaction));
  for (const operation of inside) {
    for (const { operationName } of referencesOf(operation)) {
      const called = byName.get(operationName.value);
      if (called !== undefined) inside.add(called);
    }
  }
  return inside;
}
