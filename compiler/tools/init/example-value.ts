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

/** Required fields alone; undefined where no value could be made up for certain. `isSent`: by a client, without what it only reads. */
export function exampleValue(schema: ApiSchema, isSent = false, depth = 0): unknown {
  if (schema.not !== undefined) return undefined;
  if (schema.enum !== undefined) return schema.enum[0];
  const { bounds } = schema;
  const [alternative] = [...schema.oneOf, ...schema.anyOf];
  if (alternative !== undefined)
    return depth > deepest ? undefined : exampleValue(alternative, isSent, depth + 1);
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
      if (bounds.has('multipleOf')) return 0;
      return min === undefined ? Math.min(1, (max ?? 2) - 1) : min < 1 && (max ?? 2) > 1 ? 1 : min + 1;
    }
    case 'boolean':
      return false;
    case 'array': {
      const count = number('minItems') ?? 0;
      const item =
        schema.items && depth < deepest ? exampleValue(schema.items, isSent, depth + 1) : undefined;
      if (count > 0 && (item === undefined || bounds.get('uniqueItems') === true)) return undefined;
      return Array.from({ length: count }, () => item);
    }
    case 'object':
    case undefined: {
      if (type === undefined && parts.every(({ properties }) => properties.size === 0)) {
        return isNullable(schema) ? null : {};
      }
      const made: [string, unknown][] = [];
      for (const part of flat(schema)) {
        for (const name of part.required) {
          const property = flat(schema)
            .find(({ properties }) => properties.has(name))
            ?.properties.get(name);
          if (isSent && property?.readOnly === true) continue;
          const value =
            property === undefined || depth > deepest ? undefined : exampleValue(property, isSent, depth + 1);
          if (value === undefined) return isNullable(schema) ? null : undefined;
          made.push([name, value]);
        }
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
