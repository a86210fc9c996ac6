/** Generates validators from the schemas of the API description. */
import {
  array,
  arrow,
  call,
  constant,
  field,
  fieldOf,
  json,
  literal,
  name,
  nothing,
  object,
  tallObject,
  type Code,
  type Declaration,
  type Field,
} from '../../code/code.js';
import { checkedFormat, type ApiSchema } from '../../plan/model.js';
import { partsOf, type ModelPlan } from '../../plan/api-plan.js';
import type { ValidatorSymbol } from '../../plan/names/validator-symbols.js';
import type { Module } from '../module/module.js';
import { kindsOf, numberBounds, type Kind } from './validator-bounds.js';

export class ValidatorEmitter {
  readonly #identifiers: ReadonlyMap<ApiSchema, string>;
  /** Models already declared, so that later code can refer to them by name. */
  readonly #declared = new Set<ApiSchema>();
  #declaring: ApiSchema | undefined;

  constructor(
    private readonly module: Module,
    models: readonly ModelPlan[],
  ) {
    this.#identifiers = new Map(models.map(({ schema, identifier }) => [schema, identifier]));
  }

  /** The validator of a model, which later code can refer to by name. */
  #declaration(schema: ApiSchema): Code {
    this.#declaring = schema;
    const code = this.#inline(schema);
    this.#declaring = undefined;
    this.#declared.add(schema);
    return code;
  }

  /** The constant that holds a model's validator. */
  constant({ identifier, schema }: ModelPlan): Declaration {
    const type = this.#refersToItself(schema) ? this.module.validator('Schema', true) : undefined;
    return constant(name(identifier), this.#declaration(schema), type);
  }

  /** TypeScript cannot infer the type of a constant that refers to itself. */
  #refersToItself(model: ApiSchema): boolean {
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

  /** The validator of a schema: models by name, everything else inline. */
  schema(schema: ApiSchema): Code {
    const identifier = this.#identifiers.get(schema);
    if (identifier === undefined) return this.#inline(schema);
    const model = name(identifier);
    if (this.#declared.has(schema) && schema !== this.#declaring) return model;
    return this.call('lazy', arrow([], model));
  }

  call(symbol: ValidatorSymbol, ...args: readonly Code[]): Code {
    return call(this.module.validator(symbol), ...args);
  }

  #inline(schema: ApiSchema): Code {
    const { allOf, anyOf, oneOf, not, discriminator } = schema;
    const own = this.#own(schema);
    const readOnly = readOnlyNames(schema);
    const parts = [
      ...(own === undefined ? [] : [own]),
      ...allOf.map((part) => this.#part(part, readOnly)),
      ...(anyOf.length === 0 ? [] : [this.#alternatives('anyOf', anyOf, discriminator)]),
      ...(oneOf.length === 0 ? [] : [this.#alternatives('oneOf', oneOf, discriminator)]),
      ...(not === undefined ? [] : [this.call('not', this.schema(not))]),
    ];
    const [first, ...others] = parts;
    const code =
      first === undefined ? this.call('any') : others.length === 0 ? first : this.call('allOf', ...parts);
    // A nullable schema without other constraints contains `null` directly.
    const isWrapped =
      schema.nullable === true && (parts.length > 1 || own === undefined) && first !== undefined;
    return isWrapped ? this.call('nullable', code) : code;
  }

  /** A part of `allOf`. If it requires a property that another part declares read-only, it is inlined without that requirement. */
  #part(schema: ApiSchema, readOnly: ReadonlySet<string>): Code {
    const own = readOnlyNames(schema);
    const required = schema.required.filter((name) => own.has(name) || !readOnly.has(name));
    if (required.length === schema.required.length) return this.schema(schema);
    return this.#inline({ ...schema, required });
  }

  #alternatives(
    symbol: 'anyOf' | 'oneOf',
    schemas: readonly ApiSchema[],
    discriminator: ApiSchema['discriminator'],
  ): Code {
    if (discriminator?.keyword === symbol) {
      const { property, alternatives, allowsNull } = discriminator;
      const fields = [...alternatives].map(([word, schema]) => field(word, this.schema(schema)));
      const code = this.call('discriminated', literal(property), tallObject(fields));
      return allowsNull ? this.call('nullable', code) : code;
    }
    const [first] = schemas;
    if (first !== undefined && schemas.length === 1) return this.schema(first);
    return this.call(symbol, ...schemas.map((schema) => this.schema(schema)));
  }

  /** Constraints of the schema itself; undefined if there are none. */
  #own(schema: ApiSchema): Code | undefined {
    const { types } = schema;
    if (schema.enum !== undefined) return this.#enum(schema);
    if (types === undefined) return this.#byKind(schema);
    const kinds = types.filter((type) => type !== 'null');
    const [kind, ...others] = kinds;
    if (kind === undefined) return this.call('enumOf', nothing);
    const code =
      others.length === 0
        ? this.#kind(kind, schema)
        : this.call('anyOf', ...kinds.map((one) => this.#kind(one, schema)));
    return types.includes('null') ? this.call('nullable', code) : code;
  }

  /** The enum values of the declared types, with the schema's other constraints. */
  #enum(schema: ApiSchema): Code {
    const { types, nullable } = schema;
    const allowed = (schema.enum ?? []).filter(
      (value) => types === undefined || types.some((type) => isOf(value, type)),
    );
    const listed = nullable === true && !allowed.includes(null) ? [...allowed, null] : allowed;
    const values = this.call('enumOf', ...listed.map(json));
    const rest = this.#byKind({ ...schema, types: undefined });
    return rest === undefined ? values : this.call('allOf', values, rest);
  }

  /** Without a type, each keyword constrains only values of its own kind. */
  #byKind(schema: ApiSchema): Code | undefined {
    const kinds = kindsOf(schema).map((kind) => field(kind, this.#kind(kind, schema)));
    return kinds.length === 0 ? undefined : this.call('byKind', object(kinds));
  }

  #kind(kind: Kind | 'integer' | 'boolean', schema: ApiSchema): Code {
    switch (kind) {
      case 'boolean':
        return this.call('boolean');
      case 'integer':
      case 'number':
        return this.call(kind, ...optionsOf(numberBounds(schema, kind)));
      case 'string':
        return this.call('string', ...optionsOf(this.#textBounds(schema)));
      case 'array':
        return this.#list(schema);
      case 'object':
        return this.#object(schema);
    }
  }

  #textBounds({ bounds, format }: ApiSchema): Field[] {
    const known = checkedFormat(format);
    return [
      ...boundsIn(bounds, ['minLength', 'maxLength']),
      ...boundsIn(bounds, ['pattern']).map(({ key, value }) =>
        field(key, this.call('compilePattern', value)),
      ),
      ...fieldOf('format', known === undefined ? undefined : literal(known)),
    ];
  }

  #list({ items, prefixItems, bounds }: ApiSchema): Code {
    const options = [
      ...boundsIn(bounds, ['minItems', 'maxItems', 'uniqueItems']),
      ...fieldOf('prefixItems', prefixItems && array(prefixItems.map((item) => this.schema(item)))),
    ];
    return this.call(
      'array',
      items === undefined ? this.call('any') : this.schema(items),
      ...optionsOf(options),
    );
  }

  #object(schema: ApiSchema): Code {
    const { properties, required, additionalProperties, patternProperties, bounds } = schema;
    const fields = [...properties].map(([key, property]) => {
      const code = this.schema(property);
      const isRequired = required.includes(key) && !readOnlyNames(schema).has(key);
      return field(key, isRequired ? this.call('required', code) : code);
    });
    const readOnly = readOnlyNames(schema);
    const named = required.filter((key) => !properties.has(key) && !readOnly.has(key));
    const options = [
      ...fieldOf('required', named.length === 0 ? undefined : json(named)),
      ...fieldOf('patternProperties', patternProperties && this.#patterns(patternProperties)),
      ...fieldOf(
        'additionalProperties',
        additionalProperties === false
          ? literal(false)
          : additionalProperties && this.schema(additionalProperties),
      ),
      ...boundsIn(bounds, ['minProperties', 'maxProperties']),
    ];
    return this.call('object', tallObject(fields), ...optionsOf(options));
  }

  #patterns(patterns: ReadonlyMap<string, ApiSchema>): Code {
    const fields = [...patterns].map(([pattern, schema]) => field(pattern, this.schema(schema)));
    return this.call('compilePatterns', tallObject(fields));
  }
}

function optionsOf(options: readonly Field[]): Code[] {
  return options.length === 0 ? [] : [object(options)];
}

function boundsIn(bounds: ApiSchema['bounds'], keys: readonly string[]): readonly Field[] {
  return keys.flatMap((key) => {
    const bound = bounds.get(key);
    // `uniqueItems: false` has no effect.
    return bound === undefined || bound === false ? [] : [field(key, json(bound))];
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

/** Whether the value is an integer, as a string of digits, that does not fit a double. */
function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d+$/.test(value) && BigInt(Number(value)) !== BigInt(value);
}

/** Properties declared read-only by a schema or by a part of its `allOf`: optional in requests. */
function readOnlyNames(schema: ApiSchema, seen = new Set<ApiSchema>()): ReadonlySet<string> {
  if (seen.has(schema)) return new Set();
  seen.add(schema);
  const own = [...schema.properties]
    .filter(([, property]) => property.readOnly === true)
    .map(([name]) => name);
  return new Set([...own, ...schema.allOf.flatMap((part) => [...readOnlyNames(part, seen)])]);
}
