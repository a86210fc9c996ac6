/** The parts of a body built from mappings, ready to be turned into code. */
import type { Expression, Path } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { shapeOf } from './shape.js';
import type { Join } from './written-joins.js';

export type Body =
  | { readonly kind: 'object'; readonly fields: readonly BodyField[] }
  | Entries
  /** An object built from an existing row; null if that row is null. */
  | { readonly kind: 'row'; readonly row: BuiltRow; readonly item: Body }
  /** A list with a single item. */
  | { readonly kind: 'single'; readonly item: Body }
  /** The values of a field in all rows. */
  | { readonly kind: 'column'; readonly of: RowSource; readonly path: Path; readonly value: Expression }
  | { readonly kind: 'value'; readonly value: Expression; readonly reads: readonly RowSource[] };

/** An object for every row, or for the first row (null if there is none). With several fulfillments, an object for every combination. */
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

/** A row of a fulfillment from which an object is built. */
export interface BuiltRow {
  readonly fulfillment: string;
  /** The number of rows of the same fulfillment from which surrounding objects are built. */
  readonly depth: number;
  /** True if the row is null when no row matches. */
  readonly isOptional: boolean;
}

/** A fulfillment of an object: its row, and how that row is found. */
export interface JoinedRows {
  readonly row: BuiltRow;
  readonly of: RowSource;
}

/** How the rows of a fulfillment are found at a position of a body. */
export interface RowSource {
  readonly fulfillment: string;
  /** The row whose fields are read by name, if an object is being built from it; otherwise the first row found is used. */
  readonly row: BuiltRow | undefined;
  /** The rows from which the keys of the first step are read, one per key. */
  readonly start: readonly BuiltRow[];
  /** The joins to follow from these rows; empty to use all rows of the result. */
  readonly steps: readonly JoinStep[];
}

/** A fulfillment that a chain of joins enters and leaves by the same fields. */
export interface SharedKey {
  readonly enter: JoinStep;
  readonly leave: JoinStep;
}

/** A join step from rows of one fulfillment to the matching rows of another. */
export interface JoinStep {
  readonly from: string;
  readonly to: string;
  /** The fields that must be equal; several if several joins connect the fulfillments. */
  readonly keys: readonly { readonly from: string; readonly to: string }[];
  /** The joins as written, one per key. */
  readonly joins: readonly Join[];
}

/** All row sources in the body, including those of nested fields. */
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

/** The described fields of the body and of objects in it, each before its nested fields. */
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
