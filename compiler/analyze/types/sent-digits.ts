/** Numbers that a response sends as strings of their digits: numbers declared as strings in the API description, or all numbers of a database. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { schemasAt } from '../../read/openapi/schema-part.js';
import { kindsOf } from './described-kinds.js';
import type { Fields, Kind, ValueType } from './value-type.js';
import { isAnything } from './value-type.js';

/** Which numbers of a value are sent as strings. In a list, each element is treated in the same way. */
export type Digits =
  /** The value itself. `scale`: the digits after the point; undefined for as few as possible. */
  | { readonly kind: 'number'; readonly scale: number | undefined }
  | { readonly kind: 'fields'; readonly fields: ReadonlyMap<string, Digits> };

/** The promises of a response about a value. */
export interface Promised {
  /** All schemas that describe it: parts and alternatives; none without a description. */
  readonly schemas: readonly ApiSchema[];
  /** `settings.numbers: string`: exact numbers of a database are strings everywhere. */
  readonly areStrings: boolean;
}

/** Undefined if the promised type needs no check of the values. */
export function promisedBy(described: ApiSchema | undefined, areStrings: boolean): Promised | undefined {
  if (described === undefined && !areStrings) return undefined;
  return { schemas: described === undefined ? [] : [described], areStrings };
}

export function promisedField(promised: Promised | undefined, name: string): Promised | undefined {
  return promised && { ...promised, schemas: schemasAt(promised.schemas, [{ kind: 'name', name }]) };
}

export function promisedElement(promised: Promised | undefined): Promised | undefined {
  return promised && { ...promised, schemas: schemasAt(promised.schemas, [{ kind: 'index', index: 0 }]) };
}

/** Maximum depth of objects in a value that is sent as a whole, because types may contain themselves. */
const maxLevels = 6;

/** Undefined for a value that is sent unchanged. */
export function digitsOf(
  type: ValueType,
  promised: Promised | undefined,
  levels = maxLevels,
): Digits | undefined {
  if (promised === undefined || isAnything(type) || levels === 0) return undefined;
  const { kinds, decimals, element, fields } = type;
  if (kinds.has('number') && isString(type, promised)) return { kind: 'number', scale: decimals?.scale };
  if (element !== undefined) return digitsOf(element, promisedElement(promised), levels);
  return fields && digitsOfFields(fields, promised, levels);
}

function digitsOfFields(fields: Fields, promised: Promised, levels: number): Digits | undefined {
  const { names, origin } = fields;
  if (origin.kind === 'error') return undefined;
  const found = names.flatMap((name): [string, Digits][] => {
    const type = fields.typeOf(name);
    const digits = type && digitsOf(type, promisedField(promised, name), levels - 1);
    return digits === undefined ? [] : [[name, digits]];
  });
  return found.length === 0 ? undefined : { kind: 'fields', fields: new Map(found) };
}

/** Whether a number there is sent as a string. A plain number is an error of the description instead. */
function isString({ kinds, decimals }: ValueType, { schemas, areStrings }: Promised): boolean {
  if (areStrings && decimals !== undefined) return true;
  if (!kinds.has('string')) return false;
  const described = schemas.flatMap((schema) => kindsOf(schema) ?? []);
  return described.length > 0 && described.every((all) => all.has('string') && !all.has('number'));
}

/** The type of the sent value. */
export function sentType(type: ValueType, digits: Digits | undefined): ValueType {
  if (digits === undefined || isAnything(type)) return type;
  const { element, fields } = type;
  const inner = element && { element: sentType(element, digits) };
  if (digits.kind === 'fields')
    return { ...type, ...inner, ...(fields && { fields: sentFields(fields, digits.fields) }) };
  const { isExactNumber: _, decimals: __, constant: ___, wholeFrom: ____, wholeTo: _____, ...others } = type;
  const kinds = [...type.kinds].map((kind): Kind => (kind === 'number' ? 'string' : kind));
  return { ...others, ...inner, kinds: new Set(kinds) };
}

function sentFields(fields: Fields, digits: ReadonlyMap<string, Digits>): Fields {
  return {
    ...fields,
    ...(fields.optional && { optional: (name) => sentField(name, fields.optional?.(name)) }),
    typeOf: (name) => sentField(name, fields.typeOf(name)),
  };

  function sentField(name: string, type: ValueType | undefined): ValueType | undefined {
    return type && sentType(type, digits.get(name));
  }
}
