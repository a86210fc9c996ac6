/** The statements of random operations on both databases, and the tables that they use. */
import type { Notation } from './operation.js';

type Database = Notation['database'];

const columns = 'id, name, n, note, flag, price, at';

/** The kinds of values bound at each `?`, and for reads the columns of the rows. */
export interface StatementKind {
  readonly binds: readonly ('text' | 'whole' | 'ids')[];
  readonly columns?: readonly string[];
  /** Whether the statement changes only data that other statements do not read. */
  readonly isAppend?: true;
  readonly sql: (svc: number, database: Database) => string;
}

const item =
  (rest: string): StatementKind['sql'] =>
  (svc) =>
    `SELECT ${columns} FROM item WHERE svc = ${svc}${rest}`;
const itemColumns = columns.split(', ');

export const reads: Readonly<Record<string, StatementKind>> = {
  all: { binds: [], columns: itemColumns, sql: item(' ORDER BY id') },
  named: { binds: ['text'], columns: itemColumns, sql: item(' AND name = ? ORDER BY id') },
  one: { binds: ['whole'], columns: itemColumns, sql: item(' AND id = ?') },
  some: { binds: ['ids'], columns: itemColumns, sql: item(' AND id IN (?) ORDER BY id') },
  optional: {
    binds: ['text', 'text'],
    columns: itemColumns,
    sql: item(' AND (? IS NULL OR note = ?) ORDER BY id'),
  },
  none: { binds: [], columns: itemColumns, sql: item(' AND id < 0') },
  compared: {
    binds: ['text'],
    columns: ['id', 'positive', 'same'],
    sql: (svc) => `SELECT id, n > 0 AS positive, note = ? AS same FROM item WHERE svc = ${svc} ORDER BY id`,
  },
  total: {
    binds: [],
    columns: ['total', 'top'],
    sql: (svc) => `SELECT count(*) AS total, max(n) AS top FROM item WHERE svc = ${svc}`,
  },
  children: {
    binds: ['whole'],
    columns: ['item_id', 'title', 'weight'],
    sql: (svc) => childrenSql(svc, ' AND item_id = ?'),
  },
  titles: {
    binds: ['text'],
    columns: ['id', 'title'],
    sql: (svc) =>
      `SELECT i.id, p.title FROM item i JOIN part p ON p.svc = i.svc AND p.item_id = i.id WHERE i.svc = ${svc} AND i.name = ? ORDER BY p.place`,
  },
};

/** PostgreSQL returns the changed rows. */
const returning = (database: Database): string => (database === 'postgresql' ? ' RETURNING id' : '');

export const changes: Readonly<Record<string, StatementKind>> = {
  log: {
    binds: ['text'],
    isAppend: true,
    sql: (svc) => `INSERT INTO log (svc, what) VALUES (${svc}, ?)`,
  },
  logged: {
    binds: ['text'],
    columns: ['what'],
    isAppend: true,
    sql: (svc) => `INSERT INTO log (svc, what) VALUES (${svc}, ?) RETURNING what`,
  },
  note: { binds: ['text', 'whole'], sql: (svc) => `UPDATE item SET note = ? WHERE svc = ${svc} AND id = ?` },
  bump: {
    binds: ['whole', 'whole'],
    sql: (svc, database) => `UPDATE item SET n = n + ? WHERE svc = ${svc} AND id = ?${returning(database)}`,
  },
  flag: { binds: ['whole'], sql: (svc) => `UPDATE item SET flag = NOT flag WHERE svc = ${svc} AND id = ?` },
  remove: {
    binds: ['whole'],
    sql: (svc, database) => `DELETE FROM item WHERE svc = ${svc} AND id = ?${returning(database)}`,
  },
  add: {
    binds: ['whole', 'text', 'whole'],
    sql: (svc) =>
      `INSERT INTO item (svc, id, name, n, note, flag, price, at) VALUES (${svc}, ?, ?, ?, NULL, true, 1.5, NULL)`,
  },
};

/** The statement of a step `page`, its orders, and the statement of a step `children`. */
export const pageSql = item('');
export const orders: Readonly<Record<string, Readonly<Record<Database, string>>>> = {
  newest: { postgresql: 'at DESC NULLS LAST', mariadb: 'at DESC' },
  name: { postgresql: 'name, price DESC NULLS LAST', mariadb: 'name, price DESC' },
  n: { postgresql: 'n NULLS FIRST', mariadb: 'n' },
  note: { postgresql: 'note DESC NULLS LAST, id', mariadb: 'note DESC, id' },
};
export const childrenSql = (svc: number, condition: string): string =>
  `SELECT item_id, title, weight FROM part WHERE svc = ${svc}${condition} ORDER BY place`;

/** The tables; both databases compare strings by code point. */
export function schemaOf(database: Database): string {
  const [text, time, number, end] =
    database === 'postgresql'
      ? ['varchar(20) COLLATE "C"', 'timestamp', 'serial', '']
      : [
          'varchar(20)',
          'datetime(6)',
          'int AUTO_INCREMENT',
          ' CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin',
        ];
  return `CREATE TABLE item (svc int, id int, name ${text} NOT NULL, n int, note ${text}, flag boolean NOT NULL, price numeric(8, 2), at ${time}, PRIMARY KEY (svc, id))${end};
    CREATE TABLE part (svc int, place int, item_id int, title ${text}, weight int, PRIMARY KEY (svc, place))${end};
    CREATE TABLE log (seq ${number} PRIMARY KEY, svc int, what ${text})${end};`;
}

const items = [
  "1, 'a', 1, NULL, true, 9.90, '2026-01-01 09:00:00'",
  "2, 'b', 0, 'x', false, NULL, '2026-01-01 09:00:00.5'",
  "3, 'a', NULL, '1', true, 10.00, NULL",
  "4, 'true', 2, 'b', false, 9.9, '2025-12-31 23:59:59.000001'",
  "5, 'Ä', NULL, '', true, 0.05, '2026-01-01 09:00:00'",
];
const parts = ["1, 1, 'one', 3", "2, 1, 'two', NULL", '3, 3, NULL, 5', "4, NULL, 'lost', 1", "5, 5, 'a', 0"];

/** The initial rows of each variant. */
export function seedOf(numbers: readonly number[]): string {
  const rows = (all: readonly string[]): string =>
    numbers.flatMap((svc) => all.map((row) => `(${svc}, ${row})`)).join(', ');
  return `INSERT INTO item (svc, ${columns}) VALUES ${rows(items)};
    INSERT INTO part (svc, place, item_id, title, weight) VALUES ${rows(parts)};`;
}
