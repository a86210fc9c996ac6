/** src/context.ts: the service for code of its owner, who calls its function with a request. */
import type { OperationPlan } from '../../plan/operation-plan.js';
import { contextModule, type OwnInput, type OwnRoutesPlan } from '../../plan/routes/own-routes-plan.js';
import { upperFirst } from '../../plan/names/identifiers.js';
import type { ServicePlan } from '../../plan/plan.js';
import type { ReadValue } from '../../plan/request-read.js';
import { apiModule } from './api-module.js';
import { authenticationsModule } from './authentications.js';
import { commentText } from '../../../notation/typescript-writer.js';
import { property, propertyKey, stringLiteral } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';
import { anyValue } from '../types/known-value.js';
import { valueText } from '../types/request-type.js';

/** `handlers` are the modules of the operations, in their order. */
export function emitContext(plan: ServicePlan, routes: OwnRoutesPlan, handlers: readonly Module[]): Module {
  const module = new Module(`${contextModule}.ts`, plan.configName);
  const fields: string[] = [];
  const databases = plan.datasources.filter(({ type }) => type === 'db');
  if (databases.length > 0) {
    const names = databases.map(({ name, identifier }) =>
      property(name, module.import('src/datasources', identifier)),
    );
    fields.push(`datasources: ${module.runtime('ownDatabases')}({ ${names.join(', ')} }),`);
  }
  if (plan.authentications.length > 0) fields.push(`access: ${emitOwnAccess(plan, routes, module)},`);
  const operations = plan.operations.map((operation, index) =>
    emitOperation(operation, plan, routes.inputs.get(operation.name), handlers[index], module),
  );
  fields.push(`operations: {\n${operations.join('\n')}\n},`);
  module.add(
    `/** The service for a request that src/app.ts or src/middleware.ts gets. */\nexport const contextOf = ${module.runtime('ownRoutes')}({\n${fields.join('\n')}\n});`,
  );
  module.add(
    '/** The databases, the operations, who calls, the log, for one request. */\nexport type Context = Awaited<ReturnType<typeof contextOf>>;',
  );
  return module;
}

function emitOwnAccess(
  { authentications }: ServicePlan,
  { accepted }: OwnRoutesPlan,
  module: Module,
): string {
  const all = authentications.map(({ name, identifier }) =>
    property(name, module.import(authenticationsModule, identifier)),
  );
  const byDefault = authentications.filter(({ name }) => accepted?.includes(name) === true);
  const names = byDefault.map(({ identifier }) => identifier);
  const rest = names.length === 0 ? '' : `, ${module.runtime('accept')}(${names.join(', ')})`;
  return `${module.runtime('ownAccess')}({ ${all.join(', ')} }${rest})`;
}

const noInput: OwnInput = {
  ...{ parameters: new Map(), body: undefined, bodyName: 'body' },
  ...{ texts: [], headers: [], cookies: [], isDescribed: true },
};

function emitOperation(
  { name, functionName, fileName, invalid, streamed }: OperationPlan,
  { api }: ServicePlan,
  { parameters, body, bodyName, texts, headers, cookies, isDescribed }: OwnInput = noInput,
  handler: Module | undefined,
  module: Module,
): string {
  module.import(`src/operations/${fileName}`, functionName);
  const input = `${upperFirst(functionName)}Input`;
  const result = `${upperFirst(functionName)}Body`;
  const values = [...parameters, ...(body === undefined ? [] : [[bodyName, body] as const])];
  const lines = values.map(([key, value]) => fieldText(key, value, module));
  const fields = lines.length === 0 ? 'Record<never, never>' : `{\n${lines.join('\n')}\n}`;
  module.add(`export type ${input} = ${fields};`);
  const replies = streamed === undefined ? (handler?.replies ?? anyValue) : anyValue;
  module.add(`export type ${result} = ${valueText(replies, module)};`);
  const declared = api?.inputs.find(({ operation }) => operation === name);
  const options = [
    ...(declared === undefined ? [] : [`input: ${module.import(apiModule, declared.identifier)}`]),
    ...(invalid === undefined ? [] : [`invalid: ${invalid}`]),
    ...(bodyName === 'body' ? [] : [`bodyName: ${stringLiteral(bodyName)}`]),
    ...namesOption('texts', texts),
    ...namesOption('headers', headers),
    ...namesOption('cookies', cookies),
    ...(isDescribed || headers.length + cookies.length === 0 ? [] : ['orOfRequest: true']),
  ];
  const passed = [functionName, ...(options.length === 0 ? [] : [`{ ${options.join(', ')} }`])];
  return `/** ${commentText(name)} */\n${functionName}: ${module.runtime('ownOperation')}<${input}, ${result}>(${passed.join(', ')}),`;
}

function namesOption(option: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${option}: [${names.map(stringLiteral).join(', ')}]`];
}

/** A value that may be left out may be null, too. */
function fieldText(name: string, value: ReadValue, module: Module): string {
  const text = valueText(value, module);
  if (!value.isOptional) return `${propertyKey(name)}: ${text};`;
  const isNull = value.type.kinds.has('null');
  return `${propertyKey(name)}?: ${text}${isNull ? '' : ' | null'} | undefined;`;
}
