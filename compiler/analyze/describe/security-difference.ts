/** Finds differences between the security of an API description and an operation's authentications. */
import type { AcceptedAuthentication, Authentication, Operation } from '../../read/config/config-model.js';
import type { AskedScheme, SecurityScheme } from '../../read/openapi/security.js';
import { otherHeaders, securityScheme } from './security-scheme.js';

/** A message and its hint. */
export interface SecurityDifference {
  readonly message: string;
  readonly hint: string;
}

export interface KnownAccepted {
  readonly accepted: AcceptedAuthentication;
  readonly authentication: Authentication;
}

/** Returns only the first difference, because fixing one often resolves others. */
export function securityDifference(
  { name: { value: name } }: Operation,
  accepted: readonly KnownAccepted[],
  alternatives: readonly (readonly AskedScheme[])[],
): SecurityDifference | undefined {
  const asked = alternatives.flat();
  const strange = asked.find(
    ({ scheme }) =>
      !accepted.some(
        ({ authentication }) => isSame(scheme, authentication) || isOther(scheme, authentication),
      ),
  );
  if (strange?.scheme.type === '')
    return {
      message: `The API description asks callers of '${name}' for '${strange.key}', but has no such scheme.`,
      hint: `Describe '${strange.key}' in 'components.securitySchemes', or name an existing scheme.`,
    };
  if (strange !== undefined)
    return {
      message: `The API description asks callers of '${name}' for '${strange.key}', ${accepted.length === 0 ? 'but everybody may call it' : 'which the operation does not accept'}.`,
      hint: "Name an authentication of this kind in 'authentications', or change 'security' in the description.",
    };
  const missing = accepted.find(
    ({ authentication }) => !asked.some(({ scheme }) => isSame(scheme, authentication)),
  );
  if (missing !== undefined)
    return {
      message: `'${name}' accepts '${missing.accepted.value}', which the API description does not list for it.`,
      hint: `Add it to 'security' there, and its scheme: ${schemeText(missing.authentication)}`,
    };
  if (accepted.length === 0) return undefined;
  const isOpen = alternatives.some((schemes) => schemes.length === 0);
  const isOptional = accepted.some((one) => one.accepted.isOptional);
  return isOpen === isOptional ? differentScope(name, accepted, asked) : differentNeed(name, isOptional);
}

function differentNeed(name: string, isOptional: boolean): SecurityDifference {
  return isOptional
    ? {
        message: `'${name}' accepts requests without credentials, which the API description does not say.`,
        hint: "Add {} to 'security' there, or remove 'optional'.",
      }
    : {
        message: `The API description allows requests without credentials, but '${name}' does not.`,
        hint: "Remove {} from 'security' there, or write 'optional: true' next to the name of an authentication.",
      };
}

/** Only checked if the description lists scopes: in OpenAPI 3.0, JWT bearer schemes do not have scopes. */
function differentScope(
  name: string,
  accepted: readonly KnownAccepted[],
  asked: readonly AskedScheme[],
): SecurityDifference | undefined {
  for (const { authentication, accepted: own } of accepted) {
    const described = asked.find(({ scheme }) => isSame(scheme, authentication))?.scopes ?? [];
    if (described.length === 0) continue;
    const scopes = own.scopes.map(({ value }) => value);
    const missing = described.find((scope) => !scopes.includes(scope));
    if (missing !== undefined)
      return {
        message: `The API description asks callers of '${name}' for the scope '${missing}', but the operation does not.`,
        hint: "Write it in 'scopes', or remove it from 'security' there.",
      };
    const more = scopes.find((scope) => !described.includes(scope));
    if (more !== undefined)
      return {
        message: `'${name}' asks its callers for the scope '${more}', but the API description does not.`,
        hint: "Add it to 'security' there, or remove it from 'scopes'.",
      };
  }
  return undefined;
}

/**
 * Whether the scheme matches the authentication: OAuth 2 and OpenID Connect use tokens; credentials checked by middleware can be anything.
 */
function isSame(scheme: SecurityScheme, authentication: Authentication): boolean {
  const { type } = authentication;
  if (type === 'custom' || type === undefined) return true;
  if (scheme.type === 'oauth2' || scheme.type === 'openIdConnect') return type === 'jwt';
  const own = securityScheme(authentication);
  if (scheme.type !== own['type']) return false;
  if (scheme.type === 'http') return scheme.scheme.toLowerCase() === own['scheme'];
  const [name, ownName] = [scheme.name, String(own['name'])];
  const isName = scheme.in === 'header' ? name.toLowerCase() === ownName.toLowerCase() : name === ownName;
  return scheme.in === own['in'] && isName;
}

/** Whether the scheme is a header that the authentication needs in addition to its own. */
function isOther({ type, in: place, name }: SecurityScheme, authentication: Authentication): boolean {
  return (
    type === 'apiKey' &&
    place === 'header' &&
    otherHeaders(authentication).some((header) => header.toLowerCase() === name.toLowerCase())
  );
}

function schemeText(authentication: Authentication): string {
  const fields = Object.entries(securityScheme(authentication));
  const written = fields.map(([key, value]) => `${key}: ${String(value)}`);
  return `${authentication.name.value}: { ${written.join(', ')} }`;
}
