/** src/authentications.ts: the accounts of the configuration, without their credentials. */
import type { AccessPlan } from '../../plan/access.js';
import type { ServicePlan } from '../../plan/plan.js';
import { authenticationResource, variablesOf } from '../../plan/environment.js';
import { settingsComment } from './settings-comment.js';
import { stringLiteral } from '../module/literal.js';
import { Module } from '../module/module.js';

const path = 'src/authentications';

/** Undefined where every operation is open. */
export function emitAuthentications({
  authentications,
  configName,
  environment,
}: ServicePlan): Module | undefined {
  if (authentications.length === 0) return undefined;
  const module = new Module(`${path}.ts`, configName);
  for (const { name, identifier } of authentications)
    module.add(
      `${settingsComment('HTTP Basic', variablesOf(authenticationResource(name), environment))}\nexport const ${identifier} = ${module.runtime('basicAuth')}(${stringLiteral(name)});`,
    );
  const identifiers = authentications.map(({ identifier }) => identifier);
  module.add(
    `/** All accounts. Their credentials are read when the service starts: see .env.example. */\nexport const authentications = [${identifiers.join(', ')}];`,
  );
  return module;
}

/** The fields of a route about who may call it. */
export function emitAccess(access: AccessPlan | undefined, module: Module): string[] {
  if (access === undefined) return [];
  if (access === 'all') return [module.import(path, 'authentications')];
  return [`authentications: [${access.map(({ identifier }) => module.import(path, identifier)).join(', ')}]`];
}
