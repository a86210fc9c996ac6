/** src/env.ts: the variables of the environment that expressions read with ENV. */
import type { ServicePlan } from '../../plan/plan.js';
import { stringLiteral } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';

/** Undefined where no expression reads one. */
export function emitEnvironment({ environment, configName }: ServicePlan): Module | undefined {
  const read = environment.values.filter(({ isFromOutside }) => isFromOutside === true);
  if (read.length === 0) return undefined;
  const module = new Module('src/env.ts', configName);
  const names = read.map(({ name }) => stringLiteral(name)).join(', ');
  module.add(
    `/** Variables of the environment. The service does not start without one of them. */\nexport const env = ${module.runtime('environmentVariables')}(${names});`,
  );
  return module;
}
