/** The bodies of errors: functions of the facts about the error. */
import { contains, type Expression, type Schema } from '../plan/model.js';
import { emitSchema } from './schema.js';
import type { Scope } from './scope.js';

/** `name` is what it belongs to, for the log. */
export function emitErrorBody(schema: Schema, scope: Scope, name: string): string {
  const { text: body, awaits } = emitSchema(schema, scope, name);
  const isAsync = awaits === true ? 'async ' : '';
  const parameter = readsError(schema, scope) ? 'error' : '';
  return `${isAsync}(${parameter}) => ${body.startsWith('{') ? `(${body})` : body}`;
}

function readsError(schema: Schema, scope: Scope): boolean {
  const reads = (value: Expression): boolean =>
    contains(value, 'error') || (scope.error !== undefined && contains(value, 'now'));
  switch (schema.kind) {
    case 'leaf':
      return reads(schema.value);
    case 'object':
      return schema.fields.some(({ value }) => readsError(value, scope));
    case 'array':
      return reads(schema.list) || readsError(schema.item, scope);
  }
}
