/** An API description as the compiler sees it, from its text: without any check, for tests of what is built from it. */
import { parse } from 'yaml';
import type { HttpMethod } from '../../compiler/config/model.js';
import type {
  ApiDescription,
  ApiEndpoint,
  ApiResponse,
  ApiSchema,
  ApiType,
} from '../../compiler/openapi/model.js';

type Map = Readonly<Record<string, unknown>>;

export function plainDescription(text: string): ApiDescription {
  const source = { path: 'openapi.yaml', text };
  const place = { source, start: 0, end: 0 };
  const root = parse(text) as Map;
  const known = new globalThis.Map<string, ApiSchema>();

  const at = (reference: string): Map =>
    reference
      .split('/')
      .slice(1)
      .reduce((value: Map, key) => value[key] as Map, root);
  const schema = (given: unknown): ApiSchema => {
    const written = given as Map;
    const reference = written.$ref as string | undefined;
    return reference === undefined ? content(written, undefined) : model(reference);
  };
  const model = (reference: string): ApiSchema => {
    const name = reference.split('/').at(-1) ?? '';
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = { ...content({}, name) };
    known.set(name, made);
    return Object.assign(made, content(at(reference), name));
  };
  const content = (written: Map, name: string | undefined): ApiSchema => ({
    model: name,
    place,
    types: written.type === undefined ? undefined : ([written.type].flat() as ApiType[]),
    properties: new globalThis.Map(entries(written.properties).map(([key, value]) => [key, schema(value)])),
    required: (written.required ?? []) as string[],
    additionalProperties:
      typeof written.additionalProperties === 'object' ? schema(written.additionalProperties) : undefined,
    items: written.items === undefined ? undefined : schema(written.items),
    allOf: list(written.allOf).map(schema),
    anyOf: list(written.anyOf).map(schema),
    oneOf: list(written.oneOf).map(schema),
    not: undefined,
    enum: undefined,
    format: undefined,
    bounds: new globalThis.Map(),
    default: undefined,
    description: undefined,
  });
  const response = (given: unknown): ApiResponse => {
    const reference = (given as Map).$ref as string | undefined;
    const written = reference === undefined ? (given as Map) : at(reference);
    const json = (written.content as Record<string, Map> | undefined)?.['application/json']?.schema;
    return { json: json === undefined ? undefined : schema(json), place };
  };
  const endpoints = entries(root.paths).flatMap(([path, item]) =>
    entries(item).flatMap(([method, operation]): ApiEndpoint[] => {
      if (!/^(?:get|post|put|patch|delete|head|options)$/.test(method)) return [];
      const responses = entries((operation as Map).responses).map(
        ([status, value]): [string, ApiResponse] => [status, response(value)],
      );
      return [
        {
          method: method.toUpperCase() as HttpMethod,
          path,
          place,
          parameters: [],
          body: undefined,
          responses: new globalThis.Map(responses),
        },
      ];
    }),
  );
  const models = Object.keys(((root.components as Map | undefined)?.schemas ?? {}) as Map).map(
    (name): [string, ApiSchema] => [name, model(`#/components/schemas/${name}`)],
  );
  return { source, endpoints, models: new globalThis.Map(models) };
}

function entries(value: unknown): [string, unknown][] {
  return Object.entries((value ?? {}) as Map);
}

function list(value: unknown): unknown[] {
  return (value ?? []) as unknown[];
}
