/** Reference calls: to an operation that is there and answers, and circles of them (decisions 7.6). */
import type { Config, Operation, ReferenceFulfillment } from '../../config/config-model.js';
import { referencesOf } from '../../config/walk.js';
import type { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { Rule } from '../rule.js';

export const reference: Rule = (config, report) => {
  const operations = new Map(config.operations.map((operation) => [operation.name.value, operation]));
  for (const operation of config.operations) {
    for (const fulfillment of namedReferencesOf(operation)) checkReference(fulfillment, operations, report);
  }
  reportCircles(config, operations, report);
};

/** Those that name an operation. */
function namedReferencesOf(operation: Operation): ReferenceFulfillment[] {
  return referencesOf(operation).filter(({ operationName }) => operationName.value !== '');
}

function checkReference(
  { operationName }: ReferenceFulfillment,
  operations: ReadonlyMap<string, Operation>,
  report: Report,
): void {
  const { value: name, place } = operationName;
  const called = operations.get(name);
  if (called === undefined) {
    report.add('unknown-operation', place, { name, nearest: nearest(name, operations.keys()) });
  } else if (!called.responses.some((response) => response.default)) {
    report.add('reference-without-response', place, { name });
  }
}

/** Tells each circle once, at the call that closes it. */
function reportCircles(config: Config, operations: ReadonlyMap<string, Operation>, report: Report): void {
  const done = new Set<Operation>();
  const path: Operation[] = [];
  const follow = (operation: Operation): void => {
    path.push(operation);
    for (const { operationName } of namedReferencesOf(operation)) {
      const called = operations.get(operationName.value);
      if (called === undefined) continue;
      const start = path.indexOf(called);
      if (start !== -1) {
        const circle = [...path.slice(start), called].map(({ name }) => `'${name.value}'`).join(' → ');
        report.add('reference-cycle', operationName.place, { circle });
      } else if (!done.has(called)) {
        follow(called);
      }
    }
    path.pop();
    done.add(operation);
  };
  for (const operation of config.operations) if (!done.has(operation)) follow(operation);
}
