/** Casts for the parameters whose type PostgreSQL cannot tell by itself ("could not determine data type", 42P18). */
import { groupedAt, isInArray } from './operand.js';
import type { Item } from './outline.js';
import type { ValueKind } from './value-kind.js';
import { wordSet } from './word-set.js';

/** Built-in functions that take an argument of any type and do not tell a bare parameter's type. */
const takesAnyType = wordSet(`
  CONCAT CONCAT_WS FORMAT NUM_NULLS NUM_NONNULLS JSON_BUILD_OBJECT JSON_BUILD_ARRAY JSONB_BUILD_OBJECT
  JSONB_BUILD_ARRAY TO_JSON TO_JSONB JSON_AGG JSONB_AGG JSON_OBJECT_AGG JSONB_OBJECT_AGG ARRAY_AGG
  COUNT PG_TYPEOF PG_COLUMN_SIZE
`);

/** What a test for null can stand behind; behind an operator the parameter is only a part of what is tested. */
const beforeTest = wordSet(`
  ( , SELECT DISTINCT ALL WHERE HAVING ON AND OR NOT CASE WHEN THEN ELSE BY SET RETURNING VALUES
`);

/** The type to cast the placeholder at `index` to; undefined when the server can tell it, or the author has. */
export function castFor(
  items: readonly Item[],
  index: number,
  kind: ValueKind | undefined,
): string | undefined {
  const { first, last } = groupedAt(items, index);
  const before = items[first - 1];
  const isTest = isNullTest(items, last + 1) && (before === undefined || beforeTest.has(before.word));
  return isTest || isArgumentOfAnyType(items, first, last) ? typeOf(kind) : undefined;
}

/** `IS [NOT] NULL`, `ISNULL`, `NOTNULL`, `IS [NOT] DISTINCT FROM NULL`. */
function isNullTest(items: readonly Item[], index: number): boolean {
  const word = items[index]?.word ?? '';
  if (word === 'ISNULL' || word === 'NOTNULL') return true;
  if (word !== 'IS') return false;
  const next = items[index + 1]?.word === 'NOT' ? index + 2 : index + 1;
  if (items[next]?.word === 'NULL') return true;
  const words = items.slice(next, next + 3).map((item) => item.word);
  return words.join(' ') === 'DISTINCT FROM NULL';
}

function isArgumentOfAnyType(items: readonly Item[], first: number, last: number): boolean {
  const before = items[first - 1]?.word;
  const after = items[last + 1]?.word;
  const isWhole = (before === '(' || before === ',') && (after === ')' || after === ',' || after === 'ORDER');
  const parent = items[first]?.parent ?? -1;
  const called = items[parent - 1];
  if (!isWhole || called === undefined || !takesAnyType.has(called.word)) return false;
  // Elements give each other their types.
  if (isInArray(items, first)) return false;
  // `app.concat(…)` is somebody's own function.
  return items[parent - 2]?.word !== '.' || items[parent - 3]?.word === 'PG_CATALOG';
}

/** Numbers and booleans as such; dates as the strings that they are sent as. */
function typeOf(kind: ValueKind | undefined): string {
  return kind === undefined || kind === 'date' || kind === 'timestamptz' ? 'text' : kind;
}
