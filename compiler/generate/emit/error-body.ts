/** The bodies of errors: functions of the facts about the error. */
import { contains, type Schema } from '../plan/model.js';
import { emitSchema } from './schema.js';
import type { Scope } from './scope.js';

/** `name` is what it belongs to, for the log. */
export function emitErrorBody(schema: Schema, scope: Scope, name: string): string {
  const { text: body } = emitSchema(schema, scope, name);
  const isAsync = /\bawait\b/.test(body) ? 'async ' : '';
  const parameter = readsError(schema) ? 'error' : '';
  return `${isAsync}(${parameter}) => ${body.startsWith('{') ? `(${body})` : body}`;
}

function readsError(schema: Schema): boolean {
  switch (schema.kind) {
    case 'leaf':
      return contains(schema.value, 'error');
    case 'object':
      return schema.fields.some(({ value }) => readsError(value));
    case 'array':
      return contains(schema.list, 'error') || readsError(schema.item);
  }
}
