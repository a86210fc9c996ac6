/** Generates values that a schema of the API description accepts, as far as possible. */
import type { ApiSchema, Discriminator } from '../../read/openapi/api-model.js';
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

/** Max depth of generated objects. */
const deepest = 6;

/**
 * `returned` by a service: only required fields; `sent` by a client: all fields for which values can be generated, except read-only ones.
 */
export type ExampleKind = 'returned' | 'sent';

/** Undefined if no value is certain to be valid. */
export function exampleValue(schema: ApiSchema, kind: ExampleKind = 'returned', depth = 0): unknown {
  const parts = flat(schema);
  if (parts.some(({ not }) => not !== undefined)) return undefined;
  const values = parts.find((part) => part.enum !== undefined)?.enum;
  if (values !== undefined) return values[0];
  // Deeper objects have only required properties, because models can refer to themselves.
  const isFull = kind === 'sent' && depth <= 1;
  if (schema.discriminator !== undefined) return exampleOfAlternative(schema.discriminator, kind, depth);
  // The value of one alternative may also be valid for another.
  if (kind === 'sent' && schema.oneOf.length > 1) return undefined;
  const [alternative] = [...schema.oneOf, ...schema.anyOf];
  if (alternative !== undefined)
    return depth > deepest ? undefined : exampleValue(alternative, kind, depth + 1);
  const type = parts.flatMap(({ types }) => types ?? []).find((one) => one !== 'null');
  switch (type) {
    case 'string':
      return exampleText(parts);
    case 'integer':
    case 'number':
      return exampleNumber(parts, isFull);
    case 'boolean':
      return isFull;
    case 'array': {
      const items = parts.find((part) => part.items !== undefined)?.items;
      const isPlain = items !== undefined && parts.every(({ prefixItems }) => prefixItems === undefined);
      const item = isPlain && depth < deepest ? exampleValue(items, kind, depth + 1) : undefined;
      const [least, most] = [largest(parts, 'minItems', 0), smallest(parts, 'maxItems')];
      const length = Math.max(least, isFull && item !== undefined && most > 0 ? 1 : 0);
      const isUnique = parts.some(({ bounds }) => bounds.get('uniqueItems') === true);
      if (length > most || (length > 0 && item === undefined) || (length > 1 && isUnique)) return undefined;
      return Array.from({ length }, () => item);
    }
    case 'object':
    case undefined: {
      if (type === undefined && parts.every(({ properties }) => properties.size === 0)) {
        return isNullable(schema) ? null : {};
      }
      return exampleObject(parts, kind, depth) ?? (isNullable(schema) ? null : undefined);
    }
  }
}

function exampleOfAlternative(
  { property, alternatives }: Discriminator,
  kind: ExampleKind,
  depth: number,
): unknown {
  const [[word, schema] = []] = alternatives;
  const made = schema === undefined || depth > deepest ? undefined : exampleValue(schema, kind, depth + 1);
  return typeof made === 'object' && made !== null ? { ...made, [property]: word } : undefined;
}

function exampleObject(
  parts: readonly ApiSchema[],
  kind: ExampleKind,
  depth: number,
): Readonly<Record<string, unknown>> | undefined {
  const isFull = kind === 'sent' && depth <= 1;
  const required = parts.flatMap((part) => part.required);
  const optional = isFull ? parts.flatMap(({ properties }) => [...properties.keys()]) : [];
  const made: [string, unknown][] = [];
  for (const name of new Set([...required, ...optional])) {
    const property = parts.find(({ properties }) => properties.has(name))?.properties.get(name);
    if ((kind === 'sent' ? property?.readOnly : property?.writeOnly) === true) continue;
    const value =
      property === undefined || depth > deepest ? undefined : exampleValue(property, kind, depth + 1);
    if (value !== undefined) made.push([name, value]);
    else if (required.includes(name)) return undefined;
  }
  const fits =
    made.length >= largest(parts, 'minProperties', 0) && made.length <= smallest(parts, 'maxProperties');
  return fits ? Object.fromEntries(made) : undefined;
}

function exampleText(parts: readonly ApiSchema[]): string | undefined {
  if (parts.some(({ bounds }) => bounds.has('pattern'))) return undefined;
  const format = parts.find((part) => part.format !== undefined)?.format ?? '';
  const [least, most] = [largest(parts, 'minLength', 0), smallest(parts, 'maxLength')];
  const text = texts[format] ?? 'text'.slice(0, most).padEnd(least, 'x');
  return text.length < least || text.length > most ? undefined : text;
}

function exampleNumber(parts: readonly ApiSchema[], isFull: boolean): number | undefined {
  const low = Math.max(largest(parts, 'minimum', -Infinity), largest(parts, 'exclusiveMinimum', -Infinity));
  const high = Math.min(smallest(parts, 'maximum'), smallest(parts, 'exclusiveMaximum'));
  const step = largest(parts, 'multipleOf', 1);
  const [first, last] = [Math.ceil(low / step) * step, Math.floor(high / step) * step];
  // Tries 7 first, because sequences do not start with it.
  const wished = [...(isFull ? [7] : []), 1, 0, first, first + step, last, last - step, (low + high) / 2];
  return wished.find((value) => Number.isFinite(value) && parts.every((part) => isNumberOf(value, part)));
}

function isNumberOf(value: number, { bounds, types }: ApiSchema): boolean {
  const bound = (name: string): number | undefined => {
    const found = bounds.get(name);
    return found === undefined || typeof found === 'boolean' ? undefined : Number(found);
  };
  const isExclusive = (name: string): boolean => bounds.get(name) === true;
  const [min, max, step] = [bound('minimum'), bound('maximum'), bound('multipleOf')];
  const isWhole = types?.includes('integer') === true && !types.includes('number');
  return (
    (!isWhole || Number.isInteger(value)) &&
    // With doubles, it is uncertain whether a fraction is a multiple.
    (step === undefined || value === 0 || (Number.isInteger(step) && value % step === 0)) &&
    (min === undefined || (isExclusive('exclusiveMinimum') ? value > min : value >= min)) &&
    (max === undefined || (isExclusive('exclusiveMaximum') ? value < max : value <= max)) &&
    value > (bound('exclusiveMinimum') ?? -Infinity) &&
    value < (bound('exclusiveMaximum') ?? Infinity)
  );
}

function largest(parts: readonly ApiSchema[], bound: string, least: number): number {
  return Math.max(least, ...boundsOf(parts, bound));
}

function smallest(parts: readonly ApiSchema[], bound: string): number {
  return Math.min(...boundsOf(parts, bound));
}

function boundsOf(parts: readonly ApiSchema[], bound: string): number[] {
  return parts.map(({ bounds }) => bounds.get(bound)).filter((one) => typeof one === 'number');
}

/** The schema and the parts of its `allOf`, at any depth. */
function flat(schema: ApiSchema, seen = new Set<ApiSchema>()): readonly ApiSchema[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  return [schema, ...schema.allOf.flatMap((part) => flat(part, seen))];
}
