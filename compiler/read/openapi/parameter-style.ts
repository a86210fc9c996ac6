/** How the text of a parameter becomes its value. */
import { branchesOf } from './schema-part.js';
import type { ApiParameter, ApiSchema } from './api-model.js';

/** Empty for a string that is the value, or a list or an object whose parts are separate parameters. */
export interface ParameterFormat {
  /** The separator of the elements of a list. */
  readonly separator?: string;
  /** True where the text is JSON. */
  readonly json?: true;
}

const separators: Readonly<Record<string, string>> = {
  form: ',',
  simple: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
};

/** Undefined for a style that is not understood: then the text is not checked. */
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

/** Whether the schema, or a part of it, is of that type or constrains it. */
export function isKind(schema: ApiSchema | undefined, type: 'array' | 'object'): boolean {
  return (schema === undefined ? [] : branchesOf(schema)).some(({ types, items, properties }) =>
    types === undefined
      ? type === 'array'
        ? items !== undefined
        : properties.size > 0
      : types.includes(type),
  );
}
