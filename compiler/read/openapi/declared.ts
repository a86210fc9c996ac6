/** Names of the parameters that an endpoint declares. */
import { formFields } from './form.js';
import type { ApiDescription, ApiEndpoint, ApiSchema } from './api-model.js';

/** Headers whose declarations as parameters OpenAPI ignores, because content types and security schemes describe them. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type']);

/** True for a header whose declaration OpenAPI ignores. */
export function isIgnoredHeader(name: string): boolean {
  return ignoredHeaders.has(name.toLowerCase());
}

/** The declared names that PARAM can read; undefined if a form can have fields of any name. */
export function declaredNames(
  { parameters, body }: ApiEndpoint,
  { credentials = [] }: ApiDescription,
): string[] | undefined {
  const names = parameters.flatMap((parameter) => (parameter.in === 'cookie' ? [] : [parameter.name]));
  const fields = body?.form === undefined ? [] : propertyNames(body.form.schema, new Set());
  const keys = credentials.flatMap((key) => (key.in === 'cookie' ? [] : [key.name]));
  return fields && [...names, ...fields, ...keys];
}

/** The properties of a schema; undefined if any property is allowed. */
function propertyNames(schema: ApiSchema, seen: Set<ApiSchema>): string[] | undefined {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { properties, allOf, anyOf, oneOf, additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined;
  const parts = [...allOf, ...anyOf, ...oneOf].map((part) => propertyNames(part, seen));
  if (parts.length === 0 && properties.size === 0) return undefined;
  const names = [...properties.keys()];
  for (const part of parts) {
    if (part === undefined) return undefined;
    names.push(...part);
  }
  return names;
}

/** The schemas of the parameter or form field that PARAM(name) reads; empty if not declared. */
export function declaredSchemas({ parameters, body }: ApiEndpoint, name: string): ApiSchema[] {
  const declared = parameters.filter((parameter) =>
    parameter.in === 'header'
      ? parameter.name.toLowerCase() === name.toLowerCase()
      : parameter.in !== 'cookie' && parameter.name === name,
  );
  const fields = body?.form === undefined ? [] : formFields(body.form);
  return [...declared, ...fields.filter((field) => field.name === name)].flatMap(
    ({ schema }) => schema ?? [],
  );
}
