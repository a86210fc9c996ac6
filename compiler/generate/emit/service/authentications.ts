/** src/authentications.ts: the authentications of the configuration, without anything secret. */
import type { AcceptedPlan, AccessPlan, AuthenticationPlan } from '../../plan/access.js';
import type { ServicePlan } from '../../plan/plan.js';
import { authenticationResource, variablesOf } from '../../plan/environment.js';
import { settingsComment } from './settings-comment.js';
import { property, stringLiteral } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';

/** The module of the authentications, without its ending. */
export const authenticationsModule = 'src/authentications';

/** Undefined where every operation is open. */
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
    module.add(
      `${comment}\nexport const ${authentication.identifier} = ${emitCreation(authentication, module)};`,
    );
  }
  const identifiers = authentications.map(({ identifier }) => identifier);
  const hasSettings = environment.values.some(({ name }) => name.startsWith('AUTHENTICATION_'));
  const comment = hasSettings
    ? '/** All authentications. Their settings are read when the service starts: see .env.example. */'
    : '/** All of them. */';
  module.add(`${comment}\nexport const authentications = [${identifiers.join(', ')}];`);
  return module;
}

/** A few words for each type of authentication, for the comment above it. */
const kinds: Readonly<Record<AuthenticationPlan['type'], string>> = {
  basicauth: 'HTTP Basic',
  jwt: 'Tokens (JWT)',
  apikey: 'API keys',
  signature: 'Signed requests (webhooks)',
  custom: 'Credentials that src/middleware.ts checks',
};

function emitCreation(authentication: AuthenticationPlan, module: Module): string {
  const { name, type, isHashed, hasOwnKey, options, operation } = authentication;
  const fields = [
    ...Object.entries(options).map(([key, value]) => property(key, emitOption(value))),
    ...(operation === undefined
      ? []
      : [
          property(
            'operation',
            module.import(`src/operations/${operation.fileName}`, operation.functionName),
          ),
        ]),
  ];
  const create = module.runtime(isHashed ? 'hashedAccount' : hasOwnKey ? 'jwtOfKey' : creators[type]);
  const rest = fields.length === 0 ? '' : `, { ${fields.join(', ')} }`;
  return `${create}(${stringLiteral(name)}${rest})`;
}

const creators = {
  basicauth: 'basicAuth',
  jwt: 'jwt',
  apikey: 'apiKey',
  signature: 'signature',
  custom: 'custom',
} as const satisfies Readonly<Record<AuthenticationPlan['type'], string>>;

function emitOption(value: AuthenticationPlan['options'][string]): string {
  if (typeof value === 'string') return stringLiteral(value);
  return typeof value === 'object' ? `[${value.map(stringLiteral).join(', ')}]` : String(value);
}

/** The field of a route about who may call it. */
export function emitAccess(access: AccessPlan | undefined, module: Module): string[] {
  if (access === undefined || access.length === 0) return [];
  const accepted = access.map((one) => emitAccepted(one, module));
  return [`access: ${module.runtime('accept')}(${accepted.join(', ')})`];
}

function emitAccepted({ identifier, scopes, isOptional }: AcceptedPlan, module: Module): string {
  const authentication = module.import(authenticationsModule, identifier);
  const scoped =
    scopes.length === 0
      ? authentication
      : `${module.runtime('withScopes')}(${[authentication, ...scopes.map(stringLiteral)].join(', ')})`;
  return isOptional ? `${module.runtime('optional')}(${scoped})` : scoped;
}
