/** How the string of a parameter is converted to its value. */
import { branchesOf } from './schema-part.js';
import type { ApiParameter, ApiSchema } from './api-model.js';

/** The format of a parameter's string. Empty if the string is the value, or if the parts of a list or object are separate parameters. */
export interface ParameterFormat {
  /** The separator of list elements. */
  readonly separator?: string;
  /** Set if the string is JSON. */
  readonly json?: true;
}

const separators: Readonly<Record<string, string>> = {
  form: ',',
  simple: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
};

/** The format of a parameter; undefined for an unsupported style, whose values are not checked. */
export function parameterFormat({
  style,
  explode,
  schema,
}: Pick<ApiParameter, 'style' | 'explode' | 'schema'>): ParameterFormat | undefined {
  if (style === 'json') return { json: true };
  if (schema !== undefined && isKind(schema, 'array')) {
    const separator = separators[style];
    if (separator === undefined) return undefined;
    return explode && style !== 'simple' ? {} : { separator };
  }
  if (schema !== undefined && isKind(schema, 'object')) return style === 'deepObject' ? {} : undefined;
  return style === 'form' || style === 'simple' ? {} : undefined;
}

/** Whether the schema or a part of it has that type or restricts it. */
export function isKind(schema: ApiSchema | undefined, type: 'array' | 'object'): boolean {
  return (schema === undefined ? [] : branchesOf(schema)).some(({ types, items, properties }) =>
    types === undefined
      ? type === 'array'
        ? items !== undefined
        : properties.size > 0
      : types.includes(type),
  );
}
