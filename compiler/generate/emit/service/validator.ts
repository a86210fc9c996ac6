/** Schemas of the API description as code that checks values. */
import type { ApiSchema } from '../../plan/model.js';
import { partsOf, type ModelPlan } from '../../plan/api-plan.js';
import type { ValidatorSymbol } from '../../plan/names/validator-symbols.js';
import {
  isPropertyName,
  jsonLiteral,
  propertyKey,
  stringLiteral,
} from '../../../notation/typescript-writer.js';
import type { Module } from '../module/module.js';
import { checkedFormat, kindsOf, numberBounds, type Kind } from './validator-bounds.js';

export class ValidatorEmitter {
  readonly #identifiers: ReadonlyMap<ApiSchema, string>;
  /** Models whose code is above. */
  readonly #declared = new Set<ApiSchema>();
  #declaring: ApiSchema | undefined;

  constructor(
    private readonly module: Module,
    models: readonly ModelPlan[],
  ) {
    this.#identifiers = new Map(models.map(({ schema, identifier }) => [schema, identifier]));
  }

  /** The code of a model, which from now on others can name. */
  declaration(schema: ApiSchema): string {
    this.#declaring = schema;
    const code = this.#inline(schema);
    this.#declaring = undefined;
    this.#declared.add(schema);
    return code;
  }

  /** TypeScript cannot infer the type of a constant that refers to itself. */
  refersToItself(model: ApiSchema): boolean {
    const seen = new Set<ApiSchema>();
    const visit = (schema: ApiSchema): boolean =>
      partsOf(schema).some((part) => {
        if (part === model) return true;
        if (seen.has(part)) return false;
        seen.add(part);
        return visit(part);
      });
    return visit(model);
  }

  get schemaType(): string {
    return this.module.validator('Schema', true);
  }

  /** The code of a schema: a model by its name, everything else written out. */
  schema(schema: ApiSchema): string {
    const identifier = this.#identifiers.get(schema);
    if (identifier === undefined) return this.#inline(schema);
    if (this.#declared.has(schema) && schema !== this.#declaring) return identifier;
    return this.call('lazy', `() => ${identifier}`);
  }

  call(symbol: ValidatorSymbol, ...args: readonly string[]): string {
    this.module.validator(symbol);
    return `${symbol}(${args.filter((arg) => arg !== '').join(', ')})`;
  }

  #inline(schema: ApiSchema): string {
    const { allOf, anyOf, oneOf, not } = schema;
    const own = this.#own(schema);
    const readOnly = readOnlyNames(schema);
    const parts = [
      ...(own === undefined ? [] : [own]),
      ...allOf.map((part) => this.#part(part, readOnly)),
      ...(anyOf.length === 0 ? [] : [this.#alternatives('anyOf', anyOf)]),
      ...(oneOf.length === 0 ? [] : [this.#alternatives('oneOf', oneOf)]),
      ...(not === undefined ? [] : [this.call('not', this.schema(not))]),
    ];
    const [first, ...others] = parts;
    const code =
      first === undefined ? this.call('any') : others.length === 0 ? first : this.call('allOf', ...parts);
    // A nullable schema has `null` written directly, if it has no other constraint.
    const isWrapped =
      schema.nullable === true && (parts.length > 1 || own === undefined) && first !== undefined;
    return isWrapped ? this.call('nullable', code) : code;
  }

  /** A part of `allOf`, which may require what another part declares read-only: then it is written out, without that. */
  #part(schema: ApiSchema, readOnly: ReadonlySet<string>): string {
    const own = readOnlyNames(schema);
    const required = schema.required.filter((name) => own.has(name) || !readOnly.has(name));
    if (required.length === schema.required.length) return this.schema(schema);
    return this.#inline({ ...schema, required });
  }

  #alternatives(symbol: 'anyOf' | 'oneOf', schemas: readonly ApiSchema[]): string {
    const [first] = schemas;
    if (first !== undefined && schemas.length === 1) return this.schema(first);
    return this.call(symbol, ...schemas.map((schema) => this.schema(schema)));
  }

  /** The requirements of the schema itself; undefined if there are none. */
  #own(schema: ApiSchema): string | undefined {
    const { types } = schema;
    if (schema.enum !== undefined) return this.#enum(schema);
    if (types === undefined) return this.#byKind(schema);
    const kinds = types.filter((type) => type !== 'null');
    const [kind, ...others] = kinds;
    if (kind === undefined) return this.call('enumOf', 'null');
    const code =
      others.length === 0
        ? this.#kind(kind, schema)
        : this.call('anyOf', ...kinds.map((one) => this.#kind(one, schema)));
    return types.includes('null') ? this.call('nullable', code) : code;
  }

  /** The values of the declared types, with their other constraints. */
  #enum(schema: ApiSchema): string {
    const { types, nullable } = schema;
    const allowed = (schema.enum ?? []).filter(
      (value) => types === undefined || types.some((type) => isOf(value, type)),
    );
    const listed = nullable === true && !allowed.includes(null) ? [...allowed, null] : allowed;
    const values = this.call('enumOf', ...listed.map(jsonLiteral));
    const rest = this.#byKind({ ...schema, types: undefined });
    return rest === undefined ? values : this.call('allOf', values, rest);
  }

  /** Without a type every keyword bounds the values of its own kind. */
  #byKind(schema: ApiSchema): string | undefined {
    const kinds = kindsOf(schema).map((kind) => `${kind}: ${this.#kind(kind, schema)}`);
    return kinds.length === 0 ? undefined : this.call('byKind', `{ ${kinds.join(', ')} }`);
  }

  #kind(kind: Kind | 'integer' | 'boolean', schema: ApiSchema): string {
    switch (kind) {
      case 'boolean':
        return this.call('boolean');
      case 'integer':
      case 'number':
        return this.call(kind, optionsOf(numberBounds(schema, kind)));
      case 'string':
        return this.call('string', optionsOf(this.#textBounds(schema)));
      case 'array':
        return this.#list(schema);
      case 'object':
        return this.#object(schema);
    }
  }

  #textBounds({ bounds, format }: ApiSchema): [string, string][] {
    const known = checkedFormat(format);
    return [
      ...boundsIn(bounds, ['minLength', 'maxLength']),
      ...boundsIn(bounds, ['pattern']).map(([name, pattern]): [string, string] => [
        name,
        this.call('compilePattern', pattern),
      ]),
      ...(known === undefined ? [] : [['format', stringLiteral(known)] satisfies [string, string]]),
    ];
  }

  #list({ items, prefixItems, bounds }: ApiSchema): string {
    const options = boundsIn(bounds, ['minItems', 'maxItems', 'uniqueItems']);
    if (prefixItems !== undefined)
      options.push(['prefixItems', `[${prefixItems.map((item) => this.schema(item)).join(', ')}]`]);
    return this.call(
      'array',
      items === undefined ? this.call('any') : this.schema(items),
      optionsOf(options),
    );
  }

  #object(schema: ApiSchema): string {
    const { properties, required, additionalProperties, patternProperties, bounds } = schema;
    const fields = [...properties].map(([name, property]) => {
      const code = this.schema(property);
      const isRequired = required.includes(name) && !readOnlyNames(schema).has(name);
      const value = isRequired ? this.call('required', code) : code;
      return value === name && isPropertyName(name) ? `${name},` : `${propertyKey(name)}: ${value},`;
    });
    const readOnly = readOnlyNames(schema);
    const named = required.filter((name) => !properties.has(name) && !readOnly.has(name));
    const options: [string, string][] = [
      ...(named.length === 0 ? [] : [['required', jsonLiteral(named)] satisfies [string, string]]),
      ...(patternProperties === undefined
        ? []
        : [['patternProperties', this.#patterns(patternProperties)] satisfies [string, string]]),
    ];
    if (additionalProperties === false) options.push(['additionalProperties', 'false']);
    else if (additionalProperties !== undefined)
      options.push(['additionalProperties', this.schema(additionalProperties)]);
    options.push(...boundsIn(bounds, ['minProperties', 'maxProperties']));
    return this.call('object', fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n}`, optionsOf(options));
  }

  #patterns(patterns: ReadonlyMap<string, ApiSchema>): string {
    const lines = [...patterns].map(
      ([pattern, schema]) => `${propertyKey(pattern)}: ${this.schema(schema)},`,
    );
    return this.call('compilePatterns', `{\n${lines.join('\n')}\n}`);
  }
}

function optionsOf(options: readonly [string, string][]): string {
  return options.length === 0 ? '' : `{ ${options.map(([name, code]) => `${name}: ${code}`).join(', ')} }`;
}

function boundsIn(bounds: ApiSchema['bounds'], names: readonly string[]): [string, string][] {
  return names.flatMap((name) => {
    const bound = bounds.get(name);
    // `uniqueItems: false` has no effect.
    return bound === undefined || bound === false
      ? []
      : [[name, jsonLiteral(bound)] satisfies [string, string]];
  });
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value) || isDigits(value);
  if (type === 'number') return typeof value === 'number' || isDigits(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** A number that a double cannot carry. */
function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d+$/.test(value) && BigInt(Number(value)) !== BigInt(value);
}

/** The properties that a schema, or a part of its `allOf`, declares read-only: they are optional in a request. */
function readOnlyNames(schema: ApiSchema, seen = new Set<ApiSchema>()): ReadonlySet<string> {
  if (seen.has(schema)) return new Set();
  seen.add(schema);
  const own = [...schema.properties]
    .filter(([, property]) => property.readOnly === true)
    .map(([name]) => name);
  return new Set([...own, ...schema.allOf.flatMap((part) => [...readOnlyNames(part, seen)])]);
}
