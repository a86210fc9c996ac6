/** Values that a schema of the API description accepts, as far as that can be made up. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { isNullable } from './described/described-shape.js';

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000001',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'AAE=',
  duration: 'PT1H',
};

/** How deep objects are filled in. */
const deepest = 6;

/**
 * `returned` by a service: required fields alone; `sent` by a client: all fields, as far as values can be made up, without those that
 * it only reads.
 */
export type ExampleKind = 'returned' | 'sent';

/** Undefined where no value could be made up for certain. */
export function exampleValue(schema: ApiSchema, kind: ExampleKind = 'returned', depth = 0): unknown {
  if (schema.not !== undefined) return undefined;
  if (schema.enum !== undefined) return schema.enum[0];
  const { bounds } = schema;
  // Deeper objects have only what they must have: models may refer to themselves.
  const isFull = kind === 'sent' && depth <= 1;
  // A value of one alternative may be one of another too.
  if (kind === 'sent' && schema.oneOf.length > 1) return undefined;
  const [alternative] = [...schema.oneOf, ...schema.anyOf];
  if (alternative !== undefined)
    return depth > deepest ? undefined : exampleValue(alternative, kind, depth + 1);
  const parts = [schema, ...schema.allOf];
  const type = parts.flatMap(({ types }) => types ?? []).find((one) => one !== 'null');
  const number = (name: string): number | undefined => {
    const value = bounds.get(name);
    return typeof value === 'number' ? value : undefined;
  };
  switch (type) {
    case 'string': {
      const length = Math.max(number('minLength') ?? 0, 0);
      const max = number('maxLength') ?? Infinity;
      const text = texts[schema.format ?? ''] ?? 'text';
      if (bounds.has('pattern')) return undefined;
      return text.length > max ? text.slice(0, max) : text.padEnd(length, 'x');
    }
    case 'integer':
    case 'number': {
      const min = number('minimum') ?? number('exclusiveMinimum');
      const max = number('maximum') ?? number('exclusiveMaximum');
      if (bounds.has('multipleOf')) return (min ?? 0) > 0 || (max ?? 0) < 0 ? undefined : 0;
      // Not a number that a sequence begins with.
      if (isFull && (min ?? 0) < 7 && (max ?? 8) > 7) return 7;
      return min === undefined ? Math.min(1, (max ?? 2) - 1) : min < 1 && (max ?? 2) > 1 ? 1 : min + 1;
    }
    case 'boolean':
      return isFull;
    case 'array': {
      const count = number('minItems') ?? 0;
      const item = schema.items && depth < deepest ? exampleValue(schema.items, kind, depth + 1) : undefined;
      if (count > 0 && (item === undefined || bounds.get('uniqueItems') === true)) return undefined;
      const wished = isFull && item !== undefined && number('maxItems') !== 0 ? 1 : 0;
      return Array.from({ length: Math.max(count, wished) }, () => item);
    }
    case 'object':
    case undefined: {
      if (type === undefined && parts.every(({ properties }) => properties.size === 0)) {
        return isNullable(schema) ? null : {};
      }
      const all = flat(schema);
      const required = all.flatMap((part) => part.required);
      const optional = isFull ? all.flatMap(({ properties }) => [...properties.keys()]) : [];
      const made: [string, unknown][] = [];
      for (const name of new Set([...required, ...optional])) {
        const property = all.find(({ properties }) => properties.has(name))?.properties.get(name);
        if ((kind === 'sent' ? property?.readOnly : property?.writeOnly) === true) continue;
        const value =
          property === undefined || depth > deepest ? undefined : exampleValue(property, kind, depth + 1);
        if (value !== undefined) made.push([name, value]);
        else if (required.includes(name)) return isNullable(schema) ? null : undefined;
      }
      return Object.fromEntries(made);
    }
  }
}

/** The schema and the parts of its `allOf`, however deep. */
function flat(schema: ApiSchema, seen = new Set<ApiSchema>()): readonly ApiSchema[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  return [schema, ...schema.allOf.flatMap((part) => flat(part, seen))];
}
