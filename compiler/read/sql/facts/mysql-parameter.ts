/** Where a parameter of MySQL is: as an operand of arithmetic, or as a number of rows. */
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

const arithmetic = wordSet('+ - * / % DIV MOD');

/**
 * Whether the items `first` to `last` are an operand of arithmetic. With a string MySQL calculates in DOUBLE, and loses digits of BIGINT
 * and DECIMAL columns. A date (`:[…] + INTERVAL 1 DAY`) is not such an operand.
 */
export function isOperand(items: readonly OutlineToken[], first: number, last: number): boolean {
  const [before, after] = [items[first - 1]?.word ?? '', items[last + 1]?.word ?? ''];
  if (arithmetic.has(after) && items[last + 2]?.word !== 'INTERVAL') return true;
  // A sign makes a number of the value after it, too: `SELECT -:[…]`.
  if (before === '-' || before === '+') return true;
  return arithmetic.has(before) && items[first - 2] !== undefined && !endsOperandList(items[first - 2]);
}

/** In `SELECT * , ?` and `count(*)` the star is not an operator. */
function endsOperandList(beforeOperator: OutlineToken | undefined): boolean {
  return beforeOperator === undefined || beforeOperator.word === 'SELECT' || beforeOperator.word === '(';
}

/**
 * Which number of rows the placeholder is: MySQL reads a string that is not a number as 0, and a negative number as all rows. Undefined if
 * it is elsewhere.
 */
export function rowCountOf(items: readonly OutlineToken[], index: number): 'limit' | 'offset' | undefined {
  const before = items[index - 1]?.word;
  const after = items[index + 1]?.word;
  if (before === 'OFFSET') return 'offset';
  if (before === 'LIMIT') return after === ',' ? 'offset' : 'limit';
  const isSecond = before === ',' && items[index - 3]?.word === 'LIMIT';
  return isSecond ? 'limit' : undefined;
}
