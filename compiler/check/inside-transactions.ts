/** Which operations run in a transaction (decisions 5.10). */
import type { Operation } from '../config/config-model.js';
import { withCalled } from '../config/walk.js';

/** The operations with `transaction: true`, and those that they call. */
export function insideTransactions(operations: readonly Operation[]): ReadonlySet<Operation> {
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  return withCalled(
    operations.filter(({ transaction }) => transaction),
    byName,
  );
}
