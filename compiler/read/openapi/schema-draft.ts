/** A schema of an API description while it is read, and the parts kept for later checks. */
import { entryOf, isEmpty, type MapNode, type Node } from '../config/yaml/node.js';
import type { Span } from '../source.js';
import type { ApiSchema } from './api-model.js';
import type { Typed } from './literal-values.js';

export type SchemaDraft = { -readonly [Field in keyof ApiSchema]: ApiSchema[Field] };

/** Facts about schemas for later checks, which the model does not have. */
export interface SchemaNotes {
  /** Positions at which a schema refers to another one in `allOf` and the like, not in properties. */
  readonly references: Map<ApiSchema, Map<ApiSchema, Span>>;
  /** Defaults as they are written. */
  readonly defaults: Map<ApiSchema, { readonly node: Node; readonly typed: Typed }>;
  /** The keywords of which it was reported that they are not checked. */
  readonly reported: Set<string>;
}

/** The value of a keyword; undefined if it is missing or empty. */
export function keywordValue(map: MapNode, keyword: string): Node | undefined {
  const node = entryOf(map, keyword)?.value;
  return node === undefined || isEmpty(node) ? undefined : node;
}

/** The schema that accepts every value. */
export function anything({ span }: Pick<Node, 'span'>): ApiSchema {
  return {
    ...{ model: undefined, span, types: undefined, properties: new Map(), required: [] },
    ...{ additionalProperties: undefined, items: undefined, allOf: [], anyOf: [], oneOf: [], not: undefined },
    ...{ enum: undefined, format: undefined, bounds: new Map(), default: undefined, description: undefined },
  };
}
