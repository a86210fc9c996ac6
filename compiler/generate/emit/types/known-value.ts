/** Values built by handlers, as typed by TypeScript: reply bodies consist of them. */
import { allKinds, inheritedNames, type Kind } from '../../plan/model.js';
import type { ReadValue } from '../../plan/requests/request-read.js';
import { mayBeUndefined, type EmittedExpression, type RowType } from '../module/emitted-expression.js';

const noFields: ReadonlyMap<string, ReadValue> = new Map();

/** A value of any of these kinds, without known parts. */
export function valueOfKinds(...kinds: readonly Kind[]): ReadValue {
  return { type: { kinds: new Set(kinds) }, isOptional: false, fields: noFields, element: undefined };
}

/** Any value. */
export const anyValue = valueOfKinds(...allKinds);

export function listOf(element: ReadValue): ReadValue {
  return { ...valueOfKinds('array'), element };
}

/**
 * An object with these fields. Without field types if a field has an inherited name (such as `toString`), which would seem present even if
 * missing.
 */
export function objectWith(fields: ReadonlyMap<string, ReadValue>): ReadValue {
  const isPlain = [...fields.keys()].every((name) => !inheritedNames.has(name));
  return { ...valueOfKinds('object'), fields: isPlain ? fields : noFields };
}

/** An uploaded file. */
export const fileValue: ReadValue = { ...valueOfKinds(), isFile: true };

/** An uploaded file, or null. */
export const fileOrNull: ReadValue = { ...valueOfKinds('null'), isFile: true };

/** A row with its declared type. */
export function rowValue(row: RowType | undefined): ReadValue {
  if (row === undefined) return valueOfKinds('object');
  const fields = [...row.columns].map(([name, type]): [string, ReadValue] => [
    name,
    { type, isOptional: false, fields: noFields, element: undefined },
  ]);
  return objectWith(new Map(fields));
}

export function orNull(value: ReadValue): ReadValue {
  const { type } = value;
  return { ...value, type: { ...type, kinds: new Set([...type.kinds, 'null']) } };
}

/** The TypeScript type of an expression's value, as far as known to the compiler. */
export function knownValue(expression: EmittedExpression): ReadValue {
  const { type, kinds, read, nullable, row } = expression;
  switch (type) {
    case 'rows':
      return nullable === true ? orNull(listOf(rowValue(row))) : listOf(rowValue(row));
    case 'row':
    case 'object':
      return nullable === true || mayBeUndefined(expression) ? orNull(rowValue(row)) : rowValue(row);
    case 'list':
      return listOf(valueOfKinds('number'));
    case 'status':
      return valueOfKinds('number', 'null');
    case 'text':
      return valueOfKinds('string');
    case 'number':
    case 'boolean':
    case 'null':
      return valueOfKinds(type);
    case 'json': {
      if (kinds === undefined) return anyValue;
      if (read === undefined) return valueOfKinds(...kinds);
      // Nullability comes from the expression, the parts come from the value.
      return { ...read, isOptional: false, type: { ...read.type, kinds } };
    }
  }
}

/** The value with its numbers as strings, also in lists. */
export function stringsOfDigits({ type, element, ...others }: ReadValue): ReadValue {
  const kinds = [...type.kinds].map((kind) => (kind === 'number' ? 'string' : kind));
  return { ...others, type: { kinds: new Set(kinds) }, element: element && stringsOfDigits(element) };
}

/** A value that is one or the other. A field that only one of them has is optional. */
export function eitherValue(one: ReadValue, other: ReadValue): ReadValue {
  const kinds = new Set([...one.type.kinds, ...other.type.kinds]);
  const isExact = [one, other].every(
    ({ type }) => type.isExactNumber === true || !(type.kinds.has('number') || type.kinds.has('string')),
  );
  return {
    type: { kinds, ...(isExact ? { isExactNumber: true } : {}) },
    isOptional: one.isOptional || other.isOptional,
    fields: holdsOnly('object', kinds) ? eitherFields(one, other) : noFields,
    element: holdsOnly('array', kinds) ? eitherElement(one, other) : undefined,
    isFile: one.isFile === true || other.isFile === true,
  };
}

function eitherFields(one: ReadValue, other: ReadValue): ReadonlyMap<string, ReadValue> {
  const [a, b] = [one, other].filter(({ type }) => type.kinds.has('object'));
  if (a === undefined || b === undefined) return a?.fields ?? noFields;
  // If no fields are known, the object may have any fields.
  if (a.fields.size === 0 || b.fields.size === 0) return noFields;
  return new Map(
    [...new Set([...a.fields.keys(), ...b.fields.keys()])].map((name) => {
      const [first, second] = [a.fields.get(name), b.fields.get(name)];
      const both =
        first && second ? eitherValue(first, second) : { ...(first ?? second ?? anyValue), isOptional: true };
      return [name, both];
    }),
  );
}

function eitherElement(one: ReadValue, other: ReadValue): ReadValue | undefined {
  const [a, b] = [one, other].filter(({ type }) => type.kinds.has('array'));
  if (a === undefined || b === undefined) return a?.element;
  return a.element && b.element ? eitherValue(a.element, b.element) : undefined;
}

function holdsOnly(kind: Kind, kinds: ReadonlySet<Kind>): boolean {
  return [...kinds].every((one) => one === kind || one === 'null');
}
