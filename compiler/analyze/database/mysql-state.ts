/** Reads the state of a MySQL or MariaDB server that determines its results. */
import type { ForeignColumn, KnownTable } from '../operations/statements/statement-descriptions.js';
import { checkedValues } from '../../read/sql/facts/checked-values.js';
import { lexSql } from '../../read/sql/lexer/lexer.js';
import type { Query } from './describe-mysql.js';
import { sql } from '../../notation/sql-writer.js';
import { noPlaceholders } from '../../read/sql/lexer/placeholders.js';
import { textOf, type ServerState } from './server.js';

/** `texts` are the statements; any name before a dot may be another database. */
export async function lookAtMysql(query: Query, texts: readonly string[]): Promise<ServerState> {
  const databases = `(DATABASE()${[...namesBeforeDots(texts)].map((name) => `, ${sql.hexString(name)}`).join('')})`;
  const [row = []] = await query(`
    SELECT CONCAT_WS(' ', VERSION(), @@sql_mode, @@lower_case_table_names, @@collation_connection, DATABASE()),
      ${digest(
        `table_schema, table_name, ordinal_position, column_name, column_type, is_nullable, extra, column_key, collation_name`,
        `columns WHERE table_schema IN ${databases}`,
      )},
      ${digest(
        `routine_schema, routine_name, routine_type, data_type`,
        `routines WHERE routine_schema IN ${databases}`,
      )},
      ${digest(`table_schema, table_name, table_type`, `tables WHERE table_schema IN ${databases}`)}`);
  const [version = '', columns = '', routines = '', tables = ''] = row.map(textOf);
  // In these columns, null becomes the next number of AUTO_INCREMENT, the default of a TIMESTAMP, or a value set by a trigger.
  const names = await query(`
    SELECT table_name, column_name, data_type,
      IF(is_nullable = 'NO' AND column_default IS NULL AND extra = '' AND table_name NOT IN (
        SELECT event_object_table FROM information_schema.triggers WHERE trigger_schema = DATABASE() AND action_timing = 'BEFORE'
      ), 'refuses null', '')
    FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position`);
  const views = await query(
    'SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = DATABASE()',
  );
  const uniques = await query(`
    SELECT table_name, GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR '\\n')
    FROM information_schema.statistics WHERE table_schema = DATABASE() AND non_unique = 0
    GROUP BY table_name, index_name HAVING COUNT(column_name) = COUNT(*) AND COUNT(sub_part) = 0
    ORDER BY table_name, index_name`);
  const keys = new Map<string, string[][]>();
  for (const [table = '', names = ''] of uniques.map((one) => one.map(textOf)))
    keys.set(table, [...(keys.get(table) ?? []), names.split('\n')]);
  const indexes = await query(`
    SELECT DISTINCT table_name, column_name FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND seq_in_index = 1 AND sub_part IS NULL AND column_name IS NOT NULL
    ORDER BY table_name, column_name`);
  const indexed = new Map<string, string[]>();
  for (const [table = '', column = ''] of indexes.map((one) => one.map(textOf)))
    indexed.set(table, [...(indexed.get(table) ?? []), column]);
  const references = await query(`
    SELECT table_name, MIN(column_name), MIN(referenced_table_name), MIN(referenced_column_name)
    FROM information_schema.key_column_usage
    WHERE table_schema = DATABASE() AND referenced_table_schema = DATABASE()
    GROUP BY table_name, constraint_name HAVING COUNT(*) = 1 ORDER BY table_name, constraint_name`);
  const foreign = new Map<string, ForeignColumn[]>();
  for (const [name = '', column = '', table = '', target = ''] of references.map((one) => one.map(textOf)))
    foreign.set(name, [...(foreign.get(name) ?? []), { column, table, target }]);
  const checks = await checksOf(query);
  const constraints = await constraintsOf(query);
  // The query is empty for views that the user may not inspect.
  const queries = new Map(views.map((one) => one.map(textOf)).map(([name = '', text = '']) => [name, text]));
  return {
    fingerprint: [version, columns, routines, tables].join(' '),
    tables: tablesOf(names.map((one) => one.map(textOf))).map((table) => {
      const text = queries.get(table.name) ?? '';
      const own = keys.get(table.name);
      const others = foreign.get(table.name);
      const beginnings = indexed.get(table.name);
      const values = valuesOf(
        table,
        (checks.get(table.name) ?? []).map(({ condition }) => condition),
      );
      const violable = [...(constraints.get(table.name) ?? []), ...(checks.get(table.name) ?? [])];
      return {
        ...table,
        ...(own === undefined ? {} : { keys: own }),
        ...(beginnings === undefined ? {} : { indexed: beginnings }),
        ...(others === undefined ? {} : { references: others }),
        ...(violable.length === 0 ? {} : { constraints: violable.map(({ name }) => ({ name })) }),
        ...(values === undefined ? {} : { values }),
        ...(text === '' ? {} : { query: text }),
      };
    }),
    isWhole: true,
  };
}

interface Constraint {
  readonly name: string;
}

interface Check extends Constraint {
  readonly condition: string;
}

/** Unique and foreign keys by table. */
async function constraintsOf(query: Query): Promise<ReadonlyMap<string, readonly Constraint[]>> {
  const rows = await query(`
    SELECT table_name, index_name AS name FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND non_unique = 0
    UNION SELECT table_name, constraint_name FROM information_schema.referential_constraints
    WHERE constraint_schema = DATABASE() ORDER BY 1, 2`);
  const found = new Map<string, Constraint[]>();
  for (const [table = '', name = ''] of rows.map((one) => one.map(textOf)))
    found.set(table, [...(found.get(table) ?? []), { name }]);
  return found;
}

/** CHECKs by table. Servers before MySQL 8.0.16 and MariaDB 10.2 do not report them. */
async function checksOf(query: Query): Promise<ReadonlyMap<string, readonly Check[]>> {
  const columns = await query(`
    SELECT LOWER(column_name) FROM information_schema.columns
    WHERE LOWER(table_schema) = 'information_schema' AND LOWER(table_name) = 'check_constraints'`);
  const names = columns.map(([name]) => textOf(name));
  if (names.length === 0) return new Map();
  const rows = await query(
    names.includes('table_name')
      ? `SELECT table_name, constraint_name, check_clause FROM information_schema.check_constraints
         WHERE constraint_schema = DATABASE() ORDER BY table_name, constraint_name`
      : `SELECT t.table_name, c.constraint_name, c.check_clause
         FROM information_schema.check_constraints c
         JOIN information_schema.table_constraints t
           ON t.constraint_schema = c.constraint_schema AND t.constraint_name = c.constraint_name
         WHERE c.constraint_schema = DATABASE() AND t.enforced = 'YES' ORDER BY t.table_name, t.constraint_name`,
  );
  const found = new Map<string, Check[]>();
  for (const [table = '', name = '', condition = ''] of rows.map((one) => one.map(textOf)))
    found.set(table, [...(found.get(table) ?? []), { name, condition }]);
  return found;
}

/** The allowed values of string columns; undefined if no column is restricted to a list. */
function valuesOf(
  { columns, numbers = [] }: KnownTable,
  conditions: readonly string[],
): KnownTable['values'] {
  const found = new Map<string, readonly string[]>();
  for (const condition of conditions)
    // MySQL writes a backslash before quotes.
    for (const [name, values] of checkedValues(condition.replaceAll("\\'", "'"), 'mysql')) {
      const column = columns.find((one) => one.toLowerCase() === name);
      if (column !== undefined && !numbers.includes(column)) found.set(column, [...values]);
    }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

const numberTypes = new Set('tinyint smallint mediumint int bigint decimal float double year'.split(' '));

/** The tables, from rows with the table, the column, its type, and whether it refuses null. */
function tablesOf(rows: readonly (readonly (string | undefined)[])[]): KnownTable[] {
  const tables = new Map<string, { columns: string[]; numbers: string[]; refusingNull: string[] }>();
  for (const [table = '', column = '', type = '', nulls = ''] of rows) {
    const known = tables.get(table) ?? { columns: [], numbers: [], refusingNull: [] };
    known.columns.push(column);
    if (numberTypes.has(type.toLowerCase())) known.numbers.push(column);
    if (nulls !== '') known.refusingNull.push(column);
    tables.set(table, known);
  }
  return [...tables].map(([name, known]) => ({ name, ...known }));
}

/** A 128-bit hash of the rows, regardless of order. */
function digest(columns: string, from: string): string {
  const hash = `MD5(CONCAT_WS('|', ${columns}))`;
  const half = (part: string): string => `BIT_XOR(CAST(CONV(${part}(${hash}, 16), 16, 10) AS UNSIGNED))`;
  return `(SELECT CONCAT_WS(' ', COUNT(*), ${half('LEFT')}, ${half('RIGHT')}) FROM information_schema.${from})`;
}

function namesBeforeDots(texts: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const text of texts) {
    const tokens = lexSql(text, 'mysql', noPlaceholders);
    for (const [index, { kind, text: name }] of tokens.entries())
      if ((kind === 'word' || kind === 'quoted-name') && tokens[index + 1]?.text === '.')
        names.add(name.replaceAll('`', ''));
  }
  return names;
}
