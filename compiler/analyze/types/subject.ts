/** Keys for the subjects of conditions: expressions with the same key have the same value. */
import type { Expression, Path } from '../../read/expression/ast.js';
import type { Environment, Readable } from './visible-values.js';

/** The key of an expression's value. */
export function keyOf(expression: Expression, environment: Environment): string {
  switch (expression.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return JSON.stringify(expression.value);
    case 'null':
      return 'null';
    case 'param':
      return `param ${JSON.stringify([expression.name, expression.path])}`;
    case 'sent':
      return `${expression.place} ${JSON.stringify(expression.name)}`;
    case 'body':
      return `body ${JSON.stringify(expression.path)}`;
    case 'caller':
      return `caller ${JSON.stringify(expression.path)}`;
    case 'value':
      return readKey(environment.result(expression.name), expression.path);
    case 'result':
      return readKey(environment.result(expression.name), []);
    case 'element':
      return readKey(environment.element, expression.path);
    case 'value-by-index':
      return `index ${JSON.stringify([expression.name, expression.path])} ${keyOf(expression.index, environment)}`;
    case 'list':
      return `list(${keyOf(expression.count, environment)})`;
    case 'size':
      return sizeKey(keyOf(expression.of, environment));
    case 'status':
      return `status ${environment.result(expression.name).key}`;
    case 'failure':
      return `failure ${environment.result(expression.name).key}`;
    case 'status-by-index':
    case 'failure-by-index':
      return `${expression.kind} ${JSON.stringify(expression.name)} ${keyOf(expression.index, environment)}`;
    case 'next':
      return `next ${environment.result(expression.name).key}`;
    case 'paging':
      return `${expression.fact} ${expression.relation ?? ''} ${environment.result(expression.name).key}`;
    case 'response-header':
      return `header ${JSON.stringify(expression.header.toLowerCase())} ${environment.result(expression.name).key}`;
    case 'arithmetic':
      return `(${keyOf(expression.left, environment)} ${expression.operator} ${keyOf(expression.right, environment)})`;
    case 'multipart-file':
      return `file ${JSON.stringify([expression.part, expression.path])}`;
    case 'concat':
    case 'coalesce':
      return `${expression.kind}(${expression.parts.map((part) => keyOf(part, environment)).join()})`;
    case 'now':
    case 'address':
    case 'query-map':
      return expression.kind;
    case 'uuid':
    case 'random':
    case 'hash':
    case 'token':
    case 'code':
      // Every call returns a different value.
      return `${expression.kind} ${expression.span.start}`;
    case 'sha256':
    case 'length':
    case 'lower':
    case 'outdated':
      return `${expression.kind}(${keyOf(expression.of, environment)})`;
    case 'verify':
      return `verify(${keyOf(expression.value, environment)},${keyOf(expression.hash, environment)})`;
    case 'if-match':
      return `if-match(${keyOf(expression.of, environment)})`;
    case 'error':
      return `error ${JSON.stringify(expression.path)}`;
    case 'variable':
      return `variable ${JSON.stringify([expression.name, ...expression.byDefault.map((one) => keyOf(one, environment))])}`;
    case 'comparison':
    case 'logical':
      return `(${keyOf(expression.left, environment)} ${expression.operator} ${keyOf(expression.right, environment)})`;
    case 'not':
      return `!(${keyOf(expression.operand, environment)})`;
  }
}

/** The key for SIZE of the value with that key. */
export function sizeKey(key: string): string {
  return `size(${key})`;
}

function readKey({ key, type }: Readable, path: Path): string {
  // On rows, a field name reads from the first row: `$.id` and `$[0].id` are the same value.
  const isOfFirst = type.isRows === true && path[0]?.kind === 'name';
  const whole: Path = isOfFirst ? [{ kind: 'index', index: 0 }, ...path] : path;
  return `${key} ${JSON.stringify(whole)}`;
}
