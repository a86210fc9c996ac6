/** The security requirements of an API description: the schemes that callers of an endpoint can use. */
import type { ApiEndpoint, WrittenDescription } from './api-model.js';
import { bundle, type OpenMap } from './bundle.js';
import { isJsonMap } from '../json.js';

export interface SecurityScheme {
  /** The type of the scheme; empty if the scheme is used but not declared. */
  readonly type: string;
  /** For type http: `basic`, `bearer`. */
  readonly scheme: string;
  /** For type apiKey: the location. */
  readonly in: string;
  readonly name: string;
}

/** A scheme that an alternative requires. */
export interface AskedScheme {
  /** The key under `securitySchemes`. */
  readonly key: string;
  readonly scheme: SecurityScheme;
  readonly scopes: readonly string[];
}

export interface WrittenSecurity {
  /** Alternative combinations of schemes; an empty combination allows anonymous access. */
  alternatives(endpoint: ApiEndpoint): readonly (readonly AskedScheme[])[];
}

const known = new WeakMap<WrittenDescription, OpenMap>();

/**
 * The security requirements of a description without errors; undefined for a description without security schemes, which leaves security
 * open.
 */
export function writtenSecurity(written: WrittenDescription): WrittenSecurity | undefined {
  const description = known.get(written) ?? bundle(written);
  known.set(written, description);
  const schemes = mapAt(mapAt(description, 'components'), 'securitySchemes');
  if (Object.keys(schemes).length === 0) return undefined;
  return {
    alternatives({ path, method }) {
      const operation = mapAt(mapAt(mapAt(description, 'paths'), path), method.toLowerCase());
      const security = operation['security'] ?? description['security'];
      return (Array.isArray(security) ? security : []).filter(isJsonMap).map((alternative) =>
        Object.entries(alternative).map(([key, scopes]): AskedScheme => {
          const scheme = schemeOf(mapAt(schemes, key));
          return { key, scheme, scopes: Array.isArray(scopes) ? scopes.map(String) : [] };
        }),
      );
    },
  };
}

function schemeOf(scheme: OpenMap): SecurityScheme {
  const text = (field: string): string => {
    const value = scheme[field];
    return typeof value === 'string' ? value : '';
  };
  return { type: text('type'), scheme: text('scheme'), in: text('in'), name: text('name') };
}

function mapAt(map: OpenMap, key: string): OpenMap {
  const value = Object.hasOwn(map, key) ? map[key] : undefined;
  return isJsonMap(value) ? value : {};
}
