/** Which operations need the body or the files of the request: those that read them, and those that call one which does. */
import type { Operation } from '../config/model.js';
import { referencesOf, walkOperation } from '../config/walk.js';
import type { Expression } from '../expression/ast.js';
import { contains } from '../expression/visit.js';

/** The names of the operations that need the request body; a call that gives another body does not. */
export function operationsReadingBody(operations: readonly Operation[]): Set<string> {
  return spread(operations, 'body', callsWithoutBody);
}

/** The names of the operations that need the files of a multipart request. */
export function operationsReadingFiles(operations: readonly Operation[]): Set<string> {
  return spread(operations, 'multipart-file', calls);
}

/** The operations that hold an expression of that kind, and those that call them. */
function spread(
  operations: readonly Operation[],
  kind: Expression['kind'],
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
  const readers = new Set(
    operations.filter((operation) => reads(operation, kind)).map(({ name }) => name.value),
  );
  // A set is walked in the order in which it grows, so whoever is added on the way has its turn too.
  for (const reader of readers) for (const caller of callers.get(reader) ?? []) readers.add(caller);
  return readers;
}

function reads(operation: Operation, kind: Expression['kind']): boolean {
  let found = false;
  walkOperation(operation, (expression) => {
    found ||= contains(expression, kind);
  });
  return found;
}

function calls(operation: Operation): string[] {
  return referencesOf(operation).map(({ operationName }) => operationName.value);
}

/** The operations that it calls with its own body. */
function callsWithoutBody(operation: Operation): string[] {
  return referencesOf(operation)
    .filter(({ parameters }) => !parameters.some(({ name }) => name.value === 'body'))
    .map(({ operationName }) => operationName.value);
}
