/** src/functions.ts: the user functions with their types, and the files that contain the functions. */
import { printModule } from '../../code/print.js';
import {
  array,
  call,
  constant,
  declareFunction,
  declareType,
  doc,
  exported,
  field,
  fieldOf,
  generic,
  importNames,
  literal,
  name,
  object,
  parameter,
  restParameter,
  tallObject,
  throws,
  tupleType,
  typeOf,
  type FunctionDeclaration,
  type Statement,
} from '../../code/code.js';
import type { CodeStep, StepPlan } from '../../plan/operation-plan.js';
import { modelIdentifier, modelsIn, type ModelPlan } from '../../plan/api-plan.js';
import { uniqueNames } from '../../plan/names/identifiers.js';
import { runtimeNames, runtimePackage } from '../../plan/names/runtime-symbols.js';
import { validatorNames } from '../../plan/names/validator-symbols.js';
import type { ServicePlan } from '../../plan/plan.js';
import type { ReadValue } from '../../plan/requests/request-read.js';
import type { GeneratedFile } from '../module/file.js';
import { Module } from '../module/module.js';
import { eitherValue, valueOfKinds } from '../types/known-value.js';
import { valueType } from '../types/request-type.js';
import { functionsModule, inputType, resultType } from './function-types.js';
import { ValidatorEmitter } from './validator.js';

/** The user functions that a service calls, in order of first call; for each, the first step that calls it. */
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

/** Undefined if nothing calls user functions. `handlers` are the modules of the operations. */
export function emitFunctions(plan: ServicePlan, handlers: readonly Module[]): Module | undefined {
  const steps = functionsOf(plan);
  if (steps.length + plan.functions.length === 0) return undefined;
  const module = new Module(`${functionsModule}.ts`, plan.configName);
  const models = modelsOf(plan);
  const emitter = new ValidatorEmitter(module, models);
  const databases = steps.length === 0 ? [] : plan.datasources.filter(({ type }) => type === 'db');
  if (databases.length > 0) {
    const fields = databases.map((database) =>
      field(database.name, module.import('src/datasources', database.identifier)),
    );
    module.add(
      doc('The databases as knex: they end with the call of the function.'),
      constant(datasources, call(module.runtime('ownDatabases'), object(fields))),
    );
  }
  const types = databases.length === 0 ? [] : [typeOf(datasources)];
  if (steps.length > 0)
    module.add(
      doc('The second argument of functions.'),
      exported(declareType(context.name, generic(module.runtime('OwnContext'), ...types))),
    );
  for (const { function: own, result } of steps) {
    module.add(exported(declareType(inputType(own), valueType(inputOf(own, handlers), module))));
    if (result !== undefined) module.add(exported(declareType(resultType(own), valueType(result, module))));
  }
  for (const { name: own, input, result } of plan.functions)
    module.add(
      exported(declareType(inputType(own), tupleType(input.map(({ value }) => valueType(value, module))))),
      exported(declareType(resultType(own), valueType(result, module))),
    );
  for (const model of models) module.add(doc(`model ${model.name}`), emitter.constant(model));
  const names = namesOfFunctions(models, plan);
  const called = steps.map(({ function: own, returns }) => {
    const run = module.importAs(`src/code/${own}`, own, names.get(own) ?? own);
    const result = name(returns === undefined ? 'null' : resultType(own));
    const create = generic(module.runtime('ownCode'), name(inputType(own)), result, context);
    const parts = [
      field('name', literal(own)),
      field('run', run),
      ...fieldOf('returns', returns && emitter.schema(returns)),
      ...fieldOf('datasources', databases.length === 0 ? undefined : datasources),
    ];
    return field(own, call(create, object(parts)));
  });
  const evaluated = plan.functions.map(({ name: own, input, returns }) => {
    const run = module.importAs(`src/code/${own}`, own, names.get(own) ?? own);
    const create = generic(module.runtime('ownFunction'), name(inputType(own)), name(resultType(own)));
    const parts = [
      field('name', literal(own)),
      field('run', run),
      field('input', array(input.map(({ schema }) => emitter.schema(schema)))),
      field('returns', emitter.schema(returns)),
    ];
    return field(own, call(create, object(parts)));
  });
  module.add(
    doc('The functions of src/code, as operations call them.'),
    exported(constant(name('functions'), tallObject([...called, ...evaluated]))),
  );
  return module;
}

const datasources = name('datasources');
const context = name('Context');

/** The merged inputs that all operations pass to the function. */
function inputOf(name: string, handlers: readonly Module[]): ReadValue {
  const [first, ...others] = handlers.flatMap(({ inputs }) => inputs.get(name) ?? []);
  return others.reduce(eitherValue, first ?? valueOfKinds('null'));
}

/** The names of the functions in the module, renamed where a name is already in use. */
function namesOfFunctions(models: readonly ModelPlan[], plan: ServicePlan): ReadonlyMap<string, string> {
  const { datasources: sources } = plan;
  const own = namesOfCode(plan);
  const names = uniqueNames(own, own, [
    ...takenNames,
    ...sources.map(({ identifier }) => identifier),
    ...models.map(({ identifier }) => identifier),
  ]);
  return new Map(own.map((name, index) => [name, names[index] ?? name]));
}

const takenNames = [...runtimeNames, ...validatorNames, 'datasources', 'functions'];

/** The names of all functions of `src/code`. */
function namesOfCode(plan: ServicePlan): string[] {
  return [...functionsOf(plan).map((step) => step.function), ...plan.functions.map(({ name: own }) => own)];
}

function modelsOf(plan: ServicePlan): ModelPlan[] {
  const { datasources: sources } = plan;
  const models = modelsIn([
    ...functionsOf(plan).flatMap(({ returns }) => returns ?? []),
    ...plan.functions.flatMap(({ input, returns }) => [...input.map(({ schema }) => schema), returns]),
  ]);
  const own = new Set(namesOfCode(plan));
  // A function is often named after the model that it returns; the function then keeps the name.
  const identifierOf = (model: string): string => {
    const identifier = modelIdentifier(model);
    return own.has(identifier) ? `${identifier}Model` : identifier;
  };
  const names = uniqueNames(
    models.map((model) => identifierOf(model.name)),
    models.map((model) => model.name),
    [...takenNames, ...sources.map(({ identifier }) => identifier)],
  );
  return models.map((model, index) => ({ ...model, identifier: names[index] ?? '' }));
}

/** Files for the functions; a build only writes missing files. */
export function emitFunctionFiles(plan: ServicePlan): GeneratedFile[] {
  const steps = functionsOf(plan).map(({ function: own, returns }) => {
    const result = returns === undefined ? 'void' : resultType(own);
    const input = inputType(own);
    const types = [context.name, input, ...(returns === undefined ? [] : [result])];
    const parameters = [parameter('_input', name(input)), parameter('_context', context)];
    const promise = generic(name('Promise'), name(result));
    return emitFile(own, types, (body) => declareFunction(own, parameters, promise, body));
  });
  const functions = plan.functions.map(({ name: own, input }) => {
    const types = [...(input.length === 0 ? [] : [inputType(own)]), resultType(own)];
    const parameters = input.length === 0 ? [] : [restParameter('_input', name(inputType(own)))];
    const result = name(resultType(own));
    return emitFile(own, types, (body) => declareFunction(own, parameters, result, body, false));
  });
  return [...steps, ...functions];
}

/** A file whose function responds with 501; `types` are imported. */
function emitFile(
  own: string,
  types: readonly string[],
  declare: (body: readonly Statement[]) => FunctionDeclaration,
): GeneratedFile {
  const fail = call(name('fail'), literal(501), literal(`${own} is not written yet`));
  const imported = types.toSorted().map((type) => ({ name: type, isType: true }));
  const text = printModule([
    [
      doc('Own code of the service. A build has written this file once; it is yours.'),
      importNames([{ name: 'fail', isType: false }], runtimePackage),
      importNames(imported, '../functions.js'),
    ],
    [exported(declare([throws(fail)]))],
  ]);
  return { path: `src/code/${own}.ts`, text, kind: 'once' };
}
