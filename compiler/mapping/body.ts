/** What a body that is built from mappings is made of: everything decided, ready to be written down (decisions 8). */
import type { Expression, Path } from '../expression/ast.js';
import type { Join } from './join.js';

export type Body =
  | { readonly kind: 'object'; readonly fields: readonly BodyField[] }
  /** An object for every entry, or of the first one and null where there is none. */
  | { readonly kind: 'entries'; readonly take: 'every' | 'first'; readonly of: Reach; readonly item: Body }
  /** A list with that one item. */
  | { readonly kind: 'single'; readonly item: Body }
  /** The value of a field in every entry. */
  | { readonly kind: 'column'; readonly of: Reach; readonly path: Path }
  | { readonly kind: 'value'; readonly value: Expression; readonly reads: readonly Reach[] };

export interface BodyField {
  readonly key: string;
  readonly value: Body;
}

/** How the entries of a fulfillment are found at a place of a body. */
export interface Reach {
  readonly fulfillment: string;
  /** True when an entry of it is being built around the place. */
  readonly isCurrent: boolean;
  /** From an entry that is being built, one joined fulfillment after the other; empty for all entries of the result. */
  readonly steps: readonly JoinStep[];
}

/** From entries of one fulfillment to the matching ones of another. */
export interface JoinStep {
  readonly from: string;
  readonly to: string;
  /** The fields that must be equal: several where several joins connect the two. */
  readonly keys: readonly { readonly from: string; readonly to: string }[];
  /** As they are written. */
  readonly joins: readonly Join[];
}

/** All places of the body where entries are looked for, those of the fields inside it included. */
export function reachesOf(body: Body): Reach[] {
  switch (body.kind) {
    case 'object':
      return body.fields.flatMap(({ value }) => reachesOf(value));
    case 'entries':
      return [body.of, ...reachesOf(body.item)];
    case 'single':
      return reachesOf(body.item);
    case 'column':
      return [body.of];
    case 'value':
      return [...body.reads];
  }
}

/** All expressions of the body. */
export function expressionsOf(body: Body): Expression[] {
  switch (body.kind) {
    case 'object':
      return body.fields.flatMap(({ value }) => expressionsOf(value));
    case 'entries':
    case 'single':
      return expressionsOf(body.item);
    case 'column':
      return [];
    case 'value':
      return [body.value];
  }
}
