/** Values of responses whose numbers are sent as strings of their digits. */
import { call, field, literal, object, type Code } from '../code/code.js';
import type { Digits } from '../plan/model.js';
import type { ReadValue } from '../plan/requests/request-read.js';
import { argument, mayBeUndefined, type EmittedExpression } from './module/emitted-expression.js';
import type { Module } from './module/module.js';
import { anyValue, knownValue, orNull, stringsOfDigits } from './types/known-value.js';

/** `digits(order.net, 2)`, `withDigits(orders, { id: 0, net: 2 })`; `digits`: undefined for a value that is sent unchanged. */
export function emitDigits(
  emitted: EmittedExpression,
  digits: Digits | undefined,
  module: Module,
): { readonly code: Code; readonly value: ReadValue } {
  const value = knownValue(emitted);
  if (digits === undefined) return { code: emitted.code, value };
  const sent = argument(emitted);
  if (digits.kind === 'fields')
    return { code: call(module.runtime('withDigits'), sent, fieldsOf(digits)), value: anyValue };
  const known = stringsOfDigits(mayBeUndefined(emitted) ? orNull(value) : value);
  return { code: callOf(sent, digits.scale, module), value: known };
}

/** `digits(order.net, 2)` */
export function callOf(value: Code, scale: number | undefined, module: Module): Code {
  return call(
    module.runtime('digits'),
    value,
    ...(scale === undefined || scale === 0 ? [] : [literal(scale)]),
  );
}

/** `{ id: 0, net: 2 }` */
export function fieldsOf({ fields }: Extract<Digits, { kind: 'fields' }>): Code {
  return object(
    [...fields].map(([name, one]) =>
      field(name, one.kind === 'fields' ? fieldsOf(one) : literal(one.scale ?? 0)),
    ),
  );
}
