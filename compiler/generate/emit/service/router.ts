/** src/router.ts: which operation handles which request. */
import type { ServicePlan } from '../../plan/plan.js';
import { apiModule } from './api-module.js';
import { emitAccess } from './authentications.js';
import { stringLiteral } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';

export function emitRouter({ operations, api, access, basePath, configName }: ServicePlan): Module {
  const module = new Module('src/router.ts', configName);
  const routes = operations.flatMap(({ name, endpoint, fileName, readsBody, readsFiles, invalid }) => {
    if (endpoint === undefined) return [];
    const { method, path } = endpoint;
    const input = api?.inputs.find(({ operation }) => operation === name);
    if (input !== undefined) module.import(apiModule, input.identifier);
    const forms = new Set([...(readsFiles ? ['multipart' as const] : []), ...(input?.form?.types ?? [])]);
    const body = emitBodyReader({ forms, readsJson: readsBody || input?.body !== undefined }, module);
    const fields = [
      `method: ${stringLiteral(method)}`,
      `path: ${stringLiteral(basePath + path)}`,
      `load: (): ${module.runtime('Loaded')} => import(${stringLiteral(`./operations/${fileName}.js`)})`,
      ...(name === `${method} ${basePath}${path}` ? [] : [`operation: ${stringLiteral(name)}`]),
      ...emitAccess(access.get(name), module),
      ...(body === undefined ? [] : [`body: ${body}`]),
      ...(input === undefined ? [] : [`input: ${input.identifier}`]),
      ...(invalid === undefined ? [] : [`invalid: ${invalid}`]),
    ];
    return [`{ ${fields.join(', ')} },`];
  });
  module.add(`export const router = ${module.runtime('createRouter')}([\n${routes.join('\n')}\n]);`);
  return module;
}

interface ReadBody {
  readonly forms: ReadonlySet<'multipart' | 'urlencoded'>;
  readonly readsJson: boolean;
}

/** The function that reads the body of a request; undefined if the operation has none. */
function emitBodyReader({ forms, readsJson }: ReadBody, module: Module): string | undefined {
  const json = readsJson ? module.runtime('jsonBody') : undefined;
  if (forms.size === 0) return json;
  const readers = [
    ...(forms.has('multipart') ? [`multipart: ${module.runtime('readForm')}`] : []),
    ...(forms.has('urlencoded') ? [`urlencoded: ${module.runtime('readUrlencoded')}`] : []),
  ];
  const passed = [`{ ${readers.join(', ')} }`, ...(json === undefined ? [] : [json])];
  return `${module.runtime('formBody')}(${passed.join(', ')})`;
}
