/** The type of the request values that a handler reads. */
import { listType, name, recordType, union, type FieldType, type Type } from '../../code/code.js';
import type { ReadRequest, ReadValue } from '../../plan/requests/request-read.js';
import type { Module } from '../module/module.js';
import { typeOfValue } from '../module/type-text.js';

/** `{ params: { id: string }; body: { title: string } }`. */
export function requestType({ params, body }: ReadRequest, module: Module): Type {
  return recordType([
    ...(params.size === 0 ? [] : [{ key: 'params', type: objectType(params, module) }]),
    ...(body === undefined ? [] : [{ key: 'body', type: valueType(body, module) }]),
  ]);
}

function objectType(fields: ReadonlyMap<string, ReadValue>, module: Module): Type {
  return recordType(
    [...fields].map(([key, value]): FieldType => ({
      key,
      type: valueType(value, module),
      isOptional: value.isOptional,
    })),
  );
}

/** The type of one value. */
export function valueType({ isFile, ...value }: ReadValue, module: Module): Type {
  if (isFile !== true) return jsonType(value, module);
  const others = value.type.kinds.size === 0 ? [] : [jsonType(value, module)];
  return union(module.runtime('InputFile'), ...others);
}

function jsonType({ type, fields, element }: ReadValue, module: Module): Type {
  const orNull = type.kinds.has('null') ? [name('null')] : [];
  if (fields.size > 0) return union(objectType(fields, module), ...orNull);
  if (element === undefined) return typeOfValue(type, module);
  return union(listType(valueType(element, module)), ...orNull);
}
