/** The type of the values that a handler reads from its request. */
import type { ReadRequest, ReadValue } from '../../plan/request-read.js';
import { propertyKey } from '../../../notation/typescript-writer.js';
import type { Module } from '../module/module.js';
import { typeText } from '../module/type-text.js';

/** `{ params: { id: string }; body: { title: string } }`, ready for formatting. */
export function requestTypeText({ params, body }: ReadRequest, module: Module): string {
  const parts = [
    ...(params.size === 0 ? [] : [`params: ${objectText(params, module)};`]),
    ...(body === undefined ? [] : [`body: ${valueText(body, module)};`]),
  ];
  return `{\n${parts.join('\n')}\n}`;
}

function objectText(fields: ReadonlyMap<string, ReadValue>, module: Module): string {
  const lines = [...fields].map(
    ([name, value]) => `${propertyKey(name)}${value.isOptional ? '?' : ''}: ${valueText(value, module)};`,
  );
  return `{\n${lines.join('\n')}\n}`;
}

/** The type of one value. */
export function valueText({ type, fields, element }: ReadValue, module: Module): string {
  const orNull = type.kinds.has('null') ? ' | null' : '';
  if (fields.size > 0) return `${objectText(fields, module)}${orNull}`;
  if (element === undefined) return typeText(type, module);
  const text = valueText(element, module);
  return `${text.includes(' ') ? `(${text})` : text}[]${orNull}`;
}
