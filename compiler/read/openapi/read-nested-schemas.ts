/** Reads the schema keywords that contain other schemas: properties, items, `allOf` and similar. */
import type { MapNode, Node, ScalarNode } from '../config/yaml/node.js';
import type { Report } from '../diagnostics/report.js';
import type { ApiSchema } from './api-model.js';
import { referenceIn } from './pointer.js';
import { keywordValue, type SchemaDraft } from './schema-draft.js';

/**
 * Fills in the draft. `inside` reads a schema, `named` reads a map of named schemas, `noteReference` receives parts that are references.
 */
export function readNestedSchemas(
  draft: SchemaDraft,
  map: MapNode,
  inside: (node: Node) => ApiSchema,
  named: (map: MapNode, keyword: string) => ReadonlyMap<string, ApiSchema>,
  report: Report,
  noteReference: (part: ApiSchema, reference: ScalarNode) => void,
): void {
  const value = (keyword: string): Node | undefined => keywordValue(map, keyword);
  const part = (node: Node): ApiSchema => {
    const read = inside(node);
    const reference = referenceIn(node);
    if (reference !== undefined) noteReference(read, reference);
    return read;
  };
  const schema = (keyword: string): ApiSchema | undefined => {
    const node = value(keyword);
    return node && part(node);
  };
  const schemas = (keyword: string): ApiSchema[] => itemsOf(value(keyword), keyword, report).map(part);
  const byName = (keyword: string): ReadonlyMap<string, ApiSchema> => {
    const node = value(keyword);
    if (node === undefined || node.kind === 'map')
      return node === undefined ? new Map() : named(node, keyword);
    report.add('schema-keyword', node.span, { keyword, problem: 'it must be a map' });
    return new Map();
  };

  draft.properties = byName('properties');
  draft.requiredSpan = value('required')?.span;
  draft.required = itemsOf(value('required'), 'required', report).flatMap((item) =>
    item.kind === 'scalar' ? [item.text.value] : [],
  );
  const additional = value('additionalProperties');
  draft.additionalProperties =
    additional?.kind === 'scalar' && typeof additional.value === 'boolean'
      ? additional.value
        ? undefined
        : false
      : additional && inside(additional);
  if (additional?.kind === 'scalar' && additional.value === true) draft.isOpen = true;
  draft.allOf = schemas('allOf');
  draft.anyOf = schemas('anyOf');
  draft.oneOf = schemas('oneOf');
  draft.not = schema('not');
  const items = value('items');
  const prefixItems = items?.kind === 'list' ? items.items.map(inside) : schemas('prefixItems');
  if (items?.kind !== 'list') draft.items = items && inside(items);
  if (prefixItems.length > 0) draft.prefixItems = prefixItems;
  const patterns = byName('patternProperties');
  if (patterns.size > 0) draft.patternProperties = patterns;
}

function itemsOf(node: Node | undefined, keyword: string, report: Report): readonly Node[] {
  if (node === undefined || node.kind === 'list') return node?.items ?? [];
  report.add('schema-keyword', node.span, { keyword, problem: 'it must be a list' });
  return [];
}
