/** Generates object literals for bodies in schema notation. */
import {
  array,
  arrow,
  call,
  field,
  method,
  name,
  object,
  parameter,
  returns,
  tallObject,
  wait,
  type Arrow,
  type Code,
  type Name,
  type Parameter,
} from '../code/code.js';
import { awaits } from '../code/code-parts.js';
import { isFile, isFiles, nodesWithout, type Expression, type Schema } from '../plan/model.js';
import { camelCase } from '../plan/names/identifiers.js';
import { singular } from '../plan/names/singular.js';
import type { ReadValue } from '../plan/requests/request-read.js';
import { emitExpression } from './expression.js';
import { Lookups } from './lookups.js';
import { emitDigits } from './digits.js';
import {
  anyValue,
  fileOrNull,
  fileValue,
  listOf,
  objectWith,
  rowValue,
  valueOfKinds,
} from './types/known-value.js';
import type { ElementBinding, Scope } from './scope.js';
import { emitElements, theCall, type Elements } from './expression.js';
import { isOfRequest } from './of-request.js';
import { readsOthers } from './reads-others.js';

/** Code, and what TypeScript knows about its value. */
export interface EmittedSchema {
  readonly code: Code;
  readonly value: ReadValue;
}

/** The code of a schema's value; `owner` names the schema's owner in the log. */
export function emitSchema(schema: Schema, scope: Scope, owner: string): EmittedSchema {
  switch (schema.kind) {
    case 'leaf': {
      const emitted = emitExpression(schema.value, scope);
      if (isFile(schema.value)) return { code: emitted.code, value: fileOrNull };
      if (isFiles(schema.value)) return { code: emitted.code, value: listOf(fileValue) };
      const digits = isJsonRows(schema.value, scope) ? undefined : scope.digits.get(schema);
      return emitDigits(emitted, digits, scope.module);
    }
    case 'object': {
      const fields = schema.fields.map(({ key, value }) => ({ key, ...emitSchema(value, scope, owner) }));
      const written = fields.map(({ key, code }) => field(key, code));
      return {
        code: isShort(schema) ? object(written) : tallObject(written),
        value: objectWith(new Map(fields.map(({ key, value }) => [key, value]))),
      };
    }
    case 'array':
      return emitArray(schema, scope, owner);
  }
}

/** Whether it is a list whose rows are JSON already. */
function isJsonRows(list: Expression, { jsonRows }: Scope): boolean {
  return 'name' in list && jsonRows?.has(list.name) === true;
}

/** One or two plain values are written on one line, if they are short enough. */
function isShort({ fields }: Extract<Schema, { kind: 'object' }>): boolean {
  return fields.length <= 2 && fields.every(({ value }) => value.kind === 'leaf');
}

function emitArray(
  { list, item }: Extract<Schema, { kind: 'array' }>,
  scope: Scope,
  owner: string,
): EmittedSchema {
  if (isListOfOne(list) && !readsElement(item, scope)) {
    const { code, value } = emitSchema(item, scope, owner);
    return { code: array([code]), value: listOf(value) };
  }
  const elements = emitElements(list, scope, owner);
  if (isJsonRows(list, scope)) return { code: elements.code, value: anyValue };
  if (isPassedOn(item, elements, scope))
    return { code: elements.code, value: listOf(elementValue(elements)) };
  const element = elementOf(list, elements, scope);
  const lookups = scope.lookups ?? new Lookups();
  const built = emitSchema(item, { ...scope, element, lookups }, owner);
  const value = listOf(built.value);
  const hoisted = lookups.hoisted(built.code, element.code, (wished) => scope.names.take(wished));
  const build = arrow(parametersFor(item, element, scope), bodyOf(hoisted));
  if (!isLarger(item)) return { code: method(elements.code, 'map', build), value };
  const code = wait(call(scope.module.runtime('mapInTurns'), theCall, elements.code, build));
  // TypeScript only knows that awaited values are JSON.
  return { code, value: awaits(built.code) ? listOf(anyValue) : value };
}

/** Whether the list has a single element: `LIST(1)`, which is written as an array literal. */
function isListOfOne(list: Expression): boolean {
  return list.kind === 'list' && list.count.kind === 'number' && list.count.value === 1;
}

/** The body of the function that builds an item: repeated lookups, then the item. */
export function bodyOf({ code, declarations }: ReturnType<Lookups['hoisted']>): Arrow['body'] {
  return declarations.length === 0 ? code : [...declarations, returns(code)];
}

function parametersFor(item: Schema, element: ElementBinding, scope: Scope): Parameter[] {
  return readsElement(item, scope) ? [parameter(element.code)] : [];
}

/** The function that makes the item of each element of a list, or of the rows of a leaf; undefined if the item is the unchanged element. */
export function emitItem(
  schema: Exclude<Schema, { kind: 'object' }>,
  scope: Scope,
  owner: string,
): Code | undefined {
  if (schema.kind === 'leaf') return emitSentRow(schema, scope);
  const { list, item } = schema;
  const elements = emitElements(list, scope, owner);
  if (isPassedOn(item, elements, scope)) return undefined;
  const element = elementOf(list, elements, scope);
  const { code } = emitSchema(item, { ...scope, element }, owner);
  return arrow(parametersFor(item, element, scope), code);
}

/** `(order) => withDigits(order, { net: 2 })`; undefined where no numbers of a row are sent as strings. */
function emitSentRow(leaf: Extract<Schema, { kind: 'leaf' }>, scope: Scope): Code | undefined {
  const digits = scope.digits.get(leaf);
  if (digits === undefined) return undefined;
  const element = elementName(leaf.value, scope);
  const { code } = emitDigits({ code: element, type: 'row' }, digits, scope.module);
  return arrow([parameter(element)], code);
}

/** The element of the list in the function that builds its item. */
function elementOf(list: Expression, { type, row }: Elements, scope: Scope): ElementBinding {
  const code = elementName(list, scope);
  return { code, type, nullable: false, row, isOfRequest: isOfRequest(list, scope) };
}

function elementValue({ type, row }: Elements): ReadValue {
  return type === 'row' ? rowValue(row) : type === 'number' ? valueOfKinds('number') : anyValue;
}

/**
 * Whether an item may be much larger or slower to build than its element: the item reads other data, which is then copied for each element.
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

/** Whether the item of an element is the element itself. */
function isPassedOn(item: Schema, elements: Elements, { digits }: Scope): boolean {
  const parts = item.kind === 'object' ? item.fields.map(({ value }) => value) : [item];
  if (parts.some((part) => digits.has(part))) return false;
  return isWholeElement(item) || isWholeRow(item, elements);
}

/** `VALUE(@, $)`: each element unchanged. */
function isWholeElement(item: Schema): boolean {
  return item.kind === 'leaf' && item.value.kind === 'element' && item.value.path.length === 0;
}

/**
 * Whether the item has exactly the columns of the row, in the same order and under the same names, so that the row can be used directly.
 */
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

/** The variable of a list element: `order` for elements of `orders`, otherwise item, item2, item3 … from the outside in. */
function elementName(list: Expression, { names, element }: Scope): Name {
  const one = singular(camelCase(listName(list), 'item'));
  const named = one === undefined ? undefined : names.element(camelCase(one, 'item'), element?.code.name);
  if (named !== undefined) return named;
  const outer = /^item(\d*)$/.exec(element?.code.name ?? '');
  return name(outer === null ? 'item' : `item${Number(outer[1] || 1) + 1}`);
}

/** The name of a list: the last name of its path, or the name of its fulfillment; empty if it has neither. */
function listName(list: Expression): string {
  if (!('path' in list)) return 'name' in list && list.kind === 'result' ? list.name : '';
  const last = list.path.findLast(({ kind }) => kind === 'name');
  if (last?.kind === 'name') return last.name;
  return 'name' in list ? list.name : '';
}

/** Whether the schema reads `@` outside of nested lists. */
function readsElement(schema: Schema, scope: Scope): boolean {
  const readsIt = (value: Expression): boolean =>
    nodesWithout(value, scope.unreached).some(({ kind }) => kind === 'element');
  switch (schema.kind) {
    case 'leaf':
      return readsIt(schema.value);
    case 'object':
      return schema.fields.some((field) => readsElement(field.value, scope));
    case 'array':
      return readsIt(schema.list);
  }
}
