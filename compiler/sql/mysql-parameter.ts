/** Parameters that MySQL would take for something else than they are: every value reaches it as a text. */
import type { Item } from './outline.js';
import { wordSet } from './word-set.js';

const arithmetic = wordSet('+ - * / % DIV MOD');

/**
 * Whether the placeholder is an operand of arithmetic. With a text MySQL calculates in DOUBLE, and digits of BIGINT and DECIMAL
 * columns are lost. A date (`:[…] + INTERVAL 1 DAY`) is none.
 */
export function isOperand(items: readonly Item[], index: number): boolean {
  const [before, after] = [items[index - 1]?.word ?? '', items[index + 1]?.word ?? ''];
  if (arithmetic.has(after) && items[index + 2]?.word !== 'INTERVAL') return true;
  return arithmetic.has(before) && items[index - 2] !== undefined && !endsOperandList(items[index - 2]);
}

/** In `SELECT * , ?` and `count(*)` the star is no operator. */
function endsOperandList(beforeOperator: Item | undefined): boolean {
  return beforeOperator === undefined || beforeOperator.word === 'SELECT' || beforeOperator.word === '(';
}

/**
 * Which number of rows the placeholder is: MySQL takes a text that is none for 0, and a negative one for all rows.
 * Undefined when it stands elsewhere.
 */
export function rowCountOf(items: readonly Item[], index: number): 'limit' | 'offset' | undefined {
  const before = items[index - 1]?.word;
  const after = items[index + 1]?.word;
  if (before === 'OFFSET') return 'offset';
  if (before === 'LIMIT') return after === ',' ? 'offset' : 'limit';
  const isSecond = before === ',' && items[index - 3]?.word === 'LIMIT';
  return isSecond ? 'limit' : undefined;
}
