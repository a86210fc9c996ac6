/**
 * Rows of one caller that are visible to another: conditions that are true without a caller, a `sub` shared by several authentications, and
 * `--tenant`.
 */
import { acceptedBy } from '../../analyze/operations/authentications/accepted.js';
import type { Datasource, Operation } from '../../read/config/config-model.js';
import type { KnownTable } from '../../analyze/operations/statements/statement-descriptions.js';
import type { Expression } from '../../read/expression/ast.js';
import { printExpression } from '../../read/expression/print-expression.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { uncomparedTables, type ComparedColumn } from '../../read/sql/facts/compared-columns.js';
import { parseText } from '../../read/sql/parse/parse-text.js';
import { unwrapped, type ParsedSql, type SqlNode } from '../../read/sql/parse/tree.js';
import type { ServiceView } from '../explain/service-view.js';
import { statementsOf, type AuditedStatement } from './audited-statements.js';
import type { Risk } from './risk.js';
import { nodesIn } from '../../read/expression/visit.js';

export function callerRows(view: ServiceView): Risk[] {
  return [...statementsOf(view).flatMap(trueWithoutCaller), ...subsOfSeveral(view)];
}

/** `:[CALLER($.tenant)] IS NULL OR …`, `tenant = COALESCE(:[CALLER($.tenant)], tenant)`: a caller without this value gets all rows. */
function trueWithoutCaller({ statement, operation }: AuditedStatement): Risk[] {
  const { pieces } = statement;
  const { tree } = pieces;
  return tree.nodes.flatMap((node): Risk | [] => {
    const value = optionalCaller(node);
    if (value === undefined) return [];
    return {
      rule: 'true-without-caller',
      severity: 'high',
      span: pieces.spanOf(node),
      message: `If ${printExpression(value, operation.plan.syntax)} is null, this condition may be true for every row.`,
      hint: 'Compare the column only with the value: null then matches no row.',
    };
  });
}

/** The caller value whose absence makes the condition true or compares a column with itself. */
function optionalCaller(node: SqlNode): Expression | undefined {
  if (node.kind === 'operation' && node.operator === 'IS NULL') return callerIn(node.operands[0]);
  if (node.kind !== 'call' || node.arguments.length < 2) return undefined;
  const [value, ...others] = node.arguments;
  const isFallback = others.some((other) => unwrapped(other).kind === 'name');
  return isFallback ? callerIn(value) : undefined;
}

function callerIn(node: SqlNode | undefined): Expression | undefined {
  const value = node && unwrapped(node);
  if (value?.kind === 'cast') return callerIn(value.value);
  return value?.kind === 'placeholder' && value.expression?.kind === 'caller' ? value.expression : undefined;
}

/** The same `sub` from two authentications belongs to two different callers. */
function subsOfSeveral(view: ServiceView): Risk[] {
  const { config } = view.analysis;
  return view.operations.flatMap((viewed): Risk | [] => {
    const { operation } = viewed.checked;
    const accepted = new Set(acceptedBy(operation, config)?.map(({ value }) => value));
    if (accepted.size < 2) return [];
    const own = statementsOf({ operations: [viewed] });
    const bound = own.flatMap(({ statement }) => statement.bindings);
    const reads = (name: string): boolean => bound.some((value) => readsField(value, name));
    if (!reads('sub') || reads('authentication')) return [];
    return {
      rule: 'sub-of-several',
      severity: 'medium',
      span: operation.name.span,
      message: `'${operation.name.value}' accepts callers of ${[...accepted].join(' and ')}, but compares only the caller's sub, which two callers can share.`,
      hint: `Compare ${callerField(operation, 'authentication')} too, or make sure that no two callers share a sub.`,
    };
  });
}

function readsField(value: Expression, name: string): boolean {
  return nodesIn(value).some((node) => {
    const [step] = node.kind === 'caller' ? node.path : [];
    return step?.kind === 'name' && step.name === name;
  });
}

/** Statements on a table with the tenant column that do not compare the column with a caller value. */
export function tenantRows(view: ServiceView, tenant: string): Risk[] {
  const column = tenant.toLowerCase();
  const questions = new Map<Datasource, ComparedColumn>();
  return statementsOf(view).flatMap(({ operation: viewed, statement, step }): Risk[] => {
    const { datasource } = step.checked;
    const question =
      questions.get(datasource) ??
      questionOf(column, view.analysis.descriptions.tables(datasource), statement.dialect);
    questions.set(datasource, question);
    const { verb, pieces } = statement;
    const { tree } = pieces;
    const hidden = /^(?:CALL|DO|TRUNCATE)$/.test(verb)
      ? [{ table: undefined, node: tree.main, isWritten: true }]
      : [];
    const found = uncomparedTables(statement, question);
    return [...hidden, ...found].map(({ table, node, isWritten }) => ({
      rule: 'tenant-not-compared',
      severity: 'high',
      span: pieces.spanOf(node),
      message:
        table === undefined
          ? `${verb} may touch rows of every ${tenant}.`
          : isWritten
            ? `A row of ${table} gets a ${tenant} that is not the caller's.`
            : `Nothing compares ${tenant} of ${table} with a value of the caller.`,
      hint:
        table === undefined
          ? 'Check its code, or write the statements here.'
          : isWritten
            ? `Write ${tenant} as a value of CALLER.`
            : `Add to its condition: ${tenant} = :[${callerField(viewed.checked.operation, tenant)}].`,
    }));
  });
}

function questionOf(column: string, tables: readonly KnownTable[], dialect: Dialect): ComparedColumn {
  const known = new Map(
    tables.map((table) => [table.name.toLowerCase(), table.columns.map((name) => name.toLowerCase())]),
  );
  const views = new Map(
    tables.flatMap(({ name, query }) =>
      query === undefined ? [] : [[name.toLowerCase(), parsed(query, dialect)] as const],
    ),
  );
  // An unknown table is assumed to have the column. A view without the column may hide the column of its tables.
  const hasColumn = (table: string): boolean => {
    if (known.get(table)?.includes(column) ?? true) return true;
    const query = views.get(table);
    return query !== undefined && uncomparedTables(query, question).length > 0;
  };
  const question: ComparedColumn = {
    column,
    hasColumn,
    columnsOf: (table) => known.get(table),
    isTrusted: isOfCaller,
  };
  return question;
}

/** The caller field in the operation's syntax. */
function callerField({ syntax }: Operation, field: string): string {
  return syntax === 'A' ? `CALLER($.${field})` : `caller.${field}`;
}

/** Whether the value is from the caller, possibly concatenated with constants, without any part of the request. */
function isOfCaller(value: Expression): boolean {
  if (value.kind === 'concat')
    return (
      value.parts.some(isOfCaller) && value.parts.every((part) => isOfCaller(part) || part.kind === 'text')
    );
  return value.kind === 'caller';
}

/** A view's parsed query. */
function parsed(query: string, dialect: Dialect): ParsedSql {
  return { dialect, pieces: { tree: parseText(query, dialect) } };
}
