/** src/router.ts: which operation answers which request. */
import type { ServicePlan } from '../plan/plan.js';
import { stringLiteral } from './literal.js';
import { Module } from './module.js';

export function emitRouter({ operations, configName }: ServicePlan): Module {
  const module = new Module('src/router.ts', configName);
  const routes = operations.flatMap(({ name, endpoint, functionName, fileName, readsBody, readsFiles }) => {
    if (endpoint === undefined) return [];
    module.import(`src/operations/${fileName}`, functionName);
    const { method, path } = endpoint;
    const fields = [
      `method: ${stringLiteral(method)}`,
      `path: ${stringLiteral(path)}`,
      `handler: ${functionName}`,
      ...(name === `${method} ${path}` ? [] : [`operation: ${stringLiteral(name)}`]),
      ...(readsBody ? ['body: true'] : []),
      ...(readsFiles ? [`form: ${module.runtime('readForm')}`] : []),
    ];
    return [`{ ${fields.join(', ')} },`];
  });
  module.add(`export const router = ${module.runtime('createRouter')}([\n${routes.join('\n')}\n]);`);
  return module;
}
