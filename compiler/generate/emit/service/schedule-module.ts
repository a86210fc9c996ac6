/** src/schedule.ts: the triggers of all operations. */
import type { ServicePlan } from '../../plan/plan.js';
import { stringLiteral } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';

/** Undefined when no operation has a trigger: then the service needs no timers. */
export function emitSchedule({ operations, configName }: ServicePlan): Module | undefined {
  const module = new Module('src/schedule.ts', configName);
  const triggers = operations.flatMap(({ name, functionName, fileName, triggers }) =>
    triggers.map(({ trigger, cron, timezone }) => {
      module.import(`src/operations/${fileName}`, functionName);
      const fields = [
        `operation: ${stringLiteral(name)}`,
        `trigger: ${stringLiteral(trigger)}`,
        `cron: ${stringLiteral(cron)}`,
        ...(timezone === undefined ? [] : [`timezone: ${stringLiteral(timezone)}`]),
        `handler: ${functionName}`,
      ];
      return `{ ${fields.join(', ')} },`;
    }),
  );
  if (triggers.length === 0) return undefined;
  module.add(`export const schedule = ${module.runtime('createSchedule')}([\n${triggers.join('\n')}\n]);`);
  return module;
}
