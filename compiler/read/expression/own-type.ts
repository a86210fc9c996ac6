/** What an expression alone shows of its value, whatever is read: the types of the API description, casts and hints follow from it. */
import type { Expression } from './ast.js';

/** `status` is an integer or null, `integers` the list of LIST, `rows` a result; `unknown` is what only data know. */
export type OwnType =
  'string' | 'integer' | 'number' | 'boolean' | 'null' | 'status' | 'integers' | 'rows' | 'unknown';

export function ownType(expression: Expression): OwnType {
  switch (expression.kind) {
    case 'text':
      return 'string';
    case 'number':
      return Number.isInteger(expression.value) ? 'integer' : 'number';
    case 'boolean':
    case 'comparison':
    case 'logical':
    case 'not':
      return 'boolean';
    case 'null':
      return 'null';
    case 'size':
      return 'integer';
    case 'status':
      return 'status';
    case 'list':
      return 'integers';
    case 'result':
      return 'rows';
    case 'param':
    case 'sent':
    case 'body':
    case 'value':
    case 'element':
    case 'value-by-index':
    case 'multipart-file':
      return 'unknown';
  }
}
