/** Bodies in schema notation as object literals (decisions 7.7). */
import type { Schema } from '../config/model.js';
import { visit } from '../expression/visit.js';
import type { Expression } from '../expression/ast.js';
import { operand, type Code } from './code.js';
import { emitExpression, type Binding, type Scope } from './expression.js';
import { isPropertyName, propertyKey, stringLiteral } from './literal.js';

/** The code of a schema's value; `name` is what it belongs to, for the log. */
export function emitSchema(schema: Schema, scope: Scope, name: string): string {
  switch (schema.kind) {
    case 'leaf':
      return emitExpression(schema.value, scope).text;
    case 'object': {
      const fields = schema.fields.map(({ key, value }) => {
        const code = emitSchema(value, scope, name);
        return code === key && isPropertyName(key) ? `${key},` : `${propertyKey(key)}: ${code},`;
      });
      return `{\n${fields.join('\n')}\n}`;
    }
    case 'array':
      return emitArray(schema, scope, name);
  }
}

function emitArray({ list, item }: Extract<Schema, { kind: 'array' }>, scope: Scope, name: string): string {
  const code = emitExpression(list, scope);
  const element: Binding = {
    variable: elementName(scope),
    type: code.type === 'rows' ? 'row' : 'json',
    nullable: false,
  };
  const array = emitElements(code, list, scope, name);
  if (isWholeElement(item)) return array;
  const body = emitSchema(item, { ...scope, element }, name);
  const parameter = readsElement(item) ? element.variable : '';
  return `${array}.map((${parameter}) => ${body.startsWith('{') ? `(${body})` : body})`;
}

/** `VALUE(@, $)`: each element as it is. */
function isWholeElement(item: Schema): boolean {
  return item.kind === 'leaf' && item.value.kind === 'element' && item.value.path.length === 0;
}

/** The array that a list goes through. */
function emitElements(code: Code, list: Expression, scope: Scope, name: string): string {
  if (code.type === 'rows') return code.nullable === true ? `(${code.text} ?? [])` : operand(code);
  const place = [`name: ${stringLiteral(name)}`, ...(readsRequest(list) ? ['fromRequest: true'] : [])];
  return `${scope.module.runtime('elements')}(${code.loose ?? code.text}, { ${place.join(', ')} })`;
}

/** item, item2, item3 … from the outside in. */
function elementName(scope: Scope): string {
  const outer = scope.element?.variable;
  return outer === undefined ? 'item' : `item${Number(outer.slice(4) || 1) + 1}`;
}

/** True when the schema reads `@` outside lists of its own. */
function readsElement(schema: Schema): boolean {
  switch (schema.kind) {
    case 'leaf':
      return contains(schema.value, 'element');
    case 'object':
      return schema.fields.some((field) => readsElement(field.value));
    case 'array':
      return contains(schema.list, 'element');
  }
}

function readsRequest(expression: Expression): boolean {
  return contains(expression, 'param') || contains(expression, 'body');
}

function contains(expression: Expression, kind: Expression['kind']): boolean {
  let found = false;
  visit(expression, (node) => {
    found ||= node.kind === kind;
  });
  return found;
}
