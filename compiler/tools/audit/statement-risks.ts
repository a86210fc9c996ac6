/** Statements that read or change more than their author may think: lists without a limit, every row, limits that clients choose. */
import type { Expression } from '../../read/expression/ast.js';
import { printExpression } from '../../read/expression/print-expression.js';
import type { ServiceView } from '../explain/service-view.js';
import type { OutlineToken } from '../../read/sql/parse/outline.js';
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
    // Once for all instructions of a fulfillment.
    const isKnown = unlimited.has(audited.step.step);
    if (lists.length > 0) unlimited.add(audited.step.step);
    return [...(isKnown ? [] : lists), ...everyRow(audited), ...openLimits(audited, view)];
  });
}

function spanOf({ pieces }: SqlStatement, item: OutlineToken): Risk['span'] {
  return pieces.text.spanOf(item.token.start, item.token.end);
}

function unlimitedList({ operation, step, statement }: AuditedStatement): Risk[] {
  const { pieces, verb } = statement;
  const { name } = step.checked.written;
  if (verb !== 'SELECT' || rowLimitOf(statement) !== undefined || hasRowLimit(statement)) return [];
  const tables = tableNames(statement).reads;
  if (tables.length === 0 || isByKey(statement) || !isReadAsList(name.value, operation)) return [];
  return [
    {
      rule: 'unlimited-list',
      severity: 'medium',
      span: spanOf(statement, pieces.verb),
      message: `'${name.value}' reads as many rows of ${tables.join(', ')} as there are; more than ROW_LIMIT (100000) rows end the call with status 500.`,
      hint: 'Add ORDER BY and LIMIT, with a page that the request chooses, unless the table stays small.',
    },
  ];
}

/**
 * `WHERE id = :[…]`, `WHERE id IN (:[…])`: as many rows as there are keys, by the name of the column, as no schema is needed here; and
 * `WHERE list IN (:[VALUE(lists, $[*].id)])`: what belongs to another result.
 */
function isByKey({ pieces, bindings }: SqlStatement): boolean {
  if (bindings.some((value) => value.kind === 'value' && value.path[0]?.kind === 'all')) return true;
  const { items } = pieces.bounds;
  const where = items.filter(({ clause, parent }) => clause === 'WHERE' && parent === pieces.verb.parent);
  if (where.some(({ word }) => word === 'OR')) return false;
  return where.some((item, index) => {
    const isKey = item.token.kind !== 'literal' && /^["`]?(?:id|uuid|guid)["`]?$/i.test(item.token.text);
    const next = where[index + 1]?.word;
    const at = items.indexOf(item) + 2;
    const value = next === 'IN' && items[at]?.word === '(' ? items[at + 1] : items[at];
    return isKey && (next === '=' || next === 'IN') && value?.token.kind === 'placeholder';
  });
}

/** `check` warns of DELETE and UPDATE without WHERE; here is the one whose WHERE is a constant. */
function everyRow({ statement }: AuditedStatement): Risk[] {
  const { pieces, verb } = statement;
  if (verb !== 'DELETE' && verb !== 'UPDATE') return [];
  const { items } = pieces.bounds;
  const where = items.findIndex(({ word, parent }) => word === 'WHERE' && parent === pieces.verb.parent);
  if (where === -1 || !isAlwaysTrue(items.slice(where + 1))) return [];
  return [
    {
      rule: 'every-row',
      severity: 'medium',
      span: spanOf(statement, pieces.verb),
      message: `${verb === 'DELETE' ? 'Removes' : 'Changes'} every row of ${tableNames(statement).writes.join(', ')}.`,
      hint: 'Choose the rows by the request, unless all of them are meant.',
    },
  ];
}

/** `true`, `1`, `1 = 1`, up to the end of the clause. */
function isAlwaysTrue(items: readonly OutlineToken[]): boolean {
  const end = items.findIndex(({ word }) => /^(?:RETURNING|LIMIT|ORDER)$/.test(word));
  const condition = (end === -1 ? items : items.slice(0, end)).map(({ token }) => token.text);
  return /^(?:true|1|(\S+) = \1)$/i.test(condition.join(' '));
}

function openLimits(
  { operation, loop, statement, step }: AuditedStatement,
  { analysis }: ServiceView,
): Risk[] {
  const { pieces, bindings } = statement;
  const { items } = pieces.bounds;
  const placeholders = items.filter(({ token }) => token.kind === 'placeholder');
  return placeholders.flatMap((item, index): Risk[] => {
    const value = bindings[index];
    const written = operation.checked.operation;
    if (value === undefined || !isLimit(item, items) || !isOfRequest(value, written, loop)) return [];
    const schemas = analysis.declared.of(value, written, loop);
    const isBounded =
      schemas.length > 0 &&
      schemas.every(
        ({ bounds, ...others }) =>
          bounds.has('maximum') || bounds.has('exclusiveMaximum') || others.enum !== undefined,
      );
    if (isBounded) return [];
    return [
      {
        rule: 'unbounded-limit',
        severity: 'medium',
        span: spanOf(statement, item),
        message: `The request chooses how many rows '${step.checked.written.name.value}' reads, without a maximum: ${printed(value, operation.plan.syntax)}.`,
        hint: "Give it a 'maximum' in the API description, or write LIMIT LEAST(:[…], 100).",
      },
    ];
  });
}

function printed(value: Expression, syntax: 'A' | 'B'): string {
  return printExpression(value, syntax);
}

/** The number of LIMIT or FETCH, but not inside `least(…, 100)`. */
function isLimit({ clause, parent }: OutlineToken, items: readonly OutlineToken[]): boolean {
  const isInLeast = items[parent - 1]?.word === 'LEAST';
  return !isInLeast && (clause === 'LIMIT' || clause === 'FETCH');
}
