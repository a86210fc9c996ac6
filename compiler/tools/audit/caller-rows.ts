/** Rows of one caller that another one sees: conditions that hold without a caller, one `sub` of several authentications, and `--tenant`. */
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

/** `:[CALLER($.tenant)] IS NULL OR …`, `tenant = COALESCE(:[CALLER($.tenant)], tenant)`: a caller without this value gets every row. */
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

/** The value of the caller whose absence makes the condition true, or a column itself. */
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

/** The same `sub` of two authentications is two callers. */
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

/** Statements that touch a table with the column and do not compare it with a value of the caller. */
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
  // An unknown table is assumed to have the column; a view without the column may hide that of its tables.
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

/** The field of the caller, in the syntax of the operation. */
function callerField({ syntax }: Operation, field: string): string {
  return syntax === 'A' ? `CALLER($.${field})` : `caller.${field}`;
}

/** A value of the caller, also joined with constants; nothing in it is of the request. */
function isOfCaller(value: Expression): boolean {
  if (value.kind === 'concat')
    return (
      value.parts.some(isOfCaller) && value.parts.every((part) => isOfCaller(part) || part.kind === 'text')
    );
  return value.kind === 'caller';
}

/** The query of a view. */
function parsed(query: string, dialect: Dialect): ParsedSql {
  return { dialect, pieces: { tree: parseText(query, dialect) } };
}
