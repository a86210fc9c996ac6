/** src/after-commit.ts: the operations that are called after a commit. */
import {
  constant,
  doc,
  exported,
  field,
  jsonFields,
  literal,
  name,
  object,
  tallArray,
} from '../../code/code.js';
import type { ServicePlan } from '../../plan/plan.js';
import { Module } from '../module/module.js';

/** Undefined if no operation is called after a commit. */
export function emitDeferredOperations({ deferred, configName }: ServicePlan): Module | undefined {
  if (deferred.length === 0) return undefined;
  const module = new Module('src/after-commit.ts', configName);
  const operations = deferred.map(
    ({ name: operation, functionName, fileName, transaction, hasOtherEffects }) =>
      object([
        field('operation', literal(operation)),
        field('handler', module.import(`src/operations/${fileName}`, functionName)),
        ...jsonFields({
          transaction: transaction ? true : undefined,
          retryOnConflict: transaction && !hasOtherEffects ? true : undefined,
        }),
      ]),
  );
  module.add(
    doc('The operations that are called after a commit. A transaction also marks its call as made.'),
    exported(constant(name('afterCommit'), tallArray(operations))),
  );
  return module;
}
