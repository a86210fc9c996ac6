/** Converts schemas of an API description (OpenAPI 3.0 or 3.1) to JSON schemas that contain everything that they refer to. */
import { isJsonMap, type JsonMap } from '../../read/json.js';
import { inside } from '../../read/openapi/bundle-shape.js';
import { pointerTokens } from '../../read/openapi/pointer.js';

/** Whether a schema is for requests or for responses, which have other properties. */
type Direction = 'request' | 'response';

/** Keywords of OpenAPI that JSON Schema does not have. */
const ofOpenApi: ReadonlySet<string> = new Set([
  ...['discriminator', 'example', 'externalDocs', 'nullable', 'readOnly', 'writeOnly', 'xml'],
]);

/** The part of a description to which a local reference leads; undefined if it does not exist. */
export function partAt(description: JsonMap, reference: unknown): unknown {
  const tokens =
    typeof reference === 'string' && reference.startsWith('#')
      ? pointerTokens(reference.slice(1))
      : undefined;
  return tokens?.reduce<unknown>(
    (part, token) =>
      isJsonMap(part) || Array.isArray(part) ? (part as Readonly<Record<string, unknown>>)[token] : undefined,
    description,
  );
}

/** The part, or that to which it refers. */
export function resolved(description: JsonMap, part: unknown): JsonMap {
  let found = part;
  // A cycle of references has been reported.
  for (let count = 0; count < 50 && isJsonMap(found) && '$ref' in found; count += 1)
    found = partAt(description, found['$ref']);
  return isJsonMap(found) ? found : {};
}

/** Converts the schemas of one tool, and collects the named schemas that they refer to. */
export class ToolSchemas {
  readonly #named = new Map<string, { readonly name: string; schema: JsonMap }>();

  constructor(
    private readonly description: JsonMap,
    private readonly direction: Direction,
  ) {}

  /** `$defs` of the schema that contains the converted schemas; empty without references. */
  get definitions(): JsonMap {
    const all = [...this.#named.values()].map(({ name, schema }) => [name, schema]);
    return all.length === 0 ? {} : { $defs: Object.fromEntries(all) as JsonMap };
  }

  convert(schema: unknown): JsonMap {
    if (!isJsonMap(schema)) return schema === false ? { not: {} } : {};
    const reference = schema['$ref'];
    if (typeof reference === 'string') {
      const { description } = schema;
      return {
        ...(typeof description === 'string' ? { description } : {}),
        $ref: `#/$defs/${this.#nameOf(reference)}`,
      };
    }
    const { exclusiveMinimum, exclusiveMaximum } = schema;
    // OpenAPI 3.0 writes a boolean next to the bound.
    const replaced: ReadonlySet<string> = new Set([
      ...(typeof exclusiveMinimum === 'boolean' ? ['exclusiveMinimum'] : []),
      ...(typeof exclusiveMaximum === 'boolean' ? ['exclusiveMaximum'] : []),
    ]);
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (ofOpenApi.has(keyword) || keyword.startsWith('x-') || replaced.has(keyword)) return [];
      if (keyword === 'minimum' && exclusiveMinimum === true) return [['exclusiveMinimum', value]];
      if (keyword === 'maximum' && exclusiveMaximum === true) return [['exclusiveMaximum', value]];
      return [[keyword, this.#keyword(keyword, value, schema)]];
    });
    const converted = Object.fromEntries(entries) as JsonMap;
    return schema['nullable'] === true ? orNull(converted) : converted;
  }

  #keyword(keyword: string, value: unknown, schema: JsonMap): unknown {
    if (keyword === 'properties' && isJsonMap(value)) return this.#properties(value);
    if (keyword === 'required' && Array.isArray(value)) {
      const { properties } = schema;
      return value.filter((name) => !isJsonMap(properties) || !this.#isHidden(properties[String(name)]));
    }
    const content = Object.hasOwn(inside.schema, keyword) ? inside.schema[keyword] : undefined;
    if (content === undefined || typeof value === 'boolean') return value;
    if (typeof content === 'string') return this.convert(value);
    if (Array.isArray(value)) return value.map((one) => this.convert(one));
    return isJsonMap(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.convert(one)]))
      : value;
  }

  #properties(properties: JsonMap): JsonMap {
    const entries = Object.entries(properties).filter(([, schema]) => !this.#isHidden(schema));
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.convert(schema)]));
  }

  /** Whether requests or responses do not have the property. */
  #isHidden(schema: unknown): boolean {
    const { readOnly, writeOnly } = resolved(this.description, schema);
    return (this.direction === 'request' ? readOnly : writeOnly) === true;
  }

  #nameOf(reference: string): string {
    const known = this.#named.get(reference);
    if (known !== undefined) return known.name;
    const last =
      reference.slice(reference.lastIndexOf('/') + 1).replaceAll(/[^A-Za-z0-9_-]+/g, '_') || 'schema';
    const taken = new Set([...this.#named.values()].map(({ name }) => name));
    let name = last;
    for (let count = 2; taken.has(name); count += 1) name = `${last}${count}`;
    const entry: { readonly name: string; schema: JsonMap } = { name, schema: {} };
    this.#named.set(reference, entry);
    entry.schema = this.convert(partAt(this.description, reference));
    return name;
  }
}

/** The schema, which also allows null. */
function orNull(schema: JsonMap): JsonMap {
  const { type, enum: listed } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(listed) && !listed.includes(null) ? { enum: [...(listed as unknown[]), null] } : {}),
  };
}
