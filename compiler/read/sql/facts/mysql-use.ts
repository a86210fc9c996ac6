/**
 * How the values of a statement are used on MySQL and MariaDB, whose protocol does not report types of parameters: their position decides
 * which of them are bound as numbers.
 *
 * A comparison never is such a position. A text column that is compared with the number 0 matches nearly every row, so values of a request
 * are compared as strings; the server converts them if the other side is a number.
 */
import type { Expression } from '../../expression/ast.js';
import { opensRow } from '../parse/listed.js';
import { alternativesOf, type Alternatives } from './mysql-alternatives.js';
import { isOperand } from './mysql-parameter.js';
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

export interface ValueUse {
  /**
   * - `operand`: of arithmetic or a function that calculates, where only a number makes sense.
   * - `json`: a value that a JSON function puts into a document; it keeps its kind.
   * - `alternative`: one of several possible values, as in COALESCE or CASE; together they decide the type.
   * - `argument`: of another function, or a column of the result.
   * - `assigned`: the value of a column.
   */
  readonly kind: 'operand' | 'json' | 'alternative' | 'argument' | 'assigned';
  /** Of an alternative: another one is certainly a number, and the value is not just compared. */
  readonly besideNumber?: true;
  /** Of an alternative that is not just compared: the columns among the others, as Alternatives has them. */
  readonly besideColumns?: readonly string[];
}

/** Functions that compare their arguments, return them unchanged, or accept a constant string. */
const comparing = wordSet(`
  FIELD NULLIF STRCMP DECODE DECODE_ORACLE INTERVAL AGAINST FIRST_VALUE LAST_VALUE NTH_VALUE LAG LEAD NAME_CONST
`);

/** Functions that calculate with all digits, and how many of their first arguments are numbers. Others have DOUBLE for every number. */
const calculating: ReadonlyMap<string, number> = new Map([
  ...['ROUND', 'TRUNCATE', 'MOD', 'FORMAT'].map((name) => [name, 2] as const),
  ...['ABS', 'CEIL', 'CEILING', 'FLOOR', 'SIGN', 'SUM', 'AVG'].map((name) => [name, 1] as const),
]);

/** Which arguments of a JSON function are values: all, or every second one from an index on. */
const jsonValues: Readonly<Record<string, (index: number) => boolean>> = {
  JSON_ARRAY: () => true,
  JSON_ARRAYAGG: () => true,
  JSON_OBJECT: (index) => index % 2 === 1,
  JSON_OBJECTAGG: (index) => index === 1,
  JSON_SET: isBehindPath,
  JSON_INSERT: isBehindPath,
  JSON_REPLACE: isBehindPath,
  JSON_ARRAY_APPEND: isBehindPath,
  JSON_ARRAY_INSERT: isBehindPath,
};

function isBehindPath(index: number): boolean {
  return index >= 2 && index % 2 === 0;
}

/** The use of the placeholder at `index`; undefined where its value is bound as a text. */
export function useOf(items: readonly OutlineToken[], index: number): ValueUse | undefined {
  const { first, last } = withParentheses(items, index);
  if (isOperand(items, first, last)) return { kind: 'operand' };
  const alternatives = alternativesOf(items, first, last);
  if (alternatives !== undefined) return useAsAlternative(items, alternatives);
  if (isResultColumn(items, first, last)) return { kind: 'argument' };
  if (isAssigned(items, first, last)) return { kind: 'assigned' };
  const called = functionAround(items, first, last);
  if (called === undefined || comparing.has(called.name)) return undefined;
  if (called.argument < (calculating.get(called.name) ?? 0)) return { kind: 'operand' };
  const isValue = Object.hasOwn(jsonValues, called.name) ? jsonValues[called.name] : undefined;
  if (isValue !== undefined) return isValue(called.argument) ? { kind: 'json' } : undefined;
  return { kind: 'argument' };
}

/** Whether the server receives the value of the expression as a JSON document: then it is JSON text. */
export function isJsonValue(use: ValueUse | undefined, expression: Expression): boolean {
  return use?.kind === 'json' && expression.kind !== 'text';
}

/** `(:[x])` is what `:[x]` is. */
function withParentheses(items: readonly OutlineToken[], index: number): { first: number; last: number } {
  let [first, last] = [index, index];
  while (
    items[first - 1]?.word === '(' &&
    items[last + 1]?.word === ')' &&
    !isCall(items, first - 1) &&
    !opensRow(items, first - 1)
  ) {
    first -= 1;
    last += 1;
  }
  return { first, last };
}

/** Words that a parenthesis can follow without being the arguments of a function. */
const noFunctions = wordSet(`
  SELECT DISTINCT ALL WHERE HAVING ON AND OR XOR NOT CASE WHEN THEN ELSE BY SET VALUES VALUE IN LIKE BETWEEN IS FROM
  JOIN USING UNION EXCEPT INTERSECT DIV MOD REGEXP RLIKE AS ANY SOME EXISTS LIMIT OFFSET RETURNING INTERVAL
`);

/** Whether the parenthesis at `open` holds the arguments of a function. */
function isCall(items: readonly OutlineToken[], open: number): boolean {
  const before = items[open - 1];
  if (before?.token.kind === 'quoted-name') return true;
  // `MOD(a, b)` is one, and `a MOD (b)` is not.
  if (before?.word === 'MOD') return items[open - 2]?.token.kind === 'operator';
  return before?.token.kind === 'word' && !noFunctions.has(before.word);
}

interface Called {
  readonly name: string;
  /** Which of its arguments the placeholder is, counted from 0. */
  readonly argument: number;
}

/** The function that the items `first` to `last` are a whole argument of. */
function functionAround(items: readonly OutlineToken[], first: number, last: number): Called | undefined {
  const open = items[first]?.parent ?? -1;
  const [before, after] = [items[first - 1], items[last + 1]];
  const isWhole =
    (first - 1 === open || before?.word === ',') && (after?.word === ',' || items[open]?.close === last + 1);
  if (open === -1 || !isWhole || !isCall(items, open) || isColumnList(items, open)) return undefined;
  const commas = items
    .slice(open + 1, first)
    .filter(({ word, parent }) => word === ',' && parent === open).length;
  return { name: items[open - 1]?.word ?? '', argument: commas };
}

/** `INSERT INTO t (a, b)` and `WITH t (a, b)` look like calls; a placeholder there is an error. */
function isColumnList(items: readonly OutlineToken[], open: number): boolean {
  return items[open - 2]?.word === 'INTO' || items[open]?.clause === 'INTO';
}

const beforeColumn = wordSet('SELECT DISTINCT ALL ,');
const afterColumn = wordSet(', AS FROM UNION EXCEPT INTERSECT WHERE ORDER LIMIT FOR INTO');

/** A column of the result. That of a subquery may be compared outside; that of a named one may be compared by HAVING. */
function isResultColumn(items: readonly OutlineToken[], first: number, last: number): boolean {
  const item = items[first];
  if (item?.parent !== -1 || item.clause !== 'SELECT') return false;
  const after = items[last + 1];
  const isWhole =
    beforeColumn.has(items[first - 1]?.word ?? '') && (after === undefined || afterColumn.has(after.word));
  return isWhole && !items.some(({ word, parent }) => word === 'HAVING' && parent === -1);
}

/** The whole of an element of VALUES (…), or of the value of a column in SET. */
function isAssigned(items: readonly OutlineToken[], first: number, last: number): boolean {
  const item = items[first];
  const [before, after] = [items[first - 1]?.word ?? '', items[last + 1]?.word ?? ''];
  if (items[item?.parent ?? -1]?.clause === 'VALUES') {
    return (before === '(' || before === ',') && (after === ')' || after === ',');
  }
  return item?.clause === 'SET' && before === '=' && (after === '' || after === ',' || after === 'WHERE');
}

const safeClauses = wordSet('SELECT ORDER GROUP SET');
/** Behind one of these in `safeClauses` an expression is whole, not compared. */
const beforeWhole = wordSet('SELECT DISTINCT ALL BY , (');
const afterWhole = wordSet(', ) AS FROM ASC DESC LIMIT UNION WHERE ORDER FOR WITH ON');

/**
 * If one of several possible values is compared, and only placeholders and numbers determine their type, a number of the request would turn
 * a text column into a number.
 */
function useAsAlternative(items: readonly OutlineToken[], alternatives: Alternatives): ValueUse | undefined {
  const isCompared = !isUncompared(items, alternatives);
  if (isCompared && !alternatives.hasType) {
    // What is known to be a number is one: to texts, 9 is greater than 10.
    return alternatives.isOrdered ? { kind: 'argument' } : undefined;
  }
  if (isCompared) return { kind: 'alternative' };
  const { hasNumber, columns } = alternatives;
  return {
    kind: 'alternative',
    ...(hasNumber ? { besideNumber: true } : {}),
    ...(columns.length > 0 ? { besideColumns: columns } : {}),
  };
}

/** Whether the common value is certainly not compared. */
function isUncompared(items: readonly OutlineToken[], alternatives: Alternatives): boolean {
  const { first, last } = alternatives;
  if (isOperand(items, first, last)) return true;
  const around = alternativesOf(items, first, last);
  if (around !== undefined) return isUncompared(items, around);
  const called = functionAround(items, first, last);
  if (called !== undefined) return !comparing.has(called.name);
  const item = items[first];
  if (item === undefined) return false;
  if (items[item.parent]?.clause === 'VALUES') return true;
  if (!safeClauses.has(item.clause)) return false;
  if (item.clause === 'SET') return isAssigned(items, first, last);
  const [before, after] = [items[first - 1]?.word ?? '', items[last + 1]];
  if (item.clause === 'SELECT' && !isResultColumn(items, first, last)) return false;
  return beforeWhole.has(before) && (after === undefined || afterWhole.has(after.word));
}
