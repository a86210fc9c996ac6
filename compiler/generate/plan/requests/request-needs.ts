/** The needs of operations and of the operations that they call: the request's body or files, third-party APIs, user functions. */
import type { Operation } from '../../../read/config/config-model.js';
import {
  allFulfillments,
  nodesOf,
  referencesOf,
  walkOperation,
  withCalled,
} from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import { contains, readsFiles } from '../../../read/expression/visit.js';

/** Names of the operations that need the request body; calls that pass a different body do not count. */
export function operationsReadingBody(operations: readonly Operation[]): Set<string> {
  return spread(operations, (operation) => reads(operation, 'body'), callsWithoutBody);
}

/** Names of the operations that need the files of a multipart request. */
export function operationsReadingFiles(operations: readonly Operation[]): Set<string> {
  return spread(operations, (operation) => reads(operation, 'multipart-file'), calls);
}

/** The parts of which an operation, or one that it calls, reads all files, in the order of the configuration. */
export function fileListsOf(operation: Operation, byName: ReadonlyMap<string, Operation>): readonly string[] {
  const found = [...withCalled([operation], byName)].flatMap(nodesOf).filter(readsFiles);
  return [...new Set(found.map(({ part }) => part))];
}

/** Names of the operations that may be started by a request with files: operations that accept files, and the operations that they call. */
export function operationsReceivingFiles(
  operations: readonly Operation[],
  accepting: Iterable<string>,
): Set<string> {
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  const found = new Set(accepting);
  for (const name of found) {
    const operation = byName.get(name);
    for (const called of operation === undefined ? [] : calls(operation)) found.add(called);
  }
  return found;
}

/** Names of the operations that send third-party requests or call user functions, which cannot be rolled back (stored requests can). */
export function operationsWithOtherEffects(operations: readonly Operation[]): Set<string> {
  return spread(operations, hasOtherEffects, calls);
}

/** The operations that satisfy the predicate, and their direct and indirect callers. */
function spread(
  operations: readonly Operation[],
  isOne: (operation: Operation) => boolean,
  callsOf: (operation: Operation) => readonly string[],
): Set<string> {
  const callers = new Map<string, string[]>();
  for (const operation of operations) {
    for (const called of callsOf(operation)) {
      const known = callers.get(called);
      if (known === undefined) callers.set(called, [operation.name.value]);
      else known.push(operation.name.value);
    }
  }
  const found = new Set(operations.filter(isOne).map(({ name }) => name.value));
  // Iteration over a set includes elements added during the iteration, so indirect callers are found too.
  for (const name of found) for (const caller of callers.get(name) ?? []) found.add(caller);
  return found;
}

function hasOtherEffects({ fulfillments }: Operation): boolean {
  return allFulfillments(fulfillments).some(
    ({ fulfillment }) =>
      fulfillment.type === 'CODE' ||
      ('instructions' in fulfillment &&
        fulfillment.instructions.some(
          ({ action }) => action !== undefined && 'kind' in action && !action.isDelivered,
        )),
  );
}

/** Kinds of expressions read by an operation, cached because plans of several builds need them. */
const readKinds = new WeakMap<Operation, Map<Expression['kind'], boolean>>();

function reads(operation: Operation, kind: Expression['kind']): boolean {
  const known = readKinds.get(operation) ?? new Map<Expression['kind'], boolean>();
  readKinds.set(operation, known);
  let found = known.get(kind);
  if (found !== undefined) return found;
  found = false;
  walkOperation(operation, (expression) => {
    found ||= contains(expression, kind);
  });
  known.set(kind, found);
  return found;
}

function calls(operation: Operation): string[] {
  return referencesOf(operation).map(({ operationName }) => operationName.value);
}

/** The operations called without a separate body, which receive the request's own body. */
function callsWithoutBody(operation: Operation): string[] {
  return referencesOf(operation)
    .filter(({ parameters }) => !parameters.some(({ name }) => name.value === 'body'))
    .map(({ operationName }) => operationName.value);
}
