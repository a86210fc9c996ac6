/** The type of ERROR: the fields of an error that error bodies can read. */
import { arrayOf, fieldsOf, numberValue, objectOf, only, textValue, unknownValue } from './known-types.js';
import type { ValueType } from './value-type.js';

const textOrNull = only('string', 'null');

const fault = objectOf(
  fieldsOf(
    new Map([
      ['in', textValue],
      ['name', textValue],
      ['pointer', textOrNull],
      ['message', textValue],
    ]),
    { kind: 'error' },
    true,
  ),
);

export const errorFields: ReadonlyMap<string, ValueType> = new Map([
  ['status', numberValue],
  ['title', textValue],
  ['message', textValue],
  ['code', textOrNull],
  ['requestId', textValue],
  ['faults', arrayOf(fault)],
  ['byName', { ...only('object'), element: unknownValue }],
]);

export const errorType: ValueType = objectOf(fieldsOf(errorFields, { kind: 'error' }, true));
