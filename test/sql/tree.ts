/** Parses SQL into its tree, and the same text with PostgreSQL's own parser. */
import { loadModule, parse } from 'libpg-query';
import { findingsIn } from '../../compiler/analyze/check/sql/sql-rules.js';
import type { Dialect } from '../../compiler/read/sql/dialect.js';
import { resultColumnsOf } from '../../compiler/read/sql/facts/result-columns.js';
import { tableNames } from '../../compiler/read/sql/facts/table-names.js';
import { lexSql } from '../../compiler/read/sql/lexer/lexer.js';
import { noPlaceholders } from '../../compiler/read/sql/lexer/placeholders.js';
import { itemsOf, parseSql } from '../../compiler/read/sql/parse/parser.js';
import type { SqlTree } from '../../compiler/read/sql/parse/tree.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { wholeText } from '../../compiler/read/source.js';
import { readSql } from '../../compiler/read/sql/statement.js';

/** Properties of a statement that are visible in its text. */
export interface Shown {
  /** The tables that are read or changed, sorted. */
  readonly tables: readonly string[];
  /** Column names without `*`; undefined if a name is unknown. */
  readonly columns: readonly (string | undefined)[];
}

export function treeOf(sql: string, dialect: Dialect): SqlTree {
  return parseSql(itemsOf(lexSql(sql, dialect, noPlaceholders)), dialect);
}

export function shownBy(sql: string, dialect: Dialect): Shown {
  const statement = { dialect, pieces: { tree: treeOf(sql, dialect) } };
  const { reads, writes } = tableNames(statement);
  return {
    tables: [...new Set([...reads, ...writes])].sort(),
    columns: resultColumnsOf(statement)?.names ?? [],
  };
}

/** The codes of the compiler's errors for a statement. */
export function refusals(sql: string, dialect: Dialect): string[] {
  const report = new Report();
  const use = /^\s*(?:INSERT|UPDATE|DELETE|MERGE|REPLACE)/i.test(sql) ? 'UPDATE' : 'READ';
  const read = readSql(wholeText('query', sql), dialect, { kind: 'query', syntax: 'A' }, use, report);
  for (const finding of findingsIn(read.sql)) report.addFinding(finding);
  return report.diagnostics.flatMap(({ severity, code }) => (severity === 'error' ? [code] : []));
}

/** The properties according to PostgreSQL's own parser; undefined if it rejects the SQL. Unnamed columns are undefined. */
export async function shownByPostgres(sql: string): Promise<Shown | undefined> {
  await loadModule();
  let statements: unknown;
  try {
    statements = await parse(sql);
  } catch {
    return undefined;
  }
  const tables = new Set<string>();
  const queries = new Set<string>();
  visit(statements, (name, node) => {
    if (name === 'RangeVar' || name === 'relation') tables.add(String(field(node, 'relname')));
    if (name === 'CommonTableExpr') queries.add(String(field(node, 'ctename')));
  });
  for (const query of queries) tables.delete(query);
  return { tables: [...tables].sort(), columns: columnsOf(statements) };
}

/** Calls `found` for everything in a value, with its name; tables of locking clauses are skipped. */
function visit(value: unknown, found: (name: string, node: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    found(name, inner);
    if (name !== 'lockedRels') visit(inner, found);
  }
}

function field(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at: unknown = value;
  for (const name of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
  return at;
}

function columnsOf(statements: unknown): (string | undefined)[] {
  const statement = field(statements, 'stmts', 0, 'stmt');
  let query = field(statement, Object.keys(statement ?? {})[0] ?? '');
  while (field(query, 'larg') !== undefined) query = field(query, 'larg');
  const list =
    field(query, 'targetList') !== undefined && field(query, 'relation') === undefined
      ? field(query, 'targetList')
      : (field(query, 'returningList') ?? field(query, 'returningClause', 'exprs'));
  return (Array.isArray(list) ? list : []).flatMap((target) => {
    const [name, value] = [field(target, 'ResTarget', 'name'), field(target, 'ResTarget', 'val')];
    if (typeof name === 'string') return [name];
    const fields = field(value, 'ColumnRef', 'fields');
    const last: unknown = Array.isArray(fields) ? fields.at(-1) : undefined;
    if (field(last, 'A_Star') !== undefined) return [];
    const column = field(last, 'String', 'sval');
    return [typeof column === 'string' ? column : undefined];
  });
}
