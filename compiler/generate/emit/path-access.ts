/** Paths into values: plain property access if it means the same, else a helper of the runtime. */
import type { Path, Step } from '../plan/model.js';
import { inheritedNames, type Kind, type ValueType } from '../plan/model.js';
import type { ReadValue } from '../plan/request-read.js';
import { argument, operand, withoutUndefined, type EmittedExpression } from './module/emitted-expression.js';
import { isPropertyName, stringLiteral } from '../../notation/typescript-writer.js';
import type { Module } from './module/module.js';
import { codeTypeOf } from './module/type-text.js';

/** The helper: `exact` for a value of a statement, which a database gets with all of its digits. */
export type Helper = 'get' | 'exact';

export function readPath(
  value: EmittedExpression,
  path: Path,
  module: Module,
  by: Helper = 'get',
): EmittedExpression {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (value.type === 'rows') return readRows(value, step, rest, module, by);
  const part = value.read && readPart(value, value.read, step);
  if (part !== undefined) {
    const code = readPath(part, rest, module, by);
    return by === 'exact' && mayBeDigits(code.kinds) ? helper(value, path, module, by) : code;
  }
  if (value.type === 'row' && step.kind === 'name' && isColumn(value, step.name)) {
    const field = `${operand(value)}${value.nullable === true ? '?' : ''}${access(step.name, value.nullable === true)}`;
    return readPath(fieldOf(value, step.name, field), rest, module, by);
  }
  return helper(value, path, module, by);
}

/** Whether a string may be the digits of a number that a double cannot hold. */
export function mayBeDigits(kinds: ReadonlySet<Kind> | undefined): boolean {
  return kinds === undefined || (kinds.has('number') && kinds.has('string'));
}

/** A value of the request, where something is known of it. */
export function readCode(
  text: string,
  read: ReadValue | undefined,
  mayBeMissing: boolean,
): EmittedExpression {
  if (read === undefined) return { text, type: 'json' };
  const { type, isOptional } = read;
  if (!mayBeMissing && !isOptional) return { text, type: codeTypeOf(type), kinds: type.kinds, read };
  return { ...withoutUndefined({ text }), type: 'json', kinds: withNull(type), read };
}

/** The part of a value of the request that the step leads to; undefined where only a helper finds it. */
function readPart(value: EmittedExpression, read: ReadValue, step: Step): EmittedExpression | undefined {
  const isNullable = value.kinds?.has('null') === true;
  const start = operand(value.loose ?? value);
  if (step.kind === 'name') {
    const field = read.fields.get(step.name);
    return (
      field && readCode(`${start}${isNullable ? '?' : ''}${access(step.name, isNullable)}`, field, isNullable)
    );
  }
  if (step.kind === 'all' || read.element === undefined) return undefined;
  const dot = isNullable ? '?.' : '';
  const entry = step.index < 0 ? `${dot || '.'}at(${step.index})` : `${dot}[${step.index}]`;
  return readCode(start + entry, read.element, true);
}

/** On a result a name reads from its first entry, a number an entry. */
function readRows(
  rows: EmittedExpression,
  step: Step,
  rest: Path,
  module: Module,
  by: Helper,
): EmittedExpression {
  const dot = rows.nullable === true ? '?.' : '';
  if (step.kind === 'name') {
    if (!isColumn(rows, step.name)) return helper(rows, [step, ...rest], module, by);
    const field = `${operand(rows)}${dot}[0]?${access(step.name, true)}`;
    return readPath(fieldOf({ ...rows, nullable: true }, step.name, field), rest, module, by);
  }
  if (
    step.kind === 'all' &&
    rest.length === 1 &&
    rest[0]?.kind === 'name' &&
    rows.row?.columns.has(rest[0].name) === true
  ) {
    const column = `map((row) => row${access(rest[0].name, false)})`;
    if (rows.nullable !== true) return { text: `${operand(rows)}.${column}`, type: 'json', kinds: lists };
    const read = `${operand(rows)}?.${column}`;
    return { ...withoutUndefined({ text: read }), type: 'json', kinds: listsOrNull };
  }
  if (step.kind === 'all' || (rest.length > 0 && rest[0]?.kind !== 'name'))
    return helper(rows, [step, ...rest], module, by);
  const entry = step.index < 0 ? `${dot || '.'}at(${step.index})` : `${dot}[${step.index}]`;
  const text = `${operand(rows)}${entry}`;
  const [field, ...deeper] = rest;
  if (field?.kind !== 'name') {
    const missing = { size: sizeOfRows(rows), max: step.index < 0 ? -step.index - 1 : step.index };
    return { ...withoutUndefined({ text }), type: 'object', missing, row: rows.row };
  }
  if (!isColumn(rows, field.name)) return helper(rows, [step, ...rest], module, by);
  const read = `${text}?${access(field.name, true)}`;
  return readPath(fieldOf({ ...rows, nullable: true }, field.name, read), deeper, module, by);
}

/** The field of a row; null if the row, or an undeclared column, may be missing. */
function fieldOf({ row, nullable }: EmittedExpression, name: string, read: string): EmittedExpression {
  const type = row?.columns.get(name);
  const kinds = type && (nullable === true ? withNull(type) : type.kinds);
  if (type === undefined || nullable === true)
    return {
      ...withoutUndefined({ text: read }),
      type: 'json',
      ...(type && kinds && { kinds, read: columnValue(type) }),
    };
  return { text: read, type: codeTypeOf(type), kinds: type.kinds, read: columnValue(type) };
}

/** A value of which nothing but its type is known. */
function columnValue(type: ValueType): ReadValue {
  return { type, isOptional: false, fields: new Map(), element: undefined };
}

function withNull({ kinds }: ValueType): ValueType['kinds'] {
  return new Set([...kinds, 'null']);
}

const lists: ReadonlySet<Kind> = new Set(['array']);
const listsOrNull: ReadonlySet<Kind> = new Set(['array', 'null']);

/** Whether the field can be read behind a dot. */
function isColumn({ row }: EmittedExpression, name: string): boolean {
  return !inheritedNames.has(name) && row?.columns.has(name) !== false;
}

/** How many rows there are. */
export function sizeOfRows(rows: EmittedExpression): EmittedExpression {
  if (rows.nullable !== true) return { text: `${operand(rows)}.length`, type: 'number' };
  return { text: `${operand(rows)}?.length ?? 0`, type: 'number', compound: true };
}

/** `.name` or `['any name']`; behind a question mark the brackets need a dot of their own. */
function access(name: string, optional: boolean): string {
  return isPropertyName(name) ? `.${name}` : `${optional ? '.' : ''}[${stringLiteral(name)}]`;
}

function helper(value: EmittedExpression, path: Path, module: Module, by: Helper): EmittedExpression {
  const steps = path.map((step) => {
    switch (step.kind) {
      case 'name':
        return stringLiteral(step.name);
      case 'index':
        return String(step.index);
      case 'all':
        return module.runtime('every');
    }
  });
  const text = `${module.runtime(by)}(${[argument(value), ...steps].join(', ')})`;
  return { text, type: 'json', isSearched: by === 'get' };
}
