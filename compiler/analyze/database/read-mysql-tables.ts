/** Reads the tables of a MySQL or MariaDB database from information_schema. */
import { sql } from '../../notation/sql-writer.js';
import type { Written } from '../../notation/written.js';
import { quotedName, writtenName } from '../../read/sql/quoted-name.js';
import { tablesOf, type ColumnRow, type DatabaseTables, type KeyRow } from './read-tables.js';
import { textOf, type Server } from './server.js';

const columnsSql = `
  SELECT t.TABLE_NAME, t.TABLE_TYPE, c.COLUMN_NAME, c.IS_NULLABLE, c.COLUMN_DEFAULT, c.EXTRA, c.COLUMN_DEFAULT IS NULL,
    c.DATA_TYPE, version(), database(), c.COLUMN_TYPE
  FROM information_schema.TABLES t JOIN information_schema.COLUMNS c
    ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
  WHERE t.TABLE_SCHEMA = database()
  ORDER BY t.TABLE_NAME, c.ORDINAL_POSITION`;

const keysSql = `
  SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
  FROM information_schema.KEY_COLUMN_USAGE
  WHERE TABLE_SCHEMA = database() AND (REFERENCED_TABLE_SCHEMA IS NULL OR REFERENCED_TABLE_SCHEMA = database())
  ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`;

export async function readMysqlTables(server: Server): Promise<DatabaseTables> {
  // The server's sql_mode affects quotes and escapes in table definitions; the schema assumes the default mode.
  await server.query("SET sql_mode = ''");
  const columns = (await server.query(columnsSql)).map((row) => row.map(textOf));
  const keys: (KeyRow & {
    readonly constraint: string;
    readonly columns: string[];
    readonly targets: string[];
  })[] = [];
  for (const [name = '', constraint = '', column = '', otherTable = '', target = ''] of (
    await server.query(keysSql)
  ).map((row) => row.map(textOf))) {
    const table = written(name);
    const last = keys.at(-1);
    if (last?.table === table && last.constraint === constraint) {
      last.columns.push(column);
      last.targets.push(target);
    } else {
      const kind = constraint === 'PRIMARY' ? 'primary' : otherTable === '' ? 'unique' : 'foreign';
      keys.push({
        table,
        constraint,
        kind,
        columns: [column],
        otherTable: written(otherTable),
        targets: [target],
      });
    }
  }
  const rows = columns.flatMap(
    ([
      table = '',
      kind,
      name = '',
      nullable,
      value = '',
      extra = '',
      hasNone,
      type = '',
      version = '',
      database = '',
      declared = '',
    ]): ColumnRow[] => {
      if (kind === 'SEQUENCE') return [];
      const isAlwaysMade = /auto_increment|generated|on update/i.test(
        extra.replace(/DEFAULT_GENERATED/i, ''),
      );
      const isBytes = /binary|blob/i.test(type);
      const isSpatial = /point|geometry|linestring|polygon|geomcollection/i.test(type);
      const fallback =
        isAlwaysMade || hasNone === '1' || value === 'NULL'
          ? undefined
          : sql.ofCatalogue(withoutDatabase(defaultSql(value, type, extra, version), database));
      const isKey = keys.some(
        (key) => key.kind === 'primary' && key.table === written(table) && key.columns.includes(name),
      );
      // A new row is read by its key, so a generated key value must be known before the insert.
      const keyValue = isKey && fallback !== undefined && isCall.test(fallback) ? fallback : undefined;
      const isFilled = isAlwaysMade || keyValue !== undefined || isTime.test(value);
      return [
        {
          ...{ table, name, isFilled, isBytes, isSpatial, keyValue, declared },
          quotedTable: written(table),
          quoted: written(name),
          isView: /VIEW/i.test(kind ?? ''),
          isNotNull: nullable === 'NO',
          default: isFilled ? undefined : fallback,
        },
      ];
    },
  );
  const tables = (await tablesOf(server, rows, keys)).map((table) => ({
    ...table,
    columns: table.columns.map((column) => ({
      ...column,
      isMoment: column.type.name === 'timestamp',
      default: column.isBytes || hasFormOfColumn.has(column.type.name) ? undefined : column.default,
    })),
  }));
  const sequences = columns.flatMap(([table = '', kind]) => (kind === 'SEQUENCE' ? [written(table)] : []));
  const schema = await schemaOf(server, rows, [...new Set(sequences)]);
  const text = withoutDatabase(schema, columns[0]?.[9] ?? '').trimEnd();
  return { dialect: 'mysql', tables, schema: [{ kind: 'table', name: '', sql: text }] };
}

/** JSON and bit columns: values are only bound in the column's form if they are stored directly, not inside of COALESCE. */
const hasFormOfColumn = new Set(['json', 'varbinary']);

/** Removes the database name that MariaDB adds to sequences, because the name differs in other databases. */
function withoutDatabase(sql: string, database: string): string {
  return sql.replaceAll(`${quotedName(database, 'mysql')}.`, '');
}

const isCall = /^\(*[a-z_]\w*\(|^current_timestamp\b/i;

const isTime = /^(?:current_timestamp|now|localtimestamp)\b/i;

/** MariaDB reports an expression, MySQL the plain value of a constant. Bits are bound as numbers, so `b'1'` is converted. */
function defaultSql(value: string, type: string, extra: string, version: string): string {
  const bits = /^b'([01]+)'$/.exec(value)?.[1];
  if (bits !== undefined) return String(BigInt(`0b${bits}`));
  if (/mariadb/i.test(version) || /DEFAULT_GENERATED/i.test(extra)) return value;
  return /^(?:tinyint|smallint|mediumint|int|bigint|decimal|float|double|year)$/i.test(type)
    ? value
    : sql.string(value, 'mysql');
}

function written(name: string): Written<'sql'> {
  return writtenName(name, 'mysql');
}

async function schemaOf(
  server: Server,
  rows: readonly ColumnRow[],
  sequences: readonly string[],
): Promise<string> {
  const names = new Map(rows.map(({ quotedTable, isView }) => [quotedTable, isView]));
  const shown = async (name: string): Promise<string> => {
    const [row] = await server.query(`SHOW CREATE SEQUENCE ${name}`);
    return `${textOf(row?.[1])};`;
  };
  const made = async (isView: boolean): Promise<string[]> => {
    const texts: string[] = [];
    for (const [name, isOther] of names) {
      if (isOther !== isView) continue;
      const [row] = await server.query(`SHOW CREATE TABLE ${name}`);
      texts.push(
        `${textOf(row?.[1])
          .replace(/ AUTO_INCREMENT=\d+/, '')
          .replace(/ ALGORITHM=\w+ DEFINER=\S+ SQL SECURITY \w+/, '')};`,
      );
    }
    return texts;
  };
  const parts = [
    'SET foreign_key_checks = 0;',
    ...(await Promise.all(sequences.map(shown))),
    ...(await made(false)),
    'SET foreign_key_checks = 1;',
    ...(await made(true)),
  ];
  return `${parts.join('\n\n')}\n`;
}
