/** The fields of a form declared as multipart/form-data or application/x-www-form-urlencoded. */
import type { ApiForm, ApiSchema } from './api-model.js';

export interface FormField {
  readonly name: string;
  readonly schema: ApiSchema;
  readonly required: boolean;
  readonly isFile: boolean;
}

/** The fields in description order, including those of all parts of an `allOf`. */
export function formFields({ types, schema }: ApiForm): FormField[] {
  const fields = new Map<string, FormField>();
  collect(schema, fields, new Set());
  // Only multipart forms can contain files.
  if (types.includes('multipart')) return [...fields.values()];
  return [...fields.values()].map((field) => ({ ...field, isFile: false }));
}

function collect(schema: ApiSchema, fields: Map<string, FormField>, seen: Set<ApiSchema>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  for (const part of schema.allOf) collect(part, fields, seen);
  for (const [name, property] of schema.properties) {
    const required = fields.get(name)?.required === true || schema.required.includes(name);
    fields.set(name, { name, schema: property, required, isFile: isFile(property) });
  }
}

/** Whether the field is, or can be, a file. */
function isFile({ format, types, items, allOf, anyOf, oneOf, properties }: ApiSchema): boolean {
  if (format === 'binary' || (items !== undefined && isFile(items))) return true;
  return types === undefined && allOf.length + anyOf.length + oneOf.length + properties.size === 0;
}
