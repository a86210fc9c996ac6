/** The claims of the caller that are stored with a call after the commit, because the call reads them. */
import type { Config, Datasource, Operation } from '../../read/config/config-model.js';
import { allFulfillments, deferredIn, nodesOf, referencesOf } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { nodesIn } from '../../read/expression/visit.js';
import { finderOf } from './authentications/accepted.js';

/** Names of claims, sorted; `all` if the whole caller may be read. */
export type StoredClaims = readonly string[] | 'all';

/** Always stored. */
const always: ReadonlySet<string> = new Set(['authentication', 'sub']);

/**
 * What the called operation reads of the caller, with all operations that it calls, immediately or after its own commit, and the contexts of
 * their databases; and what the operations of authentications read, which are asked again.
 */
export function storedClaims(called: Operation, config: Config): StoredClaims {
  const found = new Set<string>();
  for (const operation of withLater(startsOf(called, config), config)) {
    if (allFulfillments(operation.fulfillments).some(({ fulfillment }) => fulfillment.type === 'CODE'))
      return 'all';
    for (const node of [...nodesOf(operation), ...contextsOf(operation, config)]) {
      if (node.kind !== 'caller') continue;
      const [step] = node.path;
      if (step?.kind !== 'name') return 'all';
      if (!always.has(step.name)) found.add(step.name);
    }
  }
  return [...found].sort();
}

/** The called operation, and the operations that find callers. */
function startsOf(called: Operation, { operations, authentications }: Config): Operation[] {
  const finders = new Set(authentications.map((one) => finderOf(one)?.value));
  return [called, ...operations.filter(({ name }) => finders.has(name.value))];
}

function withLater(starts: readonly Operation[], { operations }: Config): ReadonlySet<Operation> {
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  const found = new Set(starts);
  // Iterating over a Set also visits operations that are added during the loop.
  for (const operation of found) {
    for (const { operationName } of [...referencesOf(operation), ...deferredIn(operation.fulfillments)]) {
      const next = byName.get(operationName.value);
      if (next !== undefined) found.add(next);
    }
  }
  return found;
}

/** The values of the contexts of the databases that the operation uses. */
function contextsOf({ fulfillments }: Operation, { datasources }: Config): Expression[] {
  const used = new Set(
    allFulfillments(fulfillments).flatMap(({ fulfillment }) =>
      'datasource' in fulfillment ? [fulfillment.datasource.value] : [],
    ),
  );
  return datasources
    .filter(({ name }) => used.has(name.value))
    .flatMap(contextOf)
    .flatMap((value) => nodesIn(value));
}

function contextOf(datasource: Datasource): Expression[] {
  return datasource.type === 'db' ? datasource.context.flatMap(({ value }) => value ?? []) : [];
}
