/** Error bodies: functions of the error's properties. */
import { arrow, parameter, type Code } from '../code/code.js';
import { reads } from '../code/code-parts.js';
import type { Schema } from '../plan/model.js';
import { errorIn } from './expression.js';
import { emitSchema } from './schema.js';
import type { Scope } from './scope.js';

/** `owner` names the body's owner in the log. */
export function emitErrorBody(schema: Schema, scope: Scope, owner: string): Code {
  const { code } = emitSchema(schema, scope, owner);
  const error = errorIn(scope);
  return arrow(reads(code, error.name) ? [parameter(error)] : [], code);
}
