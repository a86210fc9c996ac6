/** src/idempotency.ts: the idempotency keys of operations. */
import {
  array,
  arrow,
  call,
  constant,
  doc,
  exported,
  field,
  fieldOf,
  literal,
  name,
  parameter,
  strings,
  tallObject,
} from '../../code/code.js';
import type { IdempotencyPlan } from '../../plan/idempotency.js';
import { upperFirst } from '../../plan/names/identifiers.js';
import type { ServicePlan } from '../../plan/plan.js';
import { emitExpression, theCall } from '../expression.js';
import { argument } from '../module/emitted-expression.js';
import { Module } from '../module/module.js';
import { emptyScope } from '../scope.js';
import { addStores } from './database-stores.js';

/** Module path without extension. */
export const idempotencyModule = 'src/idempotency';

/** The name of an operation's keys. */
export function keysName(functionName: string): string {
  return `keysOf${upperFirst(functionName)}`;
}

/** Undefined if no operation has an idempotency key. */
export function emitIdempotency({ idempotency, operations, configName }: ServicePlan): Module | undefined {
  if (idempotency.size === 0) return undefined;
  const module = new Module(`${idempotencyModule}.ts`, configName);
  const stores = [...new Set([...idempotency.values()].map(({ store }) => store))];
  addStores(module, stores, {
    about: 'Stores the response of each key in the transaction of its change.',
    create: 'keyStore',
    nameOf: storeName,
  });
  for (const { name: operation, functionName } of operations) {
    const plan = idempotency.get(operation);
    if (plan === undefined) continue;
    module.add(
      doc(`Kept for ${plan.keepText}.`),
      exported(
        constant(
          name(keysName(functionName)),
          call(module.runtime('idempotencyKeys'), literal(operation), emitKeys(plan, module)),
        ),
      ),
    );
  }
  module.add(
    doc('The tables of keys are made when the service starts.'),
    exported(constant(name('idempotency'), array(stores.map((store) => name(storeName(store)))))),
  );
  return module;
}

function emitKeys(
  { key, isRequired, keep, isShared, store, headers, cookies, parameters }: IdempotencyPlan,
  module: Module,
): ReturnType<typeof tallObject> {
  return tallObject([
    field('store', name(storeName(store))),
    field('key', arrow([parameter(theCall)], argument(emitExpression(key, emptyScope(module))))),
    ...fieldOf('required', isRequired ? literal(true) : undefined),
    field('keep', literal(keep)),
    ...fieldOf('isShared', isShared ? literal(true) : undefined),
    ...fieldOf('headers', headers.length === 0 ? undefined : strings(headers)),
    ...fieldOf('cookies', cookies.length === 0 ? undefined : strings(cookies)),
    ...fieldOf('parameters', parameters.length === 0 ? undefined : strings(parameters)),
  ]);
}

function storeName(datasource: string): string {
  return `${datasource}Keys`;
}
