/** Casts for the parameters whose type PostgreSQL cannot tell by itself ("could not determine data type", 42P18). */
import type { Expression } from '../expression/ast.js';
import type { Item } from './outline.js';
import { wordSet } from './word-set.js';

/** Built-in functions that take an argument of any type and do not tell a bare parameter's type. */
const takesAnyType = wordSet(`
  CONCAT CONCAT_WS FORMAT NUM_NULLS NUM_NONNULLS JSON_BUILD_OBJECT JSON_BUILD_ARRAY JSONB_BUILD_OBJECT
  JSONB_BUILD_ARRAY TO_JSON TO_JSONB JSON_AGG JSONB_AGG JSON_OBJECT_AGG JSONB_OBJECT_AGG ARRAY_AGG
  COUNT PG_TYPEOF PG_COLUMN_SIZE
`);

/** What a test for null can stand behind; behind an operator the parameter is only a part of what is tested. */
const beforeTest = new Set([
  ...[
    '(',
    ',',
    'SELECT',
    'DISTINCT',
    'ALL',
    'WHERE',
    'HAVING',
    'ON',
    'AND',
    'OR',
    'NOT',
    'CASE',
    'WHEN',
    'THEN',
  ],
  ...['ELSE', 'BY', 'SET', 'RETURNING', 'VALUES'],
]);

/** The type to cast the placeholder at `index` to; undefined when the server can tell it, or the author has. */
export function castFor(items: readonly Item[], index: number, expression: Expression): string | undefined {
  let first = index;
  let last = index;
  // `(:[x])` is what `:[x]` is; the parenthesis of a function call is none of that kind.
  while (items[first - 1]?.word === '(' && items[last + 1]?.word === ')' && groups(items[first - 2])) {
    first -= 1;
    last += 1;
  }
  const before = items[first - 1];
  if (isNullTest(items, last + 1) && (before === undefined || beforeTest.has(before.word))) {
    return typeOf(expression);
  }
  return isArgumentOfAnyType(items, first, last) ? typeOf(expression) : undefined;
}

function groups(beforeParenthesis: Item | undefined): boolean {
  if (beforeParenthesis === undefined || beforeTest.has(beforeParenthesis.word)) return true;
  return beforeParenthesis.token.kind === 'operator' && beforeParenthesis.word !== ')';
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
  // `app.concat(…)` is somebody's own function.
  return items[parent - 2]?.word !== '.' || items[parent - 3]?.word === 'PG_CATALOG';
}

/** The type that the values of an expression have, whatever the request; text where that is not known. */
function typeOf(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return Number.isInteger(expression.value) ? 'bigint' : 'numeric';
    case 'size':
    case 'status':
      return 'bigint';
    case 'boolean':
    case 'comparison':
    case 'logical':
    case 'not':
      return 'boolean';
    default:
      return 'text';
  }
}
