/** Casts for the parameters whose type PostgreSQL cannot determine by itself ("could not determine data type", 42P18). */
import { argumentsOf, callAround, groupedAt, isInArray, type Stretch } from '../parse/operand.js';
import { isInsertList, isListed } from '../parse/listed.js';
import type { OutlineToken } from '../parse/outline.js';
import type { ValueKind } from '../facts/value-kind.js';
import { wordSet } from '../lexer/word-set.js';

/** Built-in functions that accept an argument of any type and do not determine a bare parameter's type. */
const takesAnyType = wordSet(`
  CONCAT CONCAT_WS FORMAT NUM_NULLS NUM_NONNULLS JSON_BUILD_OBJECT JSON_BUILD_ARRAY JSONB_BUILD_OBJECT
  JSONB_BUILD_ARRAY TO_JSON TO_JSONB JSON_AGG JSONB_AGG JSON_OBJECT_AGG JSONB_OBJECT_AGG ARRAY_AGG
  COUNT PG_TYPEOF PG_COLUMN_SIZE ROW_TO_JSON
`);

/** Those of them that make JSON of it; of names and values by turns. */
const makesJson = wordSet(`
  TO_JSON TO_JSONB JSON_AGG JSONB_AGG JSON_BUILD_ARRAY JSONB_BUILD_ARRAY JSON_BUILD_OBJECT JSONB_BUILD_OBJECT JSON_OBJECT_AGG
  JSONB_OBJECT_AGG ROW_TO_JSON
`);

/** What may precede a test for null; after an operator the parameter is only a part of the tested operand. */
const beforeTest = wordSet(`
  ( , SELECT DISTINCT ALL WHERE HAVING ON AND OR NOT CASE WHEN THEN ELSE BY SET RETURNING VALUES
`);

/** The type to cast the placeholder at `index` to; undefined if the server can determine it, or if there is a cast already. */
export function castFor(
  items: readonly OutlineToken[],
  index: number,
  kind: ValueKind | undefined,
): string | undefined {
  const { first, last } = groupedAt(items, index);
  const before = items[first - 1];
  if (isNullTest(items, last + 1) && (before === undefined || beforeTest.has(before.word)))
    return typeOf(kind);
  if (!isArgumentOfAnyType(items, first, last)) return undefined;
  return (kind === undefined ? jsonTypeOf(items, index, first) : undefined) ?? typeOf(kind);
}

/** Where JSON is made of a value that is JSON, it stays what it is; a parameter of the request is a string. */
function jsonTypeOf(items: readonly OutlineToken[], index: number, first: number): string | undefined {
  const [token, call] = [items[index]?.token, callAround(items, first)];
  const isJson =
    token?.kind === 'placeholder' && token.expression?.kind !== 'param' && token.expression?.kind !== 'sent';
  if (!isJson || call === undefined) return undefined;
  if (call.name === 'ROW') return jsonTypeOf(items, index, call.open - 1);
  if (!makesJson.has(call.name)) return undefined;
  const argumentIndex = argumentsOf(items, call.open).findIndex((argument) => argument.first === first);
  const isName = call.name.includes('_OBJECT') && argumentIndex % 2 === 0;
  if (isName) return undefined;
  return call.name.includes('JSONB') ? 'jsonb' : 'json';
}

/** `IS [NOT] NULL`, `ISNULL`, `NOTNULL`, `IS [NOT] DISTINCT FROM NULL`. */
function isNullTest(items: readonly OutlineToken[], index: number): boolean {
  const word = items[index]?.word ?? '';
  if (word === 'ISNULL' || word === 'NOTNULL') return true;
  if (word !== 'IS') return false;
  const next = items[index + 1]?.word === 'NOT' ? index + 2 : index + 1;
  if (items[next]?.word === 'NULL') return true;
  const words = items.slice(next, next + 3).map((item) => item.word);
  return words.join(' ') === 'DISTINCT FROM NULL';
}

function isArgumentOfAnyType(items: readonly OutlineToken[], first: number, last: number): boolean {
  const before = items[first - 1]?.word;
  const after = items[last + 1]?.word;
  const isWhole = (before === '(' || before === ',') && (after === ')' || after === ',' || after === 'ORDER');
  const parent = items[first]?.parent ?? -1;
  const called = items[parent - 1];
  if (!isWhole || called === undefined) return false;
  if (called.word === 'ROW')
    return isUntypedRow(items, { first: parent - 1, last: items[parent]?.close ?? last });
  if (!takesAnyType.has(called.word)) return false;
  // Elements determine each other's types.
  if (isInArray(items, first)) return false;
  // `app.concat(…)` is somebody's own function.
  return items[parent - 2]?.word !== '.' || items[parent - 3]?.word === 'PG_CATALOG';
}

/** True for `ROW(…)` that is compared with nothing, and stored nowhere. */
function isUntypedRow(items: readonly OutlineToken[], row: Stretch): boolean {
  if (isArgumentOfAnyType(items, row.first, row.last)) return true;
  return isListed(items, row) && !isInsertList(items, row.first);
}

/** Numbers and booleans as such; dates as the strings that they are sent as. */
function typeOf(kind: ValueKind | undefined): string {
  return kind === undefined || kind === 'date' || kind === 'timestamptz' ? 'text' : kind;
}
