/** The API description served together with the test page: the user's own, or one generated from the configuration. */
import type { Config } from '../../read/config/config-model.js';
import { bundle, type OpenMap } from '../../read/openapi/bundle.js';
import type { ApiDescription } from '../../read/openapi/api-model.js';
import { pathShape } from '../../read/openapi/match.js';
import { generateDescription } from './generate.js';
import type { KnownValues } from './known-values.js';
import { namedSchemes, securityOf, securityScheme } from './security-scheme.js';
import { methods } from '../../read/openapi/bundle-shape.js';
import { isJsonMap } from '../../read/json.js';

/** The description as JSON. Requires a configuration and description without errors. */
export function servedDescription(
  config: Config,
  read: ApiDescription | undefined,
  values: KnownValues,
): string {
  const description =
    read === undefined
      ? { ...generateDescription(config, values) }
      : withCredentials(bundle(read.written), config);
  return JSON.stringify(atThisService(description, config.settings.basePath), null, 2);
}

/** Replaces `servers` with a URL relative to /v3/api-docs, so that the page calls the service that served it. */
function atThisService(description: OpenMap, basePath: string): OpenMap {
  const { openapi, info, paths, ...others } = description;
  const rest = Object.entries(others).filter(([key]) => key !== 'servers');
  for (const item of Object.values(mapOf(paths)).filter(isJsonMap)) {
    delete item['servers'];
    for (const operation of operationsIn(item)) delete operation['servers'];
  }
  return { openapi, info, servers: [{ url: `..${basePath}` }], paths, ...Object.fromEntries(rest) };
}

/** Adds `security` to the description, without which the page could not send credentials. */
function withCredentials(description: OpenMap, config: Config): OpenMap {
  if (config.authentications.length === 0) return description;
  if (config.authentications.some(({ type }) => type !== 'basicauth'))
    return withSchemes(description, config);
  const components = mapOf(description['components']);
  const schemes = mapOf(components['securitySchemes']);
  const isBasic = (scheme: unknown): boolean =>
    isJsonMap(scheme) && scheme['type'] === 'http' && /^basic$/i.test(String(scheme['scheme']));
  const name = Object.keys(schemes).find((key) => isBasic(schemes[key])) ?? unused('basicAuth', schemes);
  const open = new Set(
    config.operations
      .filter(({ authentications }) => authentications?.length === 0)
      .flatMap(({ endpoint }) => (endpoint === undefined ? [] : keyOf(endpoint.method, endpoint.path))),
  );
  for (const [path, item] of Object.entries(mapOf(description['paths']))) {
    for (const method of methods) {
      const operation = mapOf(item)[method];
      if (isJsonMap(operation) && !open.has(keyOf(method, path)))
        operation['security'] = asking(operation['security'] ?? description['security'], name);
    }
  }
  const basic = { type: 'http', scheme: 'basic' };
  return {
    ...description,
    components: { ...components, securitySchemes: { [name]: basic, ...schemes } },
  };
}

/** Adds the configuration's schemes to the description, and the accepted schemes to each operation. */
function withSchemes(description: OpenMap, config: Config): OpenMap {
  const components = mapOf(description['components']);
  const schemes = { ...mapOf(components['securitySchemes']) };
  const names = new Map<string, string>();
  for (const authentication of config.authentications) {
    const { value } = authentication.name;
    const scheme = securityScheme(authentication);
    const written = schemes[value];
    const name = isJsonMap(written) && written['type'] === scheme['type'] ? value : unused(value, schemes);
    for (const [one, own] of namedSchemes(name, authentication)) schemes[one] ??= own;
    names.set(value, name);
  }
  const accepted = new Map(
    config.operations.map((operation) => [
      keyOf(operation.endpoint?.method ?? '', operation.endpoint?.path ?? ''),
      securityOf(operation, config, names),
    ]),
  );
  for (const [path, item] of Object.entries(mapOf(description['paths']))) {
    for (const method of methods) {
      const security = accepted.get(keyOf(method, path));
      const operation = mapOf(item)[method];
      if (isJsonMap(operation) && security !== undefined) operation['security'] = security;
    }
  }
  return { ...description, components: { ...components, securitySchemes: schemes } };
}

/** A key for the endpoint: descriptions contain non-ASCII characters unencoded, operations contain them encoded. */
function keyOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${pathShape(path)}`;
}

/** Adds the service's credentials to each alternative. */
function asking(security: unknown, name: string): unknown[] {
  const alternatives = Array.isArray(security) ? security.filter(isJsonMap) : [];
  return (alternatives.length === 0 ? [{}] : alternatives).map((schemes) => ({ ...schemes, [name]: [] }));
}

function unused(wished: string, taken: OpenMap): string {
  let name = wished;
  for (let count = 2; Object.hasOwn(taken, name); count += 1) name = `${wished}${count}`;
  return name;
}

function operationsIn(item: OpenMap): OpenMap[] {
  return methods.map((method) => item[method]).filter(isJsonMap);
}

function mapOf(value: unknown): OpenMap {
  return isJsonMap(value) ? value : {};
}
