/** src/authentications.ts: the authentications of the configuration, without secrets. */
import {
  array,
  call,
  constant,
  doc,
  exported,
  field,
  fieldOf,
  jsonFields,
  literal,
  name,
  object,
  strings,
  type Code,
  type Field,
} from '../../code/code.js';
import type { AcceptedPlan, AccessPlan, AuthenticationPlan } from '../../plan/access.js';
import type { RuntimeValue } from '../../plan/names/runtime-symbols.js';
import type { ServicePlan } from '../../plan/plan.js';
import { authenticationResource, variablesOf } from '../../plan/environment.js';
import { settingsComment } from './settings-comment.js';
import { emitLimitList } from './limits-module.js';
import { Module } from '../module/module.js';

/** Module path without extension. */
export const authenticationsModule = 'src/authentications';

/** Undefined if no operation requires authentication. */
export function emitAuthentications({
  authentications,
  configName,
  environment,
}: ServicePlan): Module | undefined {
  if (authentications.length === 0) return undefined;
  const module = new Module(`${authenticationsModule}.ts`, configName);
  for (const authentication of authentications) {
    const variables = variablesOf(authenticationResource(authentication.name), environment);
    const comment = settingsComment(kinds[authentication.type], variables);
    const created = emitCreation(authentication, module);
    module.add(comment, exported(constant(name(authentication.identifier), created)));
  }
  const identifiers = authentications.map(({ identifier }) => name(identifier));
  const hasSettings = environment.values.some(({ name }) => name.startsWith('AUTHENTICATION_'));
  const comment = hasSettings
    ? 'All authentications. Their settings are read when the service starts: see .env.example.'
    : 'All of them.';
  module.add(doc(comment), exported(constant(name('authentications'), array(identifiers))));
  return module;
}

/** A short description of each authentication type, for the comment above the authentication. */
const kinds: Readonly<Record<AuthenticationPlan['type'], string>> = {
  basicauth: 'HTTP Basic',
  jwt: 'Tokens (JWT)',
  apikey: 'API keys',
  signature: 'Signed requests (webhooks)',
  custom: 'Credentials that src/middleware.ts checks',
};

function emitCreation(authentication: AuthenticationPlan, module: Module): Code {
  const { options, limits, operation } = authentication;
  const handler = operation && module.import(`src/operations/${operation.fileName}`, operation.functionName);
  const fields = [...jsonFields(options), ...fieldOf('operation', handler)];
  const create = module.runtime(creatorOf(authentication));
  const created = call(
    create,
    literal(authentication.name),
    ...(fields.length === 0 ? [] : [object(fields)]),
  );
  if (limits.length === 0) return created;
  return call(module.runtime('withLimits'), created, emitLimitList(limits, module));
}

function creatorOf({ type, isHashed, hasOwnKey, operation }: AuthenticationPlan): RuntimeValue {
  switch (type) {
    case 'basicauth':
      if (operation !== undefined) return 'foundAccount';
      return isHashed ? 'hashedAccount' : 'basicAuth';
    case 'jwt':
      return hasOwnKey ? 'jwtOfKey' : 'jwt';
    case 'apikey':
      return 'apiKey';
    case 'signature':
      return 'signature';
    case 'custom':
      return 'custom';
  }
}

/** The route field that defines who may call the route. `cookies`: those of an operation that only pages of known origins may call. */
export function emitAccess(
  access: AccessPlan | undefined,
  cookies: readonly string[] | undefined,
  module: Module,
): Field[] {
  const accepted = (access ?? []).map((one) => emitAccepted(one, module));
  const code = accepted.length === 0 ? [] : [call(module.runtime('accept'), ...accepted)];
  const checked =
    cookies === undefined ? code : [call(module.runtime('knownPages'), strings(cookies), ...code)];
  return checked.map((one) => field('access', one));
}

function emitAccepted({ identifier, scopes, isOptional }: AcceptedPlan, module: Module): Code {
  const authentication = module.import(authenticationsModule, identifier);
  const scoped =
    scopes.length === 0
      ? authentication
      : call(module.runtime('withScopes'), authentication, ...scopes.map(literal));
  return isOptional ? call(module.runtime('optional'), scoped) : scoped;
}
