/** src/router.ts: maps requests to operations. */
import {
  arrow,
  call,
  constant,
  exported,
  field,
  fieldOf,
  importOf,
  literal,
  name,
  object,
  tallArray,
  type Code,
} from '../../code/code.js';
import type { ServicePlan } from '../../plan/plan.js';
import { apiModule } from './api-module.js';
import { emitAccess } from './authentications.js';
import { limitsModule, limitsName } from './limits-module.js';
import { Module } from '../module/module.js';

export function emitRouter({
  operations,
  api,
  access,
  limits,
  knownPages,
  basePath,
  configName,
}: ServicePlan): Module {
  const module = new Module('src/router.ts', configName);
  const routes = operations.flatMap(
    ({ name: operation, endpoint, fileName, functionName, readsBody, readsFiles, invalid }) => {
      if (endpoint === undefined) return [];
      const { method, path } = endpoint;
      const input = api?.inputs.find((one) => one.operation === operation);
      const forms = new Set([...(readsFiles ? ['multipart' as const] : []), ...(input?.form?.types ?? [])]);
      const body = emitBodyReader({ forms, readsJson: readsBody || input?.body !== undefined }, module);
      const fields = [
        field('method', literal(method)),
        field('path', literal(basePath + path)),
        field(
          'load',
          arrow([], importOf(`./operations/${fileName}.js`), { returns: module.runtime('Loaded') }),
        ),
        ...(operation === `${method} ${basePath}${path}` ? [] : [field('operation', literal(operation))]),
        ...emitAccess(access.get(operation), knownPages.get(operation), module),
        ...fieldOf(
          'limits',
          limits.operations.has(operation)
            ? module.import(limitsModule, limitsName(functionName))
            : undefined,
        ),
        ...fieldOf('body', body),
        ...fieldOf('input', input && module.import(apiModule, input.identifier)),
        ...fieldOf('invalid', invalid === undefined ? undefined : literal(invalid)),
      ];
      return [object(fields)];
    },
  );
  module.add(exported(constant(name('router'), call(module.runtime('createRouter'), tallArray(routes)))));
  return module;
}

interface ReadBody {
  readonly forms: ReadonlySet<'multipart' | 'urlencoded'>;
  readonly readsJson: boolean;
}

/** The function that reads the request body; undefined if there is no body. */
function emitBodyReader({ forms, readsJson }: ReadBody, module: Module): Code | undefined {
  const json = readsJson ? module.runtime('jsonBody') : undefined;
  if (forms.size === 0) return json;
  const readers = [
    ...fieldOf('multipart', forms.has('multipart') ? module.runtime('readForm') : undefined),
    ...fieldOf('urlencoded', forms.has('urlencoded') ? module.runtime('readUrlencoded') : undefined),
  ];
  return call(module.runtime('formBody'), object(readers), ...(json === undefined ? [] : [json]));
}
