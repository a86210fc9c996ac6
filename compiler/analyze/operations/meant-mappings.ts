/**
 * Compares the mappings of an operation with the models of the API description, and finds the intended model and field for misspelt names.
 */
import type { Mapping } from '../../read/config/config-model.js';
import { nearest } from '../../read/diagnostics/suggest.js';
import { shapeOf } from '../mapping/shape.js';
import type { ApiDescription, ApiSchema } from '../../read/openapi/api-model.js';
import type { WithSpan } from '../../read/source.js';

/** A name of a mapping that the API description does not have. */
export interface UnknownName {
  readonly written: WithSpan<string>;
  /** The intended name; undefined if it is unknown. */
  readonly meant: string | undefined;
}

/** A field that its model does not have. */
export interface UnknownField extends UnknownName {
  readonly model: string;
  /** The fields that the model has. */
  readonly fields: readonly string[];
  /** The model of the entries, where the model is a list. */
  readonly items: string | undefined;
}

export interface MeantMappings {
  readonly unknownModels: readonly UnknownName[];
  readonly unknownFields: readonly UnknownField[];
  /** With the intended names, so that one error is reported once; undefined if one of them is unknown. */
  readonly mappings: readonly Mapping[] | undefined;
}

export function meantMappings(mappings: readonly Mapping[], { models }: ApiDescription): MeantMappings {
  const [unknownModels, unknownFields]: [UnknownName[], UnknownField[]] = [[], []];
  // A field that is mapped already cannot be intended once more.
  const mapped = new Set(mappings.map(({ model }) => model.value));
  const unmapped = [...models.keys()].filter((name) => !mapped.has(name));
  const meant = mappings.flatMap((mapping) => {
    const written = mapping.model;
    const name = models.has(written.value) ? written.value : nearest(written.value, unmapped);
    if (name !== written.value) unknownModels.push({ written, meant: name });
    const schema = models.get(name ?? '');
    if (name === undefined || schema === undefined) return [];
    return meantFields(mapping, name, schema, unknownFields) ?? [];
  });
  return { unknownModels, unknownFields, mappings: meant.length === mappings.length ? meant : undefined };
}

/** Adds the fields that the model does not have to `unknown`. */
function meantFields(
  mapping: Mapping,
  model: string,
  schema: ApiSchema,
  unknown: UnknownField[],
): Mapping | undefined {
  const shape = shapeOf(schema);
  const fields = shape.kind === 'list' ? [] : [...shape.properties.keys()];
  const items = shape.kind === 'list' ? shape.items.model : undefined;
  const mapped = new Set(mapping.fields.map(({ field }) => field.value));
  const unmapped = fields.filter((name) => !mapped.has(name));
  let isWritten = model === mapping.model.value;
  const meant = mapping.fields.flatMap(({ field, value }) => {
    if (fields.includes(field.value)) return { field, value };
    isWritten = false;
    const near = nearest(field.value, unmapped);
    unknown.push({ written: field, meant: near, model, fields, items });
    return near === undefined ? [] : { field: { ...field, value: near }, value };
  });
  if (isWritten) return mapping;
  return meant.length === mapping.fields.length
    ? { model: { ...mapping.model, value: model }, fields: meant }
    : undefined;
}
