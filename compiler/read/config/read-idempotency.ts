/** Reads `idempotency` of operations (docs/design/idempotency.md#idm-1). */
import type { Expression } from '../expression/ast.js';
import type { Notation } from '../expression/notation.js';
import { printExpression } from '../expression/print-expression.js';
import type { Idempotency } from './config-model.js';
import type { Fields } from './fields.js';
import { fieldTable } from './field-table.js';
import { readDuration } from './read-duration.js';

const day = 86_400;
/** The longest time, in seconds. */
const longest = 31 * day;

/** Reads the field. A key that is not part of the request is reported and omitted. */
export function readIdempotency(operation: Fields, notation: Notation): Idempotency | undefined {
  if (!operation.has('idempotency')) return undefined;
  const fields = operation.inside('idempotency', fieldTable.idempotency);
  if (fields === undefined) return undefined;
  const { syntax } = notation;
  fields.require(undefined, { key: syntax === 'A' ? 'HEADER(idempotency-key)' : 'header.idempotency-key' });
  const key = fields.expression('key', notation);
  const isReadable = key !== undefined && isSentWithRequest(key);
  if (key !== undefined && !isReadable)
    fields.report.add('idempotency-key', key.span, {
      written: printExpression(key, syntax),
      readable:
        syntax === 'A'
          ? ['HEADER(<name>)', 'QUERY(<name>)', 'PARAM(<name>)', 'BODY($.<field>)']
          : ['header.<name>', 'query.<name>', 'param.<name>', 'body.<field>'],
    });
  return {
    key: isReadable ? key : undefined,
    isRequired: fields.boolean('required') ?? false,
    keep: readDuration(fields, 'keep', { longest, example: '24h' }) ?? day,
  };
}

/** Whether the value is in the request itself, and is the same in each repetition. A cookie may be replaced between them. */
function isSentWithRequest(value: Expression): boolean {
  switch (value.kind) {
    case 'sent':
      return value.place !== 'cookie';
    case 'body':
      return value.path.length > 0;
    case 'param':
      return true;
    default:
      return false;
  }
}
