/** src/env.ts: the environment variables that expressions read with ENV. */
import { call, constant, doc, exported, literal, method, name, type Code } from '../../code/code.js';
import type { ServicePlan } from '../../plan/plan.js';
import { Module } from '../module/module.js';

/** Undefined if no expression uses ENV. */
export function emitEnvironment({ environment, configName }: ServicePlan): Module | undefined {
  const read = environment.values.filter(
    (variable) => variable.isFromOutside === true && variable !== environment.outboxKey,
  );
  if (read.length === 0) return undefined;
  const module = new Module('src/env.ts', configName);
  const namesOf = (variables: typeof read): Code[] => variables.map((one) => literal(one.name));
  const needed = read.filter(({ isOptional }) => isOptional !== true);
  const optional = read.filter(({ isOptional }) => isOptional === true);
  const variables = call(module.runtime('environmentVariables'), ...namesOf(needed));
  const all = optional.length === 0 ? variables : method(variables, 'optional', ...namesOf(optional));
  module.add(
    doc(
      `Variables of the environment.${needed.length === 0 ? '' : ` The service does not start without one of them${optional.length === 0 ? '' : ', unless it is optional'}.`}`,
    ),
    exported(constant(name('env'), all)),
  );
  return module;
}
