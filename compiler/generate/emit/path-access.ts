/** Paths into values: plain property access if equivalent, otherwise a runtime helper. */
import type { Path, Step } from '../plan/model.js';
import { inheritedNames, type Kind, type ValueType } from '../plan/model.js';
import type { ReadValue } from '../plan/requests/request-read.js';
import {
  arrow,
  binary,
  call,
  elseNull,
  literal,
  member,
  name,
  parameter,
  withoutElseNull,
  type Code,
} from '../code/code.js';
import { argument, type EmittedExpression } from './module/emitted-expression.js';
import type { Module } from './module/module.js';
import { codeTypeOf } from './module/type-text.js';

/** The runtime helper: `exact` for values bound to statements, so that databases receive all digits of a number. */
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
    const field = member(value.code, step.name, value.nullable === true);
    return readPath(fieldOf(value, step.name, field), rest, module, by);
  }
  return helper(value, path, module, by);
}

/** Whether a string may contain the digits of a number that does not fit a double. */
export function mayBeDigits(kinds: ReadonlySet<Kind> | undefined): boolean {
  return kinds === undefined || (kinds.has('number') && kinds.has('string'));
}

/** A request value, with its type if known. */
export function readCode(code: Code, read: ReadValue | undefined, mayBeMissing: boolean): EmittedExpression {
  if (read === undefined) return { code, type: 'json' };
  const { type, isOptional } = read;
  if (!mayBeMissing && !isOptional) return { code, type: codeTypeOf(type), kinds: type.kinds, read };
  return { code: elseNull(code), type: 'json', kinds: withNull(type), read };
}

/** The part of a request value that the step selects; undefined if only a helper can find it. */
function readPart(value: EmittedExpression, read: ReadValue, step: Step): EmittedExpression | undefined {
  const isNullable = value.kinds?.has('null') === true;
  const start = withoutElseNull(value.code);
  if (step.kind === 'name') {
    const field = read.fields.get(step.name);
    return field && readCode(member(start, step.name, isNullable), field, isNullable);
  }
  if (step.kind === 'all' || read.element === undefined) return undefined;
  return readCode(entryOf(start, step.index, isNullable), read.element, true);
}

/** An element of a list; negative indexes count from the end. */
function entryOf(list: Code, index: number, isOptional: boolean): Code {
  return index < 0 ? call(member(list, 'at', isOptional), literal(index)) : member(list, index, isOptional);
}

/** In a result, a name reads a field of the first row, and a number selects a row. */
function readRows(
  rows: EmittedExpression,
  step: Step,
  rest: Path,
  module: Module,
  by: Helper,
): EmittedExpression {
  const isOptional = rows.nullable === true;
  if (step.kind === 'name') {
    if (!isColumn(rows, step.name)) return helper(rows, [step, ...rest], module, by);
    const field = member(member(rows.code, 0, isOptional), step.name, true);
    return readPath(fieldOf({ ...rows, nullable: true }, step.name, field), rest, module, by);
  }
  if (
    step.kind === 'all' &&
    rest.length === 1 &&
    rest[0]?.kind === 'name' &&
    rows.row?.columns.has(rest[0].name) === true
  ) {
    const column = arrow([parameter('row')], member(name('row'), rest[0].name));
    const code = call(member(rows.code, 'map', isOptional), column);
    return isOptional
      ? { code: elseNull(code), type: 'json', kinds: listsOrNull }
      : { code, type: 'json', kinds: lists };
  }
  if (step.kind === 'all' || (rest.length > 0 && rest[0]?.kind !== 'name'))
    return helper(rows, [step, ...rest], module, by);
  const entry = entryOf(rows.code, step.index, isOptional);
  const [field, ...deeper] = rest;
  if (field?.kind !== 'name') {
    const missing = { size: sizeOfRows(rows), max: step.index < 0 ? -step.index - 1 : step.index };
    return { code: elseNull(entry), type: 'object', missing, row: rows.row };
  }
  if (!isColumn(rows, field.name)) return helper(rows, [step, ...rest], module, by);
  const read = member(entry, field.name, true);
  return readPath(fieldOf({ ...rows, nullable: true }, field.name, read), deeper, module, by);
}

/** The field of a row; null if the row or an undeclared column may be missing. */
function fieldOf({ row, nullable }: EmittedExpression, column: string, code: Code): EmittedExpression {
  const type = row?.columns.get(column);
  const kinds = type && (nullable === true ? withNull(type) : type.kinds);
  if (type === undefined || nullable === true)
    return {
      code: elseNull(code),
      type: 'json',
      ...(type && kinds && { kinds, read: columnValue(type) }),
    };
  return { code, type: codeTypeOf(type), kinds: type.kinds, read: columnValue(type) };
}

/** A value of which only the type is known. */
function columnValue(type: ValueType): ReadValue {
  return { type, isOptional: false, fields: new Map(), element: undefined };
}

function withNull({ kinds }: ValueType): ValueType['kinds'] {
  return new Set([...kinds, 'null']);
}

const lists: ReadonlySet<Kind> = new Set(['array']);
const listsOrNull: ReadonlySet<Kind> = new Set(['array', 'null']);

/** Whether the field can be read by plain property access. */
function isColumn({ row }: EmittedExpression, name: string): boolean {
  return !inheritedNames.has(name) && row?.columns.has(name) !== false;
}

/** The number of rows. */
export function sizeOfRows(rows: EmittedExpression): EmittedExpression {
  if (rows.nullable !== true) return { code: member(rows.code, 'length'), type: 'number' };
  return { code: binary('??', member(rows.code, 'length', true), literal(0)), type: 'number' };
}

function helper(value: EmittedExpression, path: Path, module: Module, by: Helper): EmittedExpression {
  const steps = path.map((step): Code => {
    switch (step.kind) {
      case 'name':
        return literal(step.name);
      case 'index':
        return literal(step.index);
      case 'all':
        return module.runtime('every');
    }
  });
  const code = call(module.runtime(by), argument(value), ...steps);
  return { code, type: 'json', isSearched: by === 'get' };
}
