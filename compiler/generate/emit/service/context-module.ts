/** src/context.ts: the context for user code that handles requests itself, created by a function of the request. */
import {
  call,
  constant,
  declareType,
  doc,
  exported,
  field,
  fieldOf,
  generic,
  literal,
  name,
  object,
  recordType,
  strings,
  tallObject,
  typeOf,
  union,
  type Code,
  type Doc,
  type Field,
  type FieldType,
} from '../../code/code.js';
import type { OperationPlan } from '../../plan/operation-plan.js';
import { contextModule, type OwnInput, type OwnRoutesPlan } from '../../plan/requests/own-routes-plan.js';
import { upperFirst } from '../../plan/names/identifiers.js';
import type { ServicePlan } from '../../plan/plan.js';
import type { ReadValue } from '../../plan/requests/request-read.js';
import { apiModule } from './api-module.js';
import { authenticationsModule } from './authentications.js';
import { Module } from '../module/module.js';
import { anyValue } from '../types/known-value.js';
import { valueType } from '../types/request-type.js';

/** `handlers` are the modules of the operations, in order. */
export function emitContext(plan: ServicePlan, routes: OwnRoutesPlan, handlers: readonly Module[]): Module {
  const module = new Module(`${contextModule}.ts`, plan.configName);
  const fields: Field[] = [];
  const databases = plan.datasources.filter(({ type }) => type === 'db');
  if (databases.length > 0) {
    const names = databases.map((database) =>
      field(database.name, module.import('src/datasources', database.identifier)),
    );
    fields.push(field('datasources', call(module.runtime('ownDatabases'), object(names))));
  }
  if (plan.authentications.length > 0) fields.push(field('access', emitOwnAccess(plan, routes, module)));
  const operations = plan.operations.map((operation, index) =>
    emitOperation(operation, plan, routes.inputs.get(operation.name), handlers[index], module),
  );
  fields.push(field('operations', tallObject(operations.flat())));
  const contextOf = name('contextOf');
  module.add(
    doc('The service for a request that src/app.ts or src/middleware.ts gets.'),
    exported(constant(contextOf, call(module.runtime('ownRoutes'), tallObject(fields)))),
  );
  const context = generic(name('Awaited'), generic(name('ReturnType'), typeOf(contextOf)));
  module.add(
    doc('The databases, the operations, who calls, the log, for one request.'),
    exported(declareType('Context', context)),
  );
  return module;
}

function emitOwnAccess({ authentications }: ServicePlan, { accepted }: OwnRoutesPlan, module: Module): Code {
  const all = authentications.map((one) =>
    field(one.name, module.import(authenticationsModule, one.identifier)),
  );
  const byDefault = authentications.filter((one) => accepted?.includes(one.name) === true);
  const names = byDefault.map(({ identifier }) => name(identifier));
  const rest = names.length === 0 ? [] : [call(module.runtime('accept'), ...names)];
  return call(module.runtime('ownAccess'), object(all), ...rest);
}

const noInput: OwnInput = {
  ...{ parameters: new Map(), body: undefined, bodyName: 'body' },
  ...{ texts: [], headers: [], cookies: [], isDescribed: true },
};

function emitOperation(
  { name: operation, functionName, fileName, invalid, streamed }: OperationPlan,
  { api }: ServicePlan,
  { parameters, body, bodyName, texts, headers, cookies, isDescribed }: OwnInput = noInput,
  handler: Module | undefined,
  module: Module,
): (Doc | Field)[] {
  const run = module.import(`src/operations/${fileName}`, functionName);
  const input = `${upperFirst(functionName)}Input`;
  const result = `${upperFirst(functionName)}Body`;
  const values = [...parameters, ...(body === undefined ? [] : [[bodyName, body] as const])];
  const fields = values.map(([key, value]) => fieldType(key, value, module));
  const never = name('never');
  const inputType = fields.length === 0 ? generic(name('Record'), never, never) : recordType(fields);
  module.add(exported(declareType(input, inputType)));
  const replies = streamed === undefined ? (handler?.replies ?? anyValue) : anyValue;
  module.add(exported(declareType(result, valueType(replies, module))));
  const declared = api?.inputs.find((one) => one.operation === operation);
  const options = [
    ...fieldOf('input', declared && module.import(apiModule, declared.identifier)),
    ...fieldOf('invalid', invalid === undefined ? undefined : literal(invalid)),
    ...fieldOf('bodyName', bodyName === 'body' ? undefined : literal(bodyName)),
    ...namesOption('texts', texts),
    ...namesOption('headers', headers),
    ...namesOption('cookies', cookies),
    ...(isDescribed || headers.length + cookies.length === 0 ? [] : [field('orOfRequest', literal(true))]),
  ];
  const create = generic(module.runtime('ownOperation'), name(input), name(result));
  const created = call(create, run, ...(options.length === 0 ? [] : [object(options)]));
  return [doc(operation), field(functionName, created)];
}

function namesOption(option: string, names: readonly string[]): readonly Field[] {
  return fieldOf(option, names.length === 0 ? undefined : strings(names));
}

/** An optional field also accepts null. */
function fieldType(key: string, value: ReadValue, module: Module): FieldType {
  const type = valueType(value, module);
  if (!value.isOptional) return { key, type };
  const orNull = value.type.kinds.has('null') ? [] : [name('null')];
  return { key, type: union(type, ...orNull, name('undefined')), isOptional: true };
}
