/** Compares an operation's mappings with the models of the API description, and finds the intended model or field for misspelled names. */
import type { Mapping } from '../../read/config/config-model.js';
import { nearest } from '../../read/diagnostics/suggest.js';
import { shapeOf } from '../mapping/shape.js';
import type { ApiDescription, ApiSchema } from '../../read/openapi/api-model.js';
import type { WithSpan } from '../../read/source.js';

/** A name in a mapping that the API description does not contain. */
export interface UnknownName {
  readonly written: WithSpan<string>;
  /** The intended name; undefined if unclear. */
  readonly meant: string | undefined;
}

/** A field that the model does not have. */
export interface UnknownField extends UnknownName {
  readonly model: string;
  /** The fields of the model. */
  readonly fields: readonly string[];
  /** The model of the items, if the model is a list. */
  readonly items: string | undefined;
}

export interface MeantMappings {
  readonly unknownModels: readonly UnknownName[];
  readonly unknownFields: readonly UnknownField[];
  /** The mappings with corrected names, so that an error is reported only once; undefined if a name is unknown. */
  readonly mappings: readonly Mapping[] | undefined;
}

export function meantMappings(mappings: readonly Mapping[], { models }: ApiDescription): MeantMappings {
  const [unknownModels, unknownFields]: [UnknownName[], UnknownField[]] = [[], []];
  // A model that is already mapped cannot be the intended one.
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

/** Adds fields that the model does not have to `unknown`. */
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
