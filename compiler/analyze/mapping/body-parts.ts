/** Parts of a body that is built from mappings: everything is decided, ready to be written down. */
import type { Expression, Path } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { shapeOf } from './shape.js';
import type { Join } from './written-joins.js';

export type Body =
  | { readonly kind: 'object'; readonly fields: readonly BodyField[] }
  | Entries
  /** An object of a row that is there already; null where that row is null. */
  | { readonly kind: 'row'; readonly row: BuiltRow; readonly item: Body }
  /** A list with that one item. */
  | { readonly kind: 'single'; readonly item: Body }
  /** The value of a field in every entry. */
  | { readonly kind: 'column'; readonly of: RowSource; readonly path: Path; readonly value: Expression }
  | { readonly kind: 'value'; readonly value: Expression; readonly reads: readonly RowSource[] };

/** An object for every row, or of the first one and null if there is none; of several fulfillments, for every combination. */
export interface Entries {
  readonly kind: 'entries';
  readonly take: 'every' | 'first';
  readonly of: readonly [JoinedRows, ...JoinedRows[]];
  readonly item: Body;
  /** The model of the object; undefined if the description does not name it. */
  readonly model: string | undefined;
}

export interface BodyField {
  readonly key: string;
  readonly value: Body;
}

/** A row of a fulfillment that an object is being built from. */
export interface BuiltRow {
  readonly fulfillment: string;
  /** How many rows of the same fulfillment other objects are being built from around it. */
  readonly depth: number;
  /** True when it is null where nothing matches. */
  readonly isOptional: boolean;
}

/** One fulfillment of an object: its row, and where that row is found. */
export interface JoinedRows {
  readonly row: BuiltRow;
  readonly of: RowSource;
}

/** How the rows of a fulfillment are found at a position of a body. */
export interface RowSource {
  readonly fulfillment: string;
  /** The row whose fields are read by name, if an object is being built from one; otherwise the first entry found. */
  readonly row: BuiltRow | undefined;
  /** The rows that the keys of the first step are read from, one for each key. */
  readonly start: readonly BuiltRow[];
  /** From these rows, one joined fulfillment after the other; empty for all entries of the result. */
  readonly steps: readonly JoinStep[];
}

/** A fulfillment that a chain of joins enters and leaves by the same fields. */
export interface SharedKey {
  readonly enter: JoinStep;
  readonly leave: JoinStep;
}

/** From entries of one fulfillment to the matching ones of another. */
export interface JoinStep {
  readonly from: string;
  readonly to: string;
  /** The fields that must be equal: several where several joins connect the two. */
  readonly keys: readonly { readonly from: string; readonly to: string }[];
  /** As they are written, one for each key. */
  readonly joins: readonly Join[];
}

/** All sources of rows in the body, including those of inner fields. */
export function sourcesOf(body: Body): RowSource[] {
  switch (body.kind) {
    case 'object':
      return body.fields.flatMap(({ value }) => sourcesOf(value));
    case 'entries':
      return [...body.of.map(({ of }) => of), ...sourcesOf(body.item)];
    case 'row':
    case 'single':
      return sourcesOf(body.item);
    case 'column':
      return [body.of];
    case 'value':
      return [...body.reads];
  }
}

/** All expressions in the body. */
export function valuesOf(body: Body): Expression[] {
  switch (body.kind) {
    case 'object':
      return body.fields.flatMap(({ value }) => valuesOf(value));
    case 'entries':
    case 'row':
    case 'single':
      return valuesOf(body.item);
    case 'column':
      return [];
    case 'value':
      return [body.value];
  }
}

export interface DescribedField extends BodyField {
  readonly schema: ApiSchema;
}

/** The fields of the body that the schema describes, and of the objects in it: each before those in it. */
export function describedFields(body: Body, schema: ApiSchema): DescribedField[] {
  const shape = shapeOf(schema);
  switch (body.kind) {
    case 'entries':
    case 'single':
      return describedFields(body.item, shape.kind === 'list' ? shape.items : schema);
    case 'row':
      return describedFields(body.item, schema);
    case 'object': {
      if (shape.kind === 'list') return [];
      return body.fields.flatMap((field) => {
        const property = shape.properties.get(field.key);
        if (property === undefined) return [];
        return [{ ...field, schema: property }, ...describedFields(field.value, property)];
      });
    }
    case 'column':
    case 'value':
      return [];
  }
}
