/** Reads `discriminator`: which property value selects which alternative of a schema. */
import { entryOf, type MapNode, type Node, type ScalarNode } from '../config/yaml/node.js';
import type { ApiSchema, Discriminator } from './api-model.js';
import { decoded } from './documents.js';
import { pointerTokens, referenceIn } from './pointer.js';
import { keywordValue } from './schema-draft.js';
import { branchesOf } from './schema-part.js';

/** The reason why a discriminator is not used, and its position. */
interface Unused {
  readonly node: Node;
  readonly problem: string;
}

/** Finds the schema for a `mapping` value, which is a name or a reference. Undefined if not found, which is reported. */
type FindMapped = (value: ScalarNode) => ApiSchema | undefined;

/** Call it after all schemas are read, because the alternatives can list the property values themselves. */
export function readDiscriminator(
  { anyOf, oneOf }: Pick<ApiSchema, 'anyOf' | 'oneOf'>,
  map: MapNode,
  find: FindMapped,
): Discriminator | Unused | undefined {
  const node = keywordValue(map, 'discriminator');
  if (node === undefined) return undefined;
  const unused = (problem: string, where: Node = node): Unused => ({ node: where, problem });
  const name = node.kind === 'map' ? entryOf(node, 'propertyName')?.value : undefined;
  if (node.kind !== 'map' || name?.kind !== 'scalar')
    return unused("it needs 'propertyName', the name of a property");
  const property = name.text.value;
  const keyword = oneOf.length > 0 ? 'oneOf' : 'anyOf';
  const schemas = oneOf.length > 0 ? oneOf : anyOf;
  if (schemas.length === 0) return unused("it needs 'oneOf' or 'anyOf' next to it");
  const mapped = mappingIn(node).map(([word, value]) => ({ word, value, schema: find(value) }));
  const missing = mapped.find(({ schema, value }) => schema === undefined && isName(value));
  if (missing !== undefined) return unused(`there is no schema '${missing.value.text.value}'`, missing.value);
  // Broken references have been reported.
  if (mapped.some(({ schema }) => schema === undefined)) return undefined;
  const other = mapped.find(({ schema }) => schema !== undefined && !schemas.includes(schema));
  if (other !== undefined)
    return unused(`'${other.value.text.value}' is not one of '${keyword}'`, other.value);
  const listed = keywordValue(map, keyword);
  const items = listed?.kind === 'list' ? listed.items : [];
  const alternatives = new Map<string, ApiSchema>();
  let allowsNull = false;
  for (const [index, schema] of schemas.entries()) {
    if (schema.types?.length === 1 && schema.types[0] === 'null') {
      allowsNull = true;
      continue;
    }
    const own = mapped.filter((one) => one.schema === schema).map(({ word }) => word);
    const words = own.length > 0 ? own : wordsOf(schema, property, items[index]);
    if (words.length === 0)
      return unused(`no value of '${property}' is known to mean alternative ${index + 1} of '${keyword}'`);
    for (const word of words) {
      if (alternatives.has(word)) return unused(`two alternatives have the value '${word}' of '${property}'`);
      alternatives.set(word, schema);
    }
  }
  return { property, alternatives, keyword, allowsNull };
}

/** Whether a `mapping` value is a schema name, not a reference. */
export function isName({ text }: ScalarNode): boolean {
  return !/[#/.]/.test(text.value);
}

function mappingIn(node: MapNode): (readonly [string, ScalarNode])[] {
  const mapping = entryOf(node, 'mapping')?.value;
  return (mapping?.kind === 'map' ? mapping.entries : []).flatMap(({ key, value }) =>
    value.kind === 'scalar' ? [[key.text.value, value] as const] : [],
  );
}

/**
 * The property values for an alternative: the name at the end of its reference, unless the alternative restricts the property to other
 * values, which are then used.
 */
function wordsOf(schema: ApiSchema, property: string, item: Node | undefined): string[] {
  const reference = item && referenceIn(item);
  const name = reference === undefined ? undefined : nameIn(reference.text.value);
  const listed = branchesOf(schema)
    .flatMap(({ properties }) => properties.get(property) ?? [])
    .flatMap((one) => (one.enum === undefined ? [] : [one.enum]))[0];
  const words = listed?.filter((value) => typeof value === 'string') ?? [];
  if (name !== undefined && (listed === undefined || words.includes(name))) return [name];
  return words.length === listed?.length ? words : [];
}

/** The schema name at the end of a reference: `#/components/schemas/Cat`, `animals.yaml#/Cat`, `Cat.yaml`. */
export function nameIn(reference: string): string {
  const [file = '', fragment = ''] = reference.split(/#(.*)/s);
  if (fragment === '') return decoded(file.replace(/^.*\/|\.\w+$/g, ''));
  return pointerTokens(fragment)?.at(-1) ?? fragment;
}
