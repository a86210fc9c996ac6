/** Calls after the commit: the declaration at the top of the module. */
import { field, jsonFields, literal, method, name, object, type Code } from '../code/code.js';
import type { DeferredStep } from '../plan/operation-plan.js';
import type { Module } from './module/module.js';

/** The initializer of the constant of a call after the commit. */
export function emitStoredCall(
  { fulfillment, called, outbox, claims, isSealed, times, within }: DeferredStep,
  module: Module,
): Code {
  const fields = [
    field('operation', name('operation')),
    field('fulfillment', literal(fulfillment)),
    field('calls', literal(called.name)),
    field('database', module.import('src/datasources', outbox)),
    ...jsonFields({
      claims: claims.length === 0 ? undefined : claims,
      sealed: isSealed ? true : undefined,
      times,
      within,
    }),
  ];
  return method(module.import('src/datasources', 'outbox'), 'call', object(fields));
}
