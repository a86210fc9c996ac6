/** Finds statements that write computed columns of MySQL and MariaDB: the server prepares these, but refuses them on execution. */
import { sql } from '../../notation/sql-writer.js';
import { lastPart, nameText, plain } from '../../read/sql/facts/server-names.js';
import { calledIn } from '../../read/sql/facts/unjoined-tables.js';
import { assignmentsIn, rowsOf } from '../../read/sql/facts/written-columns.js';
import { parseText } from '../../read/sql/parse/parse-text.js';
import {
  clauseOf,
  unwrapped,
  type Clause,
  type Name,
  type Query,
  type SqlNode,
  type SqlTree,
} from '../../read/sql/parse/tree.js';
import type { Refusal } from '../../read/sql/statement-description.js';
import { textOf, type Server } from './server.js';

/** The refusals for prepared statements, by text. */
export async function refusalsOnRun(
  texts: readonly string[],
  query: Server['query'],
): Promise<ReadonlyMap<string, Refusal>> {
  const written = new Map(
    texts.flatMap((text): [string, Written[]][] => {
      const columns = writtenIn(parseText(text, 'mysql'));
      return columns.length === 0 ? [] : [[text, columns]];
    }),
  );
  const tables = await columnsOf(
    [...written.values()].flatMap((all) => all.map(({ table }) => table)),
    query,
  );
  const refusals = new Map<string, Refusal>();
  for (const [text, all] of written)
    for (const one of all) {
      const found = columnProblem(one, tables);
      if (found !== undefined && !refusals.has(text)) refusals.set(text, { ...found, at: one.at });
    }
  return refusals;
}

/** A table as written in a statement; the schema is empty for the session's default. */
interface TableName {
  readonly schema: string;
  readonly table: string;
}

/** A value that a statement writes, either to a named column or by position among all columns. */
interface Written {
  readonly table: TableName;
  readonly column: string | number;
  /** The index in the SQL. */
  readonly at: number;
}

function writtenIn(tree: SqlTree): Written[] {
  const { main } = tree;
  const [head] = main.clauses;
  // With IGNORE, the server drops the value with just a warning.
  if (head === undefined || head.modifiers.includes('IGNORE')) return [];
  if (main.verb === 'UPDATE') return updatedColumns(tree, head, main);
  if (main.verb !== 'INSERT' && main.verb !== 'REPLACE') return [];
  const target = head.children.find((node) => node.kind === 'table');
  if (target?.kind !== 'table') return [];
  const table = nameOf(tree, target.name);
  const at = ({ first }: SqlNode): number => tree.items[first]?.token.start ?? 0;
  const assigned = ['SET', 'DUPLICATE'].flatMap((name) =>
    assignmentsIn(clauseOf(main, name)?.children ?? []).flatMap(({ column, value }) =>
      column?.kind !== 'name' || takesPlace(value, tree)
        ? []
        : [{ table, column: lastPart(tree, column), at: at(column) }],
    ),
  );
  const named = clauseOf(main, 'COLUMNS')?.children;
  const inserted = [...rowsOf(main), selectedBy(main)].flatMap((row) =>
    row.flatMap((value, index): Written[] => {
      if (takesPlace(value, tree)) return [];
      if (named === undefined) return [{ table, column: index, at: at(value) }];
      const column = named[index];
      return column?.kind === 'name' ? [{ table, column: lastPart(tree, column), at: at(column) }] : [];
    }),
  );
  return [...inserted, ...assigned];
}

/** The result columns of an INSERT's query, as far as they are listed. */
function selectedBy({ parts }: Query): readonly SqlNode[] {
  const [source] = parts;
  const columns = source === undefined ? [] : (clauseOf(source, 'SELECT')?.children ?? []);
  const values = columns.flatMap((one) => (one.kind === 'column' ? [one.value] : []));
  // After a star, column positions are unknown.
  const star = values.findIndex(
    (value) => value.kind === 'star' || value.children.some(({ kind }) => kind === 'star'),
  );
  return star === -1 ? values : values.slice(0, star);
}

/** The columns written by an UPDATE. An unqualified column belongs to the only table, or is unknown. */
function updatedColumns(tree: SqlTree, head: Clause, main: Query): Written[] {
  const tables = tree.nodes.flatMap((node) =>
    node.kind === 'table' && node.clause === head
      ? [{ called: calledIn(tree, node).toLowerCase(), table: nameOf(tree, node.name) }]
      : [],
  );
  return assignmentsIn(clauseOf(main, 'SET')?.children ?? []).flatMap(({ column, value }): Written[] => {
    if (column?.kind !== 'name' || takesPlace(value, tree)) return [];
    const qualifier = column.parts.length > 1 ? plain(tree.items[column.parts.at(-2) ?? -1]) : undefined;
    const meant = tables.filter(({ called }) => qualifier === undefined || called === qualifier);
    const at = tree.items[column.first]?.token.start ?? 0;
    return meant.length === 1 && meant[0] !== undefined
      ? [{ table: meant[0].table, column: lastPart(tree, column), at }]
      : [];
  });
}

/** Whether the value is DEFAULT or NULL, which generated columns accept as a placeholder for no value. */
function takesPlace(value: SqlNode, tree: SqlTree): boolean {
  const inner = unwrapped(value);
  return inner.first === inner.last && /^(?:DEFAULT|NULL)$/.test(tree.items[inner.first]?.word ?? '');
}

function nameOf(tree: SqlTree, name: Name): TableName {
  const [table = '', schema = ''] = nameText(tree, name, 'mysql').split('.').reverse();
  return { schema, table };
}

/** A table column. */
interface Column {
  readonly name: string;
  /** True if an INSERT without a column list does not provide a value for the column. */
  readonly isInvisible: boolean;
  readonly isGenerated: boolean;
}

interface KnownColumns {
  readonly columns: readonly Column[];
  /** For a view: the table column of each of its columns (lower-case names), or `calculated`. */
  readonly sources: ReadonlyMap<string, Source | 'calculated'>;
}

interface Source {
  readonly table: TableName;
  readonly column: string;
}

/** The columns of tables, keyed by database, line feed and table name. Views are resolved to their tables. */
async function columnsOf(names: readonly TableName[], query: Server['query']): Promise<Tables> {
  const known = new Map<string, KnownColumns>();
  if (names.length === 0) return { known, database: '' };
  const [[own] = []] = await query('SELECT DATABASE()');
  const database = textOf(own);
  const whole = ({ schema, table }: TableName): TableName => ({ schema: schema || database, table });
  for (let open = names.map(whole); open.length > 0;) {
    const asked = new Map(open.filter((one) => !known.has(keyOf(one))).map((one) => [keyOf(one), one]));
    if (asked.size === 0) break;
    const list = [...asked.values()]
      .map(({ schema, table }) => `(${sql.hexString(schema)}, ${sql.hexString(table)})`)
      .join(', ');
    const rows = await query(`
      SELECT table_schema, table_name, column_name, extra FROM information_schema.columns
      WHERE (table_schema, table_name) IN (${list}) ORDER BY table_schema, table_name, ordinal_position`);
    const views = await query(`
      SELECT table_schema, table_name, view_definition FROM information_schema.views
      WHERE (table_schema, table_name) IN (${list})`);
    for (const key of asked.keys()) known.set(key, noColumns);
    for (const [schema = '', table = '', name = '', extra = ''] of rows.map((row) => row.map(textOf))) {
      const key = keyOf({ schema, table });
      const { columns, sources } = known.get(key) ?? noColumns;
      const isGenerated = /\b(?:VIRTUAL|STORED) GENERATED\b/i.test(extra);
      const column = { name, isInvisible: /\bINVISIBLE\b/i.test(extra), isGenerated };
      known.set(key, { columns: [...columns, column], sources });
    }
    open = [];
    for (const [schema = '', table = '', text = ''] of views.map((row) => row.map(textOf))) {
      const key = keyOf({ schema, table });
      const { columns } = known.get(key) ?? noColumns;
      const sources = sourcesIn(text);
      known.set(key, { columns, sources });
      open.push(
        ...[...sources.values()].flatMap((source) => (source === 'calculated' ? [] : whole(source.table))),
      );
    }
  }
  return { known, database };
}

const noColumns: KnownColumns = { columns: [], sources: new Map() };

interface Tables {
  readonly known: ReadonlyMap<string, KnownColumns>;
  /** The session's database. */
  readonly database: string;
}

function keyOf({ schema, table }: TableName): string {
  return `${schema}\n${table}`;
}

/** The table columns that a view returns unchanged. In the server's form of the view, every column is qualified with its table. */
function sourcesIn(text: string): KnownColumns['sources'] {
  const tree = parseText(text, 'mysql');
  const tables = new Map(
    tree.nodes.flatMap((node) =>
      node.kind === 'table' && node.query === tree.main
        ? [[calledIn(tree, node).toLowerCase(), nameOf(tree, node.name)]]
        : [],
    ),
  );
  const found = new Map<string, Source | 'calculated'>();
  for (const column of clauseOf(tree.main, 'SELECT')?.children ?? []) {
    if (column.kind !== 'column' || column.alias === undefined) continue;
    const { value } = column;
    const name = plain(tree.items[column.alias]);
    const table = value.kind === 'name' ? tables.get(plain(tree.items[value.parts.at(-2) ?? -1])) : undefined;
    if (value.kind === 'name' && table !== undefined)
      found.set(name, { table, column: lastPart(tree, value) });
    else if (calculated.has(value.kind)) found.set(name, 'calculated');
  }
  return found;
}

const calculated = new Set<SqlNode['kind']>([
  'operation',
  'call',
  'case',
  'cast',
  'number',
  'string',
  'subquery',
]);

function knownColumns({ schema, table }: TableName, { known, database }: Tables): KnownColumns {
  const key = keyOf({ table, schema: schema || database });
  // Some servers have case-insensitive table names.
  const inAnyCase = (): KnownColumns | undefined =>
    [...known].find(([one]) => one.toLowerCase() === key.toLowerCase())?.[1];
  return known.get(key) ?? inAnyCase() ?? noColumns;
}

type Problem = Omit<Refusal, 'at'>;

/** The reason why the column cannot be written. Columns of views are resolved to table columns. */
function columnProblem(
  { table, column }: Pick<Written, 'table' | 'column'>,
  tables: Tables,
): Problem | undefined {
  const { columns, sources } = knownColumns(table, tables);
  const found =
    typeof column === 'number'
      ? columns.filter(({ isInvisible }) => !isInvisible)[column]
      : columns.find(({ name }) => name.toLowerCase() === column);
  if (found === undefined) return undefined;
  const { name, isGenerated } = found;
  if (isGenerated)
    return {
      message: `'${name}' of '${table.table}' is a generated column, which takes no value`,
      hint: `Leave '${name}' out: the database computes it.`,
      code: '1906',
    };
  const source = sources.get(name.toLowerCase());
  if (source !== 'calculated') return source && columnProblem(source, tables);
  return {
    message: `the view '${table.table}' calculates '${name}', which takes no value`,
    hint: 'Write the columns of its table that it is calculated from.',
    code: '1348',
  };
}
