/** src/env.ts: the environment variables that expressions read with ENV. */
import { call, constant, doc, exported, literal, name } from '../../code/code.js';
import type { ServicePlan } from '../../plan/plan.js';
import { Module } from '../module/module.js';

/** Undefined if no expression uses ENV. */
export function emitEnvironment({ environment, configName }: ServicePlan): Module | undefined {
  const read = environment.values.filter(({ isFromOutside }) => isFromOutside === true);
  if (read.length === 0) return undefined;
  const module = new Module('src/env.ts', configName);
  const names = read.map((variable) => literal(variable.name));
  module.add(
    doc('Variables of the environment. The service does not start without one of them.'),
    exported(constant(name('env'), call(module.runtime('environmentVariables'), ...names))),
  );
  return module;
}
