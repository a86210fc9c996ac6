/** Finds the places where a service can send other values than its description says: strings in place of numbers, and nulls. */
import type { Body } from '../../../analyze/mapping/body-parts.js';
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import { branchesOf, elementsOf, isNullable } from '../../../read/openapi/schema-part.js';
import type { Expression } from '../../../read/expression/ast.js';

export class SentValues {
  /** Schemas of numbers whose values are strings if a double cannot hold them. */
  readonly exact = new Set<ApiSchema>();
  readonly #nullable = new Map<ApiSchema, Set<string>>();

  /** Whether the property of an object can be null, although its schema excludes it. */
  canBeNull(schema: ApiSchema, property: string): boolean {
    return this.#nullable.get(schema)?.has(property) === true;
  }

  /** Compares the described schema of a body with that of the values that the service builds. */
  compare(described: ApiSchema, generated: ApiSchema | undefined): void {
    if (generated === undefined) return;
    for (const other of branchesOf(generated))
      for (const schema of branchesOf(described)) {
        if (isNumber(schema) && isNumber(other) && !hasType(schema, 'string') && hasType(other, 'string'))
          this.exact.add(schema);
        for (const [name, property] of other.properties) {
          const own = schema.properties.get(name);
          if (own === undefined) continue;
          if ((hasType(property, 'null') || isUnknown(property)) && !isNullable(own))
            this.#addNull(schema, name);
          this.compare(own, property);
        }
        for (const item of elementsOf(other)) for (const own of elementsOf(schema)) this.compare(own, item);
      }
  }

  /** Notes the nulls in a body that is built from mappings; `isNull` decides whether a value can be null. Returns whether the body can be. */
  addMapped(body: Body, described: ApiSchema, isNull: (value: Expression) => boolean): boolean {
    switch (body.kind) {
      case 'object':
        for (const { key, value } of body.fields)
          for (const schema of branchesOf(described)) {
            const property = schema.properties.get(key);
            if (property === undefined) continue;
            if (this.addMapped(value, property, isNull) && !isNullable(property)) this.#addNull(schema, key);
          }
        return false;
      case 'entries':
        if (body.take === 'first') {
          this.addMapped(body.item, described, isNull);
          return true;
        }
        for (const item of branchesOf(described).flatMap(elementsOf)) this.addMapped(body.item, item, isNull);
        return false;
      case 'row':
        this.addMapped(body.item, described, isNull);
        return body.row.isOptional;
      case 'single':
        for (const item of branchesOf(described).flatMap(elementsOf)) this.addMapped(body.item, item, isNull);
        return false;
      case 'column':
        return false;
      case 'value':
        return isNull(body.value);
    }
  }

  #addNull(schema: ApiSchema, property: string): void {
    const names = this.#nullable.get(schema) ?? new Set();
    this.#nullable.set(schema, names.add(property));
  }
}

/** Whether the compiler does not know the value, which can then be null. */
function isUnknown({ types, enum: listed, properties, allOf, anyOf, oneOf }: ApiSchema): boolean {
  return (
    types === undefined &&
    listed === undefined &&
    properties.size + allOf.length + anyOf.length + oneOf.length === 0
  );
}

function isNumber(schema: ApiSchema): boolean {
  return hasType(schema, 'integer') || hasType(schema, 'number');
}

function hasType({ types = [] }: ApiSchema, type: NonNullable<ApiSchema['types']>[number]): boolean {
  return types.includes(type);
}
