/** A schema under construction, and the facts kept for later checks. */
import { entryOf, isEmpty, type MapNode, type Node } from '../config/yaml/node.js';
import type { Span } from '../source.js';
import type { ApiSchema } from './api-model.js';
import type { Typed } from './literal-values.js';

export type SchemaDraft = { -readonly [Field in keyof ApiSchema]: ApiSchema[Field] };

/** Facts about schemas that later checks need and that are not part of the model. */
export interface SchemaNotes {
  /** Positions of references to other schemas by `allOf` and similar keywords, not in properties. */
  readonly references: Map<ApiSchema, Map<ApiSchema, Span>>;
  /** Defaults as written. */
  readonly defaults: Map<ApiSchema, { readonly node: Node; readonly typed: Typed }>;
  /** Unsupported keywords that have already been reported. */
  readonly reported: Set<string>;
}

/** The value of a keyword; undefined if it is missing or empty. */
export function keywordValue(map: MapNode, keyword: string): Node | undefined {
  const node = entryOf(map, keyword)?.value;
  return node === undefined || isEmpty(node) ? undefined : node;
}

/** The schema that accepts any value. */
export function anything({ span }: Pick<Node, 'span'>): ApiSchema {
  return {
    ...{ model: undefined, span, types: undefined, properties: new Map(), required: [] },
    ...{ additionalProperties: undefined, items: undefined, allOf: [], anyOf: [], oneOf: [], not: undefined },
    ...{ enum: undefined, format: undefined, bounds: new Map(), default: undefined, description: undefined },
  };
}
