/** Random schemas and values that nearly match them; the same seed gives the same ones. */
import type { Json } from '../../../runtime/handler/json.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** mulberry32: numbers from 0 to 1. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// ajv ignores properties named `__proto__`, and compares objects with a property named `constructor` wrongly.
const names = ['a', 'b', 'c', 'x-y', 'length'];
const texts = ['', 'a', 'ab', 'abc', '😀', '😀b', '12', '2026-01-31', '2026-02-30', '2026-01-31T10:00:00Z'];
const moreTexts = [
  '127.0.0.1',
  '256.0.0.1',
  'b3a1b1f0-0000-4000-8000-000000000000',
  'a@b.c',
  '::1',
  'http://a',
];
const formats = ['date', 'date-time', 'uuid', 'ipv4', 'ipv6', 'unknown'];
const patterns = ['^a', 'b$', '^[a-z]*$', '\\d', '^.{1,2}$'];

export class RandomSchemas {
  constructor(private readonly random: () => number) {}

  /** A schema that can refer to `models` other schemas; in-place references are only made to schemas before `index`. */
  schema(index: number, models: number, depth = 3, inPlace = true): JsonSchema | boolean {
    const chance = this.random();
    if (chance < 0.02) return this.random() < 0.8;
    const reach = inPlace ? index : models;
    if (chance < 0.12 && reach > 0) return { $ref: `#/components/schemas/M${this.#below(reach)}` };
    const own = this.#own(index, models, depth);
    if (depth <= 0 || this.random() < 0.7) return own;
    const parts = (): unknown[] =>
      Array.from({ length: 1 + this.#below(3) }, () => this.schema(index, models, depth - 1, inPlace));
    const combined: Record<string, unknown> = this.random() < 0.5 ? { ...(own as object) } : {};
    combined[this.#one(['allOf', 'anyOf', 'oneOf'])] = parts();
    if (this.random() < 0.2) combined.not = this.schema(index, models, depth - 1, inPlace);
    return combined;
  }

  #own(index: number, models: number, depth: number): JsonSchema {
    const inner = (): unknown => this.schema(index, models, depth - 1, false);
    const schema: Record<string, unknown> = {};
    const maybe = (share: number, keyword: string, value: () => unknown): void => {
      if (this.random() < share) schema[keyword] = value();
    };
    const kinds = [
      'string',
      'number',
      'integer',
      'boolean',
      'null',
      ...(depth > 0 ? ['array', 'object'] : []),
    ];
    const types = [this.#one([...kinds, 'object', 'array'])];
    if (this.random() < 0.2) types.push(this.#one(kinds.filter((kind) => kind !== types[0])));
    if (this.random() < 0.85) schema.type = types.length === 1 ? types[0] : types;
    maybe(0.1, 'enum', () => Array.from({ length: 1 + this.#below(3) }, () => this.value(1)));
    maybe(0.04, 'const', () => this.value(1));
    const speaks = (kind: string): boolean => types.includes(kind) || this.random() < 0.05;
    if (speaks('string')) {
      maybe(0.2, 'minLength', () => this.#below(3));
      maybe(0.2, 'maxLength', () => this.#below(4));
      maybe(0.15, 'pattern', () => this.#one(patterns));
      maybe(0.2, 'format', () => this.#one(formats));
    }
    if (speaks('number') || speaks('integer')) {
      maybe(0.2, 'minimum', () => this.#below(5) - 2);
      maybe(0.2, 'maximum', () => this.#below(5));
      maybe(0.1, 'exclusiveMinimum', () => this.#below(3) - 0.5);
      maybe(0.1, 'exclusiveMaximum', () => this.#below(4));
      maybe(0.1, 'multipleOf', () => 1 + this.#below(3));
    }
    if (schema.type === 'integer') maybe(0.2, 'format', () => 'int32');
    if (speaks('array')) {
      maybe(0.7, 'items', inner);
      maybe(0.15, 'prefixItems', () => [inner()]);
      maybe(0.2, 'minItems', () => this.#below(3));
      maybe(0.2, 'maxItems', () => this.#below(4));
      maybe(0.2, 'uniqueItems', () => true);
    }
    if (speaks('object')) {
      const properties = names.filter(() => this.random() < 0.4).map((name) => [name, inner()]);
      if (properties.length > 0) schema.properties = Object.fromEntries(properties) as object;
      maybe(0.4, 'required', () => names.filter(() => this.random() < 0.25));
      maybe(0.3, 'additionalProperties', () => (this.random() < 0.5 ? false : inner()));
      maybe(0.1, 'patternProperties', () => ({ '^[ab]': inner() }));
      maybe(0.1, 'minProperties', () => this.#below(3));
      maybe(0.1, 'maxProperties', () => this.#below(4));
    }
    return schema;
  }

  /** Any value. */
  value(depth: number): Json {
    const kind = this.#below(depth > 0 ? 8 : 5);
    if (kind === 0) return null;
    if (kind === 1) return this.random() < 0.5;
    if (kind === 2) return this.#below(7) - 2;
    if (kind === 3) return this.#one([0.5, -1.5, 2.25, -0]);
    if (kind === 4) return this.#one(this.random() < 0.6 ? texts : moreTexts);
    if (kind === 5) return Array.from({ length: this.#below(4) }, () => this.value(depth - 1));
    const entries = names.filter(() => this.random() < 0.4).map((name) => [name, this.value(depth - 1)]);
    return Object.fromEntries(entries) as Json;
  }

  /** A value that often matches the schema. */
  near(schema: unknown, resolve: (reference: string) => unknown, depth = 5): Json {
    if (typeof schema !== 'object' || schema === null || depth <= 0 || this.random() < 0.08)
      return this.value(2);
    const { $ref, type, properties, items, required, allOf, anyOf, oneOf } = schema as Record<
      string,
      unknown
    >;
    if (typeof $ref === 'string') return this.near(resolve($ref), resolve, depth - 1);
    const listed = (schema as { enum?: Json[] }).enum;
    if (listed !== undefined && listed.length > 0) return this.#one(listed);
    const parts = [allOf, anyOf, oneOf].find((list) => Array.isArray(list)) as unknown[] | undefined;
    if (parts !== undefined && this.random() < 0.6) return this.near(this.#one(parts), resolve, depth - 1);
    const kind = Array.isArray(type) ? (this.#one(type) as unknown) : type;
    switch (kind) {
      case 'string':
        return this.#one(this.random() < 0.6 ? texts : moreTexts);
      case 'integer':
        return this.#below(7) - 2;
      case 'number':
        return this.#one([0, 1, 2, 0.5, -1.5]);
      case 'boolean':
        return this.random() < 0.5;
      case 'null':
        return null;
      case 'array':
        return Array.from({ length: this.#below(4) }, () => this.near(items, resolve, depth - 1));
      case 'object': {
        const known = (properties ?? {}) as Record<string, unknown>;
        const needed = Array.isArray(required) ? (required as string[]) : [];
        const chosen = names.filter(
          (name) =>
            needed.includes(name) || (Object.hasOwn(known, name) ? this.random() < 0.6 : this.random() < 0.1),
        );
        const entries = chosen.map((name) => [
          name,
          this.near(Object.hasOwn(known, name) ? known[name] : true, resolve, depth - 1),
        ]);
        return Object.fromEntries(entries) as Json;
      }
      default:
        return this.value(2);
    }
  }

  #below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  #one<Value>(list: readonly Value[]): Value {
    const value = list[this.#below(list.length)];
    if (value === undefined) throw new Error('nothing to choose from');
    return value;
  }
}
