/** Whether a statement returns a row in any case, or may well return none. */
import type { Fulfillment, Instruction, Operation } from '../../../read/config/config-model.js';
import { isStatement } from '../../../read/config/walk.js';
import { contains } from '../../../read/expression/visit.js';
import { returnsRow } from '../../../read/sql/facts/row-limit.js';
import { tableNames } from '../../../read/sql/facts/table-names.js';
import { clauseOf } from '../../../read/sql/parse/tree.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { Analysis } from '../analysis.js';
import type { KnownTable } from './statement-descriptions.js';

export function alwaysReturnsRow(fulfillment: Fulfillment, analysis: Analysis): boolean {
  const statement = onlyStatement(fulfillment)?.statement;
  if (statement === undefined || !('datasource' in fulfillment) || !returnsRow(statement)) return false;
  if (statement.dialect === 'mysql' || statement.verb !== 'INSERT') return true;
  const datasource = analysis.datasource(fulfillment.datasource.value);
  return datasource !== undefined && storesEachRow(statement, analysis.descriptions.tables(datasource));
}

/**
 * Why a fulfillment of the operation may well return no row: values of the request choose the row, or an INSERT leaves a row out that conflicts
 * with another one. Undefined where it always returns one, and where only data can tell.
 */
export function reasonForNoRow(
  fulfillment: Fulfillment,
  { fulfillments }: Operation,
): 'not found' | 'left out' | undefined {
  const { statement, instruction } = onlyStatement(fulfillment) ?? {};
  if (statement?.returnsRows !== true || instruction === undefined || returnsRow(statement)) return undefined;
  const { tree } = statement.pieces;
  const { main } = tree;
  if (statement.verb === 'INSERT') {
    const hasWord = (word: string): boolean => tree.items.some((item) => item.word === word);
    return (clauseOf(main, 'CONFLICT') !== undefined && hasWord('NOTHING')) ||
      main.clauses[0]?.modifiers.includes('IGNORE') === true
      ? 'left out'
      : undefined;
  }
  const isChosen =
    clauseOf(main, 'WHERE') !== undefined &&
    instruction.expressions.some((expression) => contains(expression, 'param', 'sent', 'body'));
  const index = fulfillments.indexOf(fulfillment);
  const isChanged = changesTableOf(statement, fulfillments.slice(0, index));
  // A later exception may depend on the row, as that of a wrong password does.
  const isEnded = fulfillments.slice(index + 1).some(({ exceptions }) => exceptions.length > 0);
  return isChosen && !isChanged && !isEnded ? 'not found' : undefined;
}

/** Whether one of the fulfillments changes a table that the statement reads: then the row is probably that one. */
function changesTableOf(statement: SqlStatement, fulfillments: readonly Fulfillment[]): boolean {
  const { reads } = tableNames(statement);
  return fulfillments
    .flatMap((one) => ('instructions' in one ? one.instructions : []))
    .flatMap(({ action }) => (isStatement(action) ? tableNames(action).writes : []))
    .some((table) => reads.includes(table));
}

/** The statement of a fulfillment that has no other one, and runs it in any case. */
function onlyStatement(
  fulfillment: Fulfillment,
): { readonly instruction: Instruction; readonly statement: SqlStatement } | undefined {
  if (!('instructions' in fulfillment) || fulfillment.page !== undefined) return undefined;
  const [instruction, ...others] = fulfillment.instructions;
  const statement = instruction?.action;
  if (instruction === undefined || !isStatement(statement)) return undefined;
  return others.length > 0 || instruction.if !== undefined ? undefined : { instruction, statement };
}

/** Whether it is a table without a trigger that could leave the row out: of others it is unknown whether a column refuses null. */
function storesEachRow(statement: SqlStatement, tables: readonly KnownTable[]): boolean {
  const [table = ''] = tableNames(statement).writes;
  const known = tables.find(({ name }) => name.toLowerCase() === table.toLowerCase());
  return (known?.refusingNull ?? []).length > 0;
}
