/** src/schedule.ts: the triggers of all operations. */
import { call, constant, exported, field, jsonFields, name, object, tallArray } from '../../code/code.js';
import type { ServicePlan } from '../../plan/plan.js';
import { Module } from '../module/module.js';

/** Undefined if no operation has a trigger; the service then needs no timers. */
export function emitSchedule({ operations, configName }: ServicePlan): Module | undefined {
  const module = new Module('src/schedule.ts', configName);
  const triggers = operations.flatMap(({ name: operation, functionName, fileName, triggers }) =>
    triggers.map(({ trigger, cron, timezone }) => {
      const handler = module.import(`src/operations/${fileName}`, functionName);
      return object([...jsonFields({ operation, trigger, cron, timezone }), field('handler', handler)]);
    }),
  );
  if (triggers.length === 0) return undefined;
  const schedule = call(module.runtime('createSchedule'), tallArray(triggers));
  module.add(exported(constant(name('schedule'), schedule)));
  return module;
}
