/** Expressions that have one of several values (COALESCE, IF, CASE, GREATEST …): these have one common type. */
import { caseAround } from '../parse/case-branches.js';
import { listElements } from '../parse/list-elements.js';
import type { Stretch } from '../parse/operand.js';
import type { OutlineToken } from '../parse/outline.js';
import { kindOfExpression, type ValueKind } from './value-kind.js';
import { wordSet } from '../lexer/word-set.js';

export interface Alternatives {
  /** The whole of it: the function's name to its closing parenthesis, or CASE to END. */
  readonly first: number;
  readonly last: number;
  /** Whether one of the others is a column or a string: it determines the type, whatever the request contains. */
  readonly hasType: boolean;
  /** Whether one of the others is certainly a number. */
  readonly hasNumber: boolean;
  /** The names of the columns among the others, without their tables: a database knows whether these are numbers. */
  readonly columns: readonly string[];
  /** Of GREATEST and LEAST, for which 9 is greater than 10 if both are strings. */
  readonly isOrdered: boolean;
}

/** Functions, and the index of the first argument that their value can be. */
const choosing: ReadonlyMap<string, number> = new Map([
  ...['COALESCE', 'IFNULL', 'NVL', 'GREATEST', 'LEAST', 'MIN', 'MAX', 'ANY_VALUE'].map(
    (name) => [name, 0] as const,
  ),
  ['IF', 1],
  ['NVL2', 1],
]);

const ordering = wordSet('GREATEST LEAST');

/** The alternatives that the items `first` to `last` are one of, as a whole. */
export function alternativesOf(
  items: readonly OutlineToken[],
  first: number,
  last: number,
): Alternatives | undefined {
  return ofFunction(items, first, last) ?? ofCase(items, first, last);
}

function ofFunction(items: readonly OutlineToken[], first: number, last: number): Alternatives | undefined {
  const open = items[first]?.parent ?? -1;
  const name = items[open - 1]?.word ?? '';
  const from = choosing.get(name);
  const close = items[open]?.close ?? -1;
  if (from === undefined || close === -1 || items[open - 2]?.word === '.') return undefined;
  const list = argumentsOf(items, open, close).slice(from);
  if (!list.some((argument) => argument.first === first && argument.last === last)) return undefined;
  const others = list.filter((argument) => argument.first !== first);
  return { first: open - 1, last: close, ...traits(items, others), isOrdered: ordering.has(name) };
}

function argumentsOf(items: readonly OutlineToken[], open: number, close: number): Stretch[] {
  let first = open + 1;
  // `MAX(DISTINCT a)`
  if (items[first]?.word === 'DISTINCT') first += 1;
  return listElements(items, first, close, open);
}

function ofCase(items: readonly OutlineToken[], first: number, last: number): Alternatives | undefined {
  const found = caseAround(items, first, last);
  if (found === undefined) return undefined;
  const others = found.branches.filter((branch) => branch.first !== first);
  return { first: found.first, last: found.last, ...traits(items, others), isOrdered: false };
}

function traits(
  items: readonly OutlineToken[],
  others: readonly Stretch[],
): Pick<Alternatives, 'hasType' | 'hasNumber' | 'columns'> {
  const texts = others.map(({ first, last }) => items.slice(first, last + 1));
  const columns = texts.filter(isColumn).map((one) => one.at(-1)?.token.text.replaceAll('`', '') ?? '');
  return { hasType: texts.some(determinesType), hasNumber: texts.some(isNumber), columns };
}

const constants = wordSet('NULL TRUE FALSE DEFAULT');

/** A string, or a column. A function may return null if all its arguments are null. */
function determinesType(expression: readonly OutlineToken[]): boolean {
  if (expression.length === 1 && expression[0]?.token.kind === 'literal') return true;
  return isColumn(expression);
}

/** `name`, `t.name`. */
function isColumn(expression: readonly OutlineToken[]): boolean {
  return expression.every(({ token, word }, index) =>
    index % 2 === 1
      ? word === '.'
      : token.kind === 'quoted-name' || (token.kind === 'word' && !constants.has(word)),
  );
}

/** Functions that always return a number. */
const numeric = wordSet(`
  COUNT SUM AVG STD STDDEV VARIANCE LENGTH CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH BIT_LENGTH ROW_NUMBER RANK DENSE_RANK
  NTILE ABS CEIL CEILING FLOOR ROUND TRUNCATE SIGN POW POWER SQRT EXP LN LOG LOG2 LOG10 RAND CRC32 ASCII ORD
  YEAR MONTH DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR HOUR MINUTE SECOND MICROSECOND QUARTER WEEK WEEKDAY DATEDIFF TIMESTAMPDIFF
  UNIX_TIMESTAMP LAST_INSERT_ID ROW_COUNT LOCATE INSTR POSITION STRCMP FIELD FIND_IN_SET JSON_LENGTH JSON_DEPTH
`);
const numericKinds = new Set<ValueKind | undefined>(['int', 'bigint', 'numeric']);
const operators = wordSet('+ - * / % DIV MOD');

function isNumber(expression: readonly OutlineToken[]): boolean {
  const [first, second] = expression;
  const [only] = expression.length === 1 ? expression : [];
  if (only !== undefined) {
    const { token } = only;
    return (
      token.kind === 'number' ||
      (token.kind === 'placeholder' &&
        token.expression !== undefined &&
        numericKinds.has(kindOfExpression(token.expression)))
    );
  }
  if (first === undefined || second === undefined) return false;
  if (second.word === '(' && numeric.has(first.word) && second.close !== -1) {
    // The whole of it is the call: nothing of the same level follows its parenthesis.
    const behind = expression.at(-1);
    if (behind?.word === ')' && !expression.slice(2, -1).some(({ parent }) => parent === first.parent))
      return true;
  }
  // `+ INTERVAL 1 DAY` makes a date.
  return (
    expression.some(
      ({ word, parent, token }, index) =>
        parent === first.parent &&
        (operators.has(word) || (index === 0 && token.kind === 'number')) &&
        expression[index + 1]?.word !== 'INTERVAL',
    ) && !expression.some(({ word }) => word === 'INTERVAL')
  );
}
