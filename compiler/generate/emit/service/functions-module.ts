/** src/functions.ts: the functions of own code with their types; and the files in which their owner writes them. */
import type { CodeStep, StepPlan } from '../../plan/operation-plan.js';
import { modelIdentifier, modelsIn, type ModelPlan } from '../../plan/api-plan.js';
import { uniqueNames } from '../../plan/names/identifiers.js';
import { runtimeNames } from '../../plan/names/runtime-symbols.js';
import { validatorNames } from '../../plan/names/validator-symbols.js';
import type { ServicePlan } from '../../plan/plan.js';
import type { ReadValue } from '../../plan/request-read.js';
import type { GeneratedFile } from '../module/file.js';
import { commentText, moduleCode, property, stringLiteral } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';
import { eitherValue, valueOfKinds } from '../types/known-value.js';
import { valueText } from '../types/request-type.js';
import { functionsModule, inputType, resultType } from './function-types.js';
import { ValidatorEmitter } from './validator.js';

/** The functions that a service calls, in the order in which operations call them first; the first step that calls each. */
export function functionsOf({ operations }: Pick<ServicePlan, 'operations'>): readonly CodeStep[] {
  const found = new Map<string, CodeStep>();
  for (const step of operations.flatMap(({ steps }) => codeSteps(steps)))
    if (!found.has(step.function)) found.set(step.function, step);
  return [...found.values()];
}

function codeSteps(steps: readonly StepPlan[]): CodeStep[] {
  return steps.flatMap((step) =>
    step.kind === 'code' ? [step] : step.kind === 'loop' ? codeSteps(step.steps) : [],
  );
}

/** Undefined where nothing calls own code. `handlers` are the modules of the operations. */
export function emitFunctions(plan: ServicePlan, handlers: readonly Module[]): Module | undefined {
  const functions = functionsOf(plan);
  if (functions.length === 0) return undefined;
  const module = new Module(`${functionsModule}.ts`, plan.configName);
  const models = modelsOf(functions, plan);
  const emitter = new ValidatorEmitter(module, models);
  const databases = plan.datasources.filter(({ type }) => type === 'db');
  if (databases.length > 0) {
    const fields = databases.map(({ name, identifier }) =>
      property(name, module.import('src/datasources', identifier)),
    );
    module.add(
      `/** The databases as knex: they end with the call of the function. */\nconst datasources = ${module.runtime('ownDatabases')}({ ${fields.join(', ')} });`,
    );
  }
  const context = `${module.runtime('OwnContext')}${databases.length === 0 ? '' : '<typeof datasources>'}`;
  module.add(`/** What functions get besides their input. */\nexport type Context = ${context};`);
  for (const { function: name, result } of functions) {
    module.add(`export type ${inputType(name)} = ${valueText(inputOf(name, handlers), module)};`);
    if (result !== undefined) module.add(`export type ${resultType(name)} = ${valueText(result, module)};`);
  }
  for (const { identifier, name, schema } of models) {
    const type = emitter.refersToItself(schema) ? `: ${emitter.schemaType}` : '';
    module.add(
      `/** model ${commentText(name)} */\nconst ${identifier}${type} = ${emitter.declaration(schema)};`,
    );
  }
  const names = importNames(functions, models, plan);
  const fields = functions.map(({ function: name, returns }) => {
    const local = names.get(name) ?? name;
    module.import(`src/code/${name}`, local === name ? name : `${name} as ${local}`);
    const parts = [
      `name: ${stringLiteral(name)}`,
      `run: ${local}`,
      ...(returns === undefined ? [] : [`returns: ${emitter.schema(returns)}`]),
      ...(databases.length === 0 ? [] : ['datasources']),
    ];
    const types = [inputType(name), returns === undefined ? 'null' : resultType(name), 'Context'].join(', ');
    return `${name}: ${module.runtime('ownCode')}<${types}>({ ${parts.join(', ')} }),`;
  });
  module.add(
    `/** The functions of src/code, as operations call them. */\nexport const functions = {\n${fields.join('\n')}\n};`,
  );
  return module;
}

/** What all operations pass to it. */
function inputOf(name: string, handlers: readonly Module[]): ReadValue {
  const [first, ...others] = handlers.flatMap(({ inputs }) => inputs.get(name) ?? []);
  return others.reduce(eitherValue, first ?? valueOfKinds('null'));
}

/** The names that functions have in the module: their own, unless something else there has it. */
function importNames(
  functions: readonly CodeStep[],
  models: readonly ModelPlan[],
  { datasources }: ServicePlan,
): ReadonlyMap<string, string> {
  const own = functions.map((step) => step.function);
  const names = uniqueNames(own, own, [
    ...takenNames,
    ...datasources.map(({ identifier }) => identifier),
    ...models.map(({ identifier }) => identifier),
  ]);
  return new Map(own.map((name, index) => [name, names[index] ?? name]));
}

const takenNames = [...runtimeNames, ...validatorNames, 'datasources', 'functions'];

function modelsOf(functions: readonly CodeStep[], { datasources }: ServicePlan): ModelPlan[] {
  const models = modelsIn(functions.flatMap(({ returns }) => returns ?? []));
  const own = new Set(functions.map((step) => step.function));
  // A function is often named after the model that it returns, and keeps its name.
  const identifierOf = (model: string): string => {
    const identifier = modelIdentifier(model);
    return own.has(identifier) ? `${identifier}Model` : identifier;
  };
  const names = uniqueNames(
    models.map(({ name }) => identifierOf(name)),
    models.map(({ name }) => name),
    [...takenNames, ...datasources.map(({ identifier }) => identifier)],
  );
  return models.map((model, index) => ({ ...model, identifier: names[index] ?? '' }));
}

/** The files of the functions; a build writes one only where there is none. */
export function emitFunctionFiles(plan: ServicePlan): GeneratedFile[] {
  return functionsOf(plan).map(({ function: name, returns }) => {
    const result = returns === undefined ? 'void' : resultType(name);
    const types = ['Context', inputType(name), ...(returns === undefined ? [] : [result])].sort();
    const text = moduleCode(`/** Own code of the service. A build has written this file once; it is yours. */
import { fail } from '@apikiln/runtime';
import type { ${types.join(', ')} } from '../functions.js';

export async function ${name}(_input: ${inputType(name)}, _context: Context): Promise<${result}> {
  throw fail(501, '${name} is not written yet');
}
`);
    return { path: `src/code/${name}.ts`, text, kind: 'once' };
  });
}
