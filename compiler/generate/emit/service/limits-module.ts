/** src/limits.ts: limits on the number of requests. */
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
  object,
  parameter,
  tallArray,
  type Code,
  type Statement,
} from '../../code/code.js';
import type { LimitPlan } from '../../plan/limits.js';
import { upperFirst } from '../../plan/names/identifiers.js';
import type { ServicePlan } from '../../plan/plan.js';
import { emitExpression, theCall } from '../expression.js';
import { argument } from '../module/emitted-expression.js';
import { Module } from '../module/module.js';
import { emptyScope } from '../scope.js';
import { addStores } from './database-stores.js';

/** Module path without extension. */
export const limitsModule = 'src/limits';

/** The name of an operation's limits. */
export function limitsName(functionName: string): string {
  return `limitsOf${upperFirst(functionName)}`;
}

/** Undefined if neither an operation nor the service has limits, and no database counts. */
export function emitLimits({
  limits: { all, operations },
  authentications,
  operations: planned,
  configName,
}: ServicePlan): { readonly module: Module; readonly isOfService: boolean } | undefined {
  const every = [
    ...all,
    ...[...operations.values()].flat(),
    ...authentications.flatMap(({ limits }) => limits),
  ];
  const stores = [...new Set(every.flatMap(({ store }) => store ?? []))];
  const isOfService = all.length > 0 || stores.length > 0;
  if (operations.size === 0 && !isOfService) return undefined;
  const module = new Module(`${limitsModule}.ts`, configName);
  addStores(module, stores, {
    about: 'Counts the requests of all processes.',
    create: 'limitStore',
    nameOf: storeName,
  });
  for (const { name: operation, functionName } of planned) {
    const limits = operations.get(operation);
    if (limits === undefined) continue;
    const created = call(module.runtime('requestLimits'), literal(operation), emitLimitList(limits, module));
    module.add(exported(constant(name(limitsName(functionName)), created)));
  }
  if (isOfService) module.add(...emitServiceLimits(all, stores, module));
  return { module, isOfService };
}

function emitServiceLimits(
  all: readonly LimitPlan[],
  stores: readonly string[],
  module: Module,
): readonly Statement[] {
  const ofAll =
    all.length === 0
      ? undefined
      : call(module.runtime('requestLimits'), literal('settings'), emitLimitList(all, module));
  const fields = [
    ...fieldOf('all', ofAll),
    ...fieldOf(
      'stores',
      stores.length === 0 ? undefined : array(stores.map((store) => name(storeName(store)))),
    ),
  ];
  const about =
    ofAll === undefined
      ? 'The databases that count, prepared when the service starts.'
      : 'The limits of all operations together.';
  return [
    doc(about),
    exported(constant(name('limits'), call(module.runtime('serviceLimits'), object(fields)))),
  ];
}

function storeName(datasource: string): string {
  return `${datasource}Limits`;
}

/** The limits as a list of definitions. */
export function emitLimitList(limits: readonly LimitPlan[], module: Module): Code {
  return tallArray(limits.map((limit) => emitLimit(limit, module)));
}

function emitLimit({ by, times, within, countsAll, isOfCaller, store }: LimitPlan, module: Module): Code {
  const stored =
    store === undefined
      ? undefined
      : module.path === `${limitsModule}.ts`
        ? name(storeName(store))
        : module.import(limitsModule, storeName(store));
  return object([
    field('by', by === 'address' ? literal(by) : emitValues(by, module)),
    field('times', literal(times)),
    field('within', literal(within)),
    ...fieldOf('count', countsAll ? undefined : literal('refused')),
    ...fieldOf('isOfCaller', isOfCaller ? literal(true) : undefined),
    ...fieldOf('store', stored),
  ]);
}

/** The function that returns the values of the key. */
function emitValues(by: Exclude<LimitPlan['by'], 'address'>, module: Module): Code {
  const scope = emptyScope(module);
  const values = by.map((value) =>
    value.kind === 'address'
      ? call(module.runtime('clientNetwork'), theCall)
      : argument(emitExpression(value, scope)),
  );
  return arrow([parameter(theCall)], array(values));
}
