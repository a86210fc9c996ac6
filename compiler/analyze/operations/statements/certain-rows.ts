/** Determines whether a statement always returns a row. */
import type {
  Fulfillment,
  Instruction,
  LoopFulfillment,
  Operation,
} from '../../../read/config/config-model.js';
import { allFulfillments, isStatement, loopAround, reachedInstructions } from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import { contains, nodesIn } from '../../../read/expression/visit.js';
import { returnsRow } from '../../../read/sql/facts/row-limit.js';
import { tableNames } from '../../../read/sql/facts/table-names.js';
import { clauseOf } from '../../../read/sql/parse/tree.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { Analysis } from '../analysis.js';
import type { KnownTable } from './statement-descriptions.js';

export function alwaysReturnsRow(fulfillment: Fulfillment, analysis: Analysis): boolean {
  const statement = onlyStatement(fulfillment);
  if (statement === undefined || !('datasource' in fulfillment) || !returnsRow(statement)) return false;
  if (statement.dialect === 'mysql' || statement.verb !== 'INSERT') return true;
  const datasource = analysis.datasource(fulfillment.datasource.value);
  return datasource !== undefined && storesEachRow(statement, analysis.descriptions.tables(datasource));
}

/**
 * The reason why a fulfillment may return no row: request values select the row, or an INSERT skips a conflicting row. Undefined if it
 * always returns a row, or if this depends on data.
 */
export function reasonForNoRow(fulfillment: Fulfillment, operation: Operation): ReasonForNoRow | undefined {
  if (!('instructions' in fulfillment) || fulfillment.page !== undefined) return undefined;
  const reasons = reachedInstructions(fulfillment).map((one) => reasonIn(one, fulfillment, operation));
  return reasons.find((reason) => reason === 'not found') ?? reasons.find((reason) => reason !== undefined);
}

export type ReasonForNoRow = 'not found' | 'left out';

function reasonIn(
  { action: statement, expressions }: Instruction,
  fulfillment: Fulfillment,
  operation: Operation,
): ReasonForNoRow | undefined {
  if (!isStatement(statement) || !statement.returnsRows || returnsRow(statement)) return undefined;
  const { tree } = statement.pieces;
  const { main } = tree;
  if (statement.verb === 'INSERT') {
    const hasWord = (word: string): boolean => tree.items.some((item) => item.word === word);
    return (clauseOf(main, 'CONFLICT') !== undefined && hasWord('NOTHING')) ||
      main.clauses[0]?.modifiers.includes('IGNORE') === true
      ? 'left out'
      : undefined;
  }
  const all = allFulfillments(operation.fulfillments);
  const index = all.findIndex((one) => one.fulfillment === fulfillment);
  const around = loopsAround(fulfillment, operation);
  const isChosen =
    clauseOf(main, 'WHERE') !== undefined && expressions.some((one) => readsRequest(one, around));
  const isChanged = changesTableOf(
    statement,
    all.slice(0, index).map((one) => one.fulfillment),
  );
  // A later exception may depend on the row, for example to reject a wrong password.
  const later = [...around, ...all.slice(index + 1).map((one) => one.fulfillment)];
  const isEnded = later.some(({ exceptions }) => exceptions.length > 0);
  return isChosen && !isChanged && !isEnded ? 'not found' : undefined;
}

/** The surrounding loops, innermost first. */
function loopsAround(fulfillment: Fulfillment, operation: Operation): LoopFulfillment[] {
  const loop = loopAround(fulfillment, operation);
  return loop === undefined ? [] : [loop, ...loopsAround(loop, operation)];
}

/** Whether the expression depends on a request value, or on an element of a loop over one. */
function readsRequest(expression: Expression, loops: readonly LoopFulfillment[]): boolean {
  if (contains(expression, 'param', 'sent', 'query-map', 'body')) return true;
  return loops.some(
    ({ name, loop }, index) =>
      loop !== undefined &&
      nodesIn(expression).some((node) => node.kind === 'value' && node.name === name.value) &&
      readsRequest(loop, loops.slice(index + 1)),
  );
}

/** Whether one of the fulfillments changes a table that the statement reads: the statement then probably reads the changed row. */
function changesTableOf(statement: SqlStatement, fulfillments: readonly Fulfillment[]): boolean {
  const { reads } = tableNames(statement);
  return fulfillments
    .flatMap((one) => ('instructions' in one ? one.instructions : []))
    .flatMap(({ action }) => (isStatement(action) ? tableNames(action).writes : []))
    .some((table) => reads.includes(table));
}

/** The only statement of a fulfillment, if it always runs. */
function onlyStatement(fulfillment: Fulfillment): SqlStatement | undefined {
  if (!('instructions' in fulfillment) || fulfillment.page !== undefined) return undefined;
  const [instruction, ...others] = fulfillment.instructions;
  const statement = instruction?.action;
  if (!isStatement(statement)) return undefined;
  return others.length > 0 || instruction?.if !== undefined ? undefined : statement;
}

/**
 * Whether every inserted row is stored, which is certain only for a table whose triggers cannot skip it. For other tables, it is unknown
 * which columns refuse null.
 */
function storesEachRow(statement: SqlStatement, tables: readonly KnownTable[]): boolean {
  const [table = ''] = tableNames(statement).writes;
  const known = tables.find(({ name }) => name.toLowerCase() === table.toLowerCase());
  return (known?.refusingNull ?? []).length > 0;
}
