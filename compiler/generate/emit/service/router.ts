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
  strings,
  tallArray,
  type Code,
} from '../../code/code.js';
import type { OperationPlan } from '../../plan/operation-plan.js';
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
    ({
      name: operation,
      endpoint,
      fileName,
      functionName,
      readsBody,
      accepts,
      readsFiles,
      fileLists,
      invalid,
    }) => {
      if (endpoint === undefined) return [];
      const { method, path } = endpoint;
      const input = api?.inputs.find((one) => one.operation === operation);
      const forms = new Set([...(readsFiles ? ['multipart' as const] : []), ...(input?.form?.types ?? [])]);
      const readsOther = readsBody || input?.body !== undefined;
      const body = emitBodyReader(
        { forms, fileLists },
        readsOther ? emitOther(accepts, module) : undefined,
        module,
      );
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

/** The function that reads a body that is not a form. */
function emitOther(accepts: OperationPlan['accepts'], module: Module): Code {
  if (accepts === undefined) return module.runtime('jsonBody');
  return call(module.runtime(accepts.kind === 'text' ? 'textBody' : 'jsonBodyOf'), strings(accepts.types));
}

interface ReadForms {
  readonly forms: ReadonlySet<'multipart' | 'urlencoded'>;
  /** The parts that may have several files. */
  readonly fileLists: readonly string[];
}

/** The function that reads the request body; undefined if there is no body. */
function emitBodyReader(
  { forms, fileLists }: ReadForms,
  other: Code | undefined,
  module: Module,
): Code | undefined {
  if (forms.size === 0) return other;
  const multipart = (): Code =>
    fileLists.length === 0
      ? module.runtime('readForm')
      : call(module.runtime('readFormWith'), strings(fileLists));
  const readers = [
    ...fieldOf('multipart', forms.has('multipart') ? multipart() : undefined),
    ...fieldOf('urlencoded', forms.has('urlencoded') ? module.runtime('readUrlencoded') : undefined),
  ];
  return call(module.runtime('formBody'), object(readers), ...(other === undefined ? [] : [other]));
}
