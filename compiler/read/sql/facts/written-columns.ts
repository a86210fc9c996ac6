/** The columns of a table that a statement writes values to as they are: `INSERT INTO t (a) VALUES (:[x])`, `UPDATE t SET a = :[x]`. */
import type { Expression } from '../../expression/ast.js';
import { insertedValues } from '../check/check-insert.js';
import { listElements } from '../parse/list-elements.js';
import type { OutlineToken } from '../parse/outline.js';
import type { SqlStatement } from '../statement.js';
import { tableNames } from './table-names.js';
import { wordSet } from '../lexer/word-set.js';

/** The names as they are, without quotes. */
export interface WrittenColumn {
  readonly table: string;
  readonly column: string;
  readonly value: Expression;
}

/** None where the statement changes several tables, or (IGNORE) takes another value for one that does not fit. */
export function writtenColumns(statement: Pick<SqlStatement, 'dialect' | 'pieces'>): WrittenColumn[] {
  const { bounds, verb } = statement.pieces;
  const { items } = bounds;
  const [table, ...others] = tableNames(statement).writes;
  if (table === undefined || others.length > 0 || items.some(({ word }) => word === 'IGNORE')) return [];
  const values = verb.word === 'UPDATE' ? setValues(items, verb) : insertedValues(items, verb);
  return values.flatMap(({ column, value }) => {
    const [only, second] = value[1]?.word === '::' ? [value[0]] : value;
    if (only?.token.kind !== 'placeholder' || second !== undefined) return [];
    const { expression } = only.token;
    return expression === undefined
      ? []
      : [{ table: bareName(table), column: bareName(column), value: expression }];
  });
}

const endsSet = wordSet('FROM WHERE ORDER LIMIT RETURNING');

function setValues(
  items: readonly OutlineToken[],
  verb: OutlineToken,
): { readonly column: string; readonly value: readonly OutlineToken[] }[] {
  const isBeside = ({ parent }: OutlineToken): boolean => parent === verb.parent;
  const set = items.findIndex(
    (item, index) => isBeside(item) && item.word === 'SET' && index > items.indexOf(verb),
  );
  if (set === -1) return [];
  const end = items.findIndex((item, index) => index > set && isBeside(item) && endsSet.has(item.word));
  return listElements(items, set + 1, end === -1 ? items.length : end, verb.parent).flatMap(
    ({ first, last }) => {
      const [column, equals, ...value] = items.slice(first, last + 1);
      return column !== undefined && equals?.word === '=' ? [{ column: column.token.text, value }] : [];
    },
  );
}

/** `shop`.`Item`: Item. */
export function bareName(written: string): string {
  return written.slice(written.lastIndexOf('.') + 1).replaceAll(/["`]/g, '');
}
