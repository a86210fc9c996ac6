/** Bodies in schema notation as object literals (decisions 7.7). */
import { nodesWithout, type Expression, type Schema } from '../plan/model.js';
import { camelCase } from '../plan/names/identifiers.js';
import { singular } from '../plan/names/singular.js';
import type { ReadValue } from '../plan/request-read.js';
import { emitExpression } from './expression.js';
import { Lookups } from './lookups.js';
import { anyValue, knownValue, listOf, objectWith, rowValue, valueOfKinds } from './types/known-value.js';
import type { Binding, Scope } from './scope.js';
import { emitElements, type Elements } from './expression.js';
import { property } from '../../notation/typescript-writer.js';
import { readsOthers } from './reads-others.js';

/** Code, and what TypeScript knows of its value. */
export interface EmittedSchema {
  readonly text: string;
  readonly value: ReadValue;
  /** True when the code awaits a list that is built in turns. */
  readonly awaits?: boolean;
}

/** The code of a schema's value; `name` is what it belongs to, for the log. */
export function emitSchema(schema: Schema, scope: Scope, name: string): EmittedSchema {
  switch (schema.kind) {
    case 'leaf': {
      const code = emitExpression(schema.value, scope);
      return { text: code.text, value: knownValue(code) };
    }
    case 'object': {
      const fields = schema.fields.map(({ key, value }) => ({ key, ...emitSchema(value, scope, name) }));
      const lines = fields.map(({ key, text }) => `${property(key, text)},`);
      return {
        text: isShort(schema) ? `{ ${lines.join(' ')} }` : `{\n${lines.join('\n')}\n}`,
        value: objectWith(new Map(fields.map(({ key, value }) => [key, value]))),
        awaits: fields.some(({ awaits }) => awaits === true),
      };
    }
    case 'array':
      return emitArray(schema, scope, name);
  }
}

/** One or two plain values are written on one line, if they are short enough. */
function isShort({ fields }: Extract<Schema, { kind: 'object' }>): boolean {
  return fields.length <= 2 && fields.every(({ value }) => value.kind === 'leaf');
}

function emitArray(
  { list, item }: Extract<Schema, { kind: 'array' }>,
  scope: Scope,
  name: string,
): EmittedSchema {
  const array = emitElements(list, scope, name);
  if ('name' in list && scope.jsonRows?.has(list.name) === true) return { text: array.text, value: anyValue };
  if (isWholeElement(item) || isWholeRow(item, array))
    return { text: array.text, value: listOf(elementValue(array)) };
  const element = elementOf(list, array, scope);
  const lookups = scope.lookups ?? new Lookups();
  const built = emitSchema(item, { ...scope, element, lookups }, name);
  const value = listOf(built.value);
  const parameter = readsElement(item, scope) ? element.variable : '';
  const hoisted = lookups.hoisted(built.text, element.variable, (wished) => scope.names.take(wished));
  const body = scope.lookups === undefined ? lookups.written(bodyOf(hoisted)) : bodyOf(hoisted);
  if (!isLarger(item)) return { text: `${array.text}.map((${parameter}) => ${body})`, value };
  const isAsync = built.awaits === true ? 'async ' : '';
  const mapInTurns = scope.module.runtime('mapInTurns');
  const text = `await ${mapInTurns}(call, ${bare(array.text)}, ${isAsync}(${parameter}) => ${body})`;
  // TypeScript infers only that awaited values are JSON.
  return { text, value: built.awaits === true ? listOf(anyValue) : value, awaits: true };
}

/** The body of the function that builds an item: an object, behind what it looks up more than once. */
function bodyOf({ text, declarations }: ReturnType<Lookups['hoisted']>): string {
  if (declarations.length > 0) return `{\n${declarations.join('\n')}\nreturn ${text};\n}`;
  return text.startsWith('{') ? `(${text})` : text;
}

/** The function that makes the item of each element; undefined where that is the element as it is. */
export function emitItem(
  { list, item }: Extract<Schema, { kind: 'array' }>,
  scope: Scope,
  name: string,
): string | undefined {
  const array = emitElements(list, scope, name);
  if (isWholeElement(item) || isWholeRow(item, array)) return undefined;
  const element = elementOf(list, array, scope);
  const { text } = emitSchema(item, { ...scope, element }, name);
  return `(${readsElement(item, scope) ? element.variable : ''}) => ${bodyOf({ text, declarations: [] })}`;
}

/** The element of the list in the function that builds its item. */
function elementOf(list: Expression, { type, row }: Elements, scope: Scope): Binding {
  return { variable: elementName(list, scope), type, nullable: false, row };
}

function elementValue({ type, row }: Elements): ReadValue {
  return type === 'row' ? rowValue(row) : type === 'number' ? valueOfKinds('number') : anyValue;
}

/** An argument needs no brackets around it. */
function bare(text: string): string {
  return /^\([^()]*\)$/.test(text) ? text.slice(1, -1) : text;
}

/**
 * True if an element of the list may become larger, or take longer, than its own size: the item reads something else, which is then copied
 * for each element.
 */
function isLarger(item: Schema): boolean {
  switch (item.kind) {
    case 'leaf':
      return readsOthers(item.value);
    case 'object':
      return item.fields.some((field) => isLarger(field.value));
    case 'array':
      return readsOthers(item.list) || isLarger(item.item);
  }
}

/** `VALUE(@, $)`: each element as it is. */
function isWholeElement(item: Schema): boolean {
  return item.kind === 'leaf' && item.value.kind === 'element' && item.value.path.length === 0;
}

/** The columns of a row, all that its statement lists and in their order, under their own names: the row as it is. */
function isWholeRow(item: Schema, { type, row }: Elements): boolean {
  if (item.kind !== 'object' || type !== 'row' || row?.isListed !== true) return false;
  const columns = [...row.columns.keys()];
  return (
    item.fields.length === columns.length &&
    item.fields.every(({ key, value }, index) => key === columns[index] && isColumn(value, key))
  );
}

function isColumn(schema: Schema, name: string): boolean {
  if (schema.kind !== 'leaf' || schema.value.kind !== 'element') return false;
  const [segment, ...deeper] = schema.value.path;
  return segment?.kind === 'name' && segment.name === name && deeper.length === 0;
}

/** `order` for the elements of `orders`, else item, item2, item3 … from the outside in. */
function elementName(list: Expression, { names, element }: Scope): string {
  const one = singular(camelCase(listName(list), 'item'));
  const named = one === undefined ? undefined : names.element(camelCase(one, 'item'), element?.variable);
  if (named !== undefined) return named;
  const outer = /^item(\d*)$/.exec(element?.variable ?? '');
  return outer === null ? 'item' : `item${Number(outer[1] || 1) + 1}`;
}

/** The name of a list: the last one of its path, or its fulfillment's; empty where it has none. */
function listName(list: Expression): string {
  if (!('path' in list)) return 'name' in list && list.kind === 'result' ? list.name : '';
  const last = list.path.findLast(({ kind }) => kind === 'name');
  if (last?.kind === 'name') return last.name;
  return 'name' in list ? list.name : '';
}

/** True when the schema reads `@` outside lists of its own. */
function readsElement(schema: Schema, scope: Scope): boolean {
  const reads = (value: Expression): boolean =>
    nodesWithout(value, scope.unreached).some(({ kind }) => kind === 'element');
  switch (schema.kind) {
    case 'leaf':
      return reads(schema.value);
    case 'object':
      return schema.fields.some((field) => readsElement(field.value, scope));
    case 'array':
      return reads(schema.list);
  }
}
