/** Statements that may read or change more than intended: lists without a limit, changes of all rows, and limits chosen by clients. */
import { printExpression } from '../../read/expression/print-expression.js';
import type { ServiceView } from '../explain/service-view.js';
import { tokensOf } from '../../read/sql/facts/server-names.js';
import {
  ancestors,
  clauseOf,
  unwrapped,
  type SqlNode,
  type SqlTree,
  type Table,
} from '../../read/sql/parse/tree.js';
import { hasRowLimit, rowLimitOf } from '../../read/sql/facts/row-limit.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { tableNames } from '../../read/sql/facts/table-names.js';
import { statementsOf, type AuditedStatement } from './audited-statements.js';
import { isOfRequest } from './request-values.js';
import type { Risk } from './risk.js';
import { isReadAsList } from './whole-lists.js';

export function statementRisks(view: ServiceView): Risk[] {
  const unlimited = new Set<AuditedStatement['step']['step']>();
  return statementsOf(view).flatMap((audited) => {
    const lists = unlimitedList(audited);
    // Reported once for all instructions of a fulfillment.
    const isKnown = unlimited.has(audited.step.step);
    if (lists.length > 0) unlimited.add(audited.step.step);
    return [...(isKnown ? [] : lists), ...everyRow(audited), ...openLimits(audited, view)];
  });
}

function spanOfVerb({ pieces }: SqlStatement): Risk['span'] {
  const { verbItem } = pieces.tree.main;
  return pieces.spanOf({ first: verbItem, last: verbItem });
}

function unlimitedList({ operation, step, statement }: AuditedStatement): Risk[] {
  const { verb } = statement;
  const { name } = step.checked.written;
  if (verb !== 'SELECT' || rowLimitOf(statement) !== undefined || hasRowLimit(statement)) return [];
  const tables = tableNames(statement, givesRows).reads;
  if (tables.length === 0 || isByKey(statement) || !isReadAsList(name.value, operation)) return [];
  if (operation.plan.streamed === step.step || step.checked.written.page !== undefined) return [];
  return [
    {
      rule: 'unlimited-list',
      severity: 'medium',
      span: spanOfVerb(statement),
      message: `'${name.value}' reads an unlimited number of rows of ${tables.join(', ')}; more than ROW_LIMIT (100000) rows end the call with status 500.`,
      hint: "Add 'order' and 'page', or a LIMIT, unless the table stays small.",
    },
  ];
}

/** Whether the result has rows of the table: not if it is in EXISTS, in IN, or in a subquery for one value. */
function givesRows(table: Table): boolean {
  return [...ancestors(table)].every(({ kind, parent }) => kind !== 'subquery' || parent?.kind === 'derived');
}

/**
 * `WHERE id = :[…]`, `WHERE id = 1`, `WHERE id IN (:[…])`: as many rows as keys, judged by the column name, because no schema is required; and `WHERE list
 * IN (:[VALUE(lists, $[*].id)])`: rows that belong to another result.
 */
function isByKey({ pieces: { tree }, bindings }: SqlStatement): boolean {
  if (bindings.some((value) => value.kind === 'value' && value.path[0]?.kind === 'all')) return true;
  const condition = clauseOf(tree.main, 'WHERE')?.children[0];
  return condition !== undefined && conditionsIn(condition).some((one) => comparesKey(one, tree));
}

/** The operands of AND. */
function conditionsIn(node: SqlNode): readonly SqlNode[] {
  const inner = unwrapped(node);
  return inner.kind === 'operation' && inner.operator === 'AND'
    ? inner.operands.flatMap(conditionsIn)
    : [inner];
}

function comparesKey(node: SqlNode, { items }: SqlTree): boolean {
  if (node.kind !== 'operation' || !/^(?:=|IN)$/.test(node.operator)) return false;
  const [key, right] = node.operands;
  const value = right?.kind === 'parentheses' ? right.elements[0] : right;
  const isKey =
    key?.kind === 'name' && /^["`]?(?:id|uuid|guid)["`]?$/i.test(items[key.last]?.token.text ?? '');
  const kind = items[value?.first ?? -1]?.token.kind;
  return isKey && (kind === 'placeholder' || value?.kind === 'number' || value?.kind === 'string');
}

/** `check` warns about DELETE and UPDATE without WHERE; this rule finds those whose WHERE is always true. */
function everyRow({ statement }: AuditedStatement): Risk[] {
  const { pieces, verb } = statement;
  if (verb !== 'DELETE' && verb !== 'UPDATE') return [];
  const where = clauseOf(pieces.tree.main, 'WHERE');
  if (where === undefined || !isAlwaysTrue(tokensOf(pieces.tree, { ...where, first: where.first + 1 })))
    return [];
  return [
    {
      rule: 'every-row',
      severity: 'medium',
      span: spanOfVerb(statement),
      message: `${verb === 'DELETE' ? 'Removes' : 'Changes'} every row of ${tableNames(statement).writes.join(', ')}.`,
      hint: 'Add a condition, unless the statement is intended for every row.',
    },
  ];
}

/** Whether the condition is always true: `true`, `1`, `1 = 1`. */
function isAlwaysTrue(condition: string): boolean {
  return /^(?:true|1|(\S+) = \1)$/i.test(condition);
}

function openLimits(
  { operation, loop, statement, step }: AuditedStatement,
  { analysis }: ServiceView,
): Risk[] {
  const { pieces } = statement;
  const written = operation.checked.operation;
  return pieces.tree.nodes.flatMap((node): Risk | [] => {
    const value = node.kind === 'placeholder' && isLimit(node, pieces.tree) ? node.expression : undefined;
    if (value === undefined || !isOfRequest(value, written, loop)) return [];
    const schemas = analysis.declared.of(value, written, loop);
    const isBounded =
      schemas.length > 0 &&
      schemas.every(
        ({ bounds, ...others }) =>
          bounds.has('maximum') || bounds.has('exclusiveMaximum') || others.enum !== undefined,
      );
    if (isBounded) return [];
    return {
      rule: 'unbounded-limit',
      severity: 'medium',
      span: pieces.spanOf(node),
      message: `The request chooses how many rows '${step.checked.written.name.value}' reads, without a maximum: ${printExpression(value, operation.plan.syntax)}.`,
      hint: "Give it a 'maximum' in the API description, or write LIMIT LEAST(:[…], 100).",
    };
  });
}

/** The number in LIMIT or FETCH, unless inside `least(…, 100)`. */
function isLimit(node: SqlNode, { items }: SqlTree): boolean {
  if (node.clause?.name !== 'LIMIT' && node.clause?.name !== 'FETCH') return false;
  return ![...ancestors(node)].some((one) => one.kind === 'call' && items[one.name.last]?.word === 'LEAST');
}
