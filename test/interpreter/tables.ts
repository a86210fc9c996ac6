/** The statements of random services: their SQL, and their effects on tables in memory. */
import { Stop } from './evaluate.js';
import type { Json, Service, Statement } from './language.js';

export interface Item {
  readonly [column: string]: Json;
  readonly id: number;
  readonly name: string;
  readonly n: number | null;
  readonly note: string | null;
  readonly flag: boolean;
}

/** The rows of one service. */
export interface Tables {
  items: Item[];
  /** Rows written by the service's `log` statements, in order. */
  log: Json[];
}

export const schema: Readonly<Record<'postgresql' | 'mariadb', string>> = {
  postgresql: `CREATE TABLE item (svc int, id int, name varchar(20), n int, note varchar(20), flag boolean, PRIMARY KEY (svc, id));
    CREATE TABLE log (seq serial PRIMARY KEY, svc int, what varchar(200));`,
  mariadb: `CREATE TABLE item (svc int, id int, name varchar(20), n int, note varchar(20), flag boolean, PRIMARY KEY (svc, id)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    CREATE TABLE log (seq int AUTO_INCREMENT PRIMARY KEY, svc int, what varchar(200)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;`,
};

const first: readonly Item[] = [
  { id: 1, name: 'a', n: 1, note: null, flag: true },
  { id: 2, name: 'b', n: 0, note: 'x', flag: false },
  { id: 3, name: 'a', n: null, note: '1', flag: true },
  { id: 4, name: 'true', n: 2, note: 'b', flag: false },
];

export function newTables(): Tables {
  return { items: first.map((item) => ({ ...item })), log: [] };
}

/** SQL that inserts the initial rows of the services. */
export function seed(numbers: readonly number[]): string {
  const text = (value: string | null): string => (value === null ? 'NULL' : `'${value}'`);
  const rows = numbers.flatMap((svc) =>
    first.map(
      ({ id, name, n, note, flag }) =>
        `(${svc}, ${id}, ${text(name)}, ${n ?? 'NULL'}, ${text(note)}, ${String(flag)})`,
    ),
  );
  return `INSERT INTO item (svc, id, name, n, note, flag) VALUES ${rows.join(', ')};`;
}

/** The SQL with a placeholder for the bound value. */
export function sqlOf(
  { does, id }: Statement,
  { number: svc, isTyped }: Pick<Service, 'number' | 'isTyped'>,
  placeholder: string,
): string {
  // A subquery hides the columns from the compiler, so that it cannot report nonexistent ones.
  const hidden = (query: string): string => `SELECT * FROM (${query}) AS items`;
  const plain = `SELECT id, name, n, note, flag FROM item WHERE svc = ${svc}`;
  const read = isTyped ? plain : `${hidden(plain)} WHERE true`;
  switch (does) {
    case 'all':
      return `${read} ORDER BY id`;
    case 'by name':
      return `${read} AND name = ${placeholder} ORDER BY id`;
    case 'by id':
      return `${read} AND id = ${placeholder}`;
    case 'in':
      return `${read} AND id IN (${placeholder}) ORDER BY id`;
    case 'none':
      return `${read} AND id < 0`;
    case 'count':
      return hidden(`SELECT count(*) AS total FROM item WHERE svc = ${svc}`);
    case 'constant':
      return hidden("SELECT 'abc' AS name, 7 AS n");
    case 'log':
      return `INSERT INTO log (svc, what) VALUES (${svc}, ${placeholder})`;
    case 'bump':
      return `UPDATE item SET n = n + 1 WHERE svc = ${svc} AND id = ${placeholder}`;
    case 'remove':
      return `DELETE FROM item WHERE svc = ${svc} AND id = ${placeholder}`;
    case 'add':
      return `INSERT INTO item (svc, id, name, n, note, flag) VALUES (${svc}, ${id ?? 0}, 'new', 0, NULL, true)`;
  }
}

/** Runs the statement; returns its result as seen by the service. */
export function run(
  { does, id }: Statement,
  value: Json,
  tables: Tables,
  { database, number }: Pick<Service, 'database' | 'number'>,
): Json[] {
  const changed = (items: readonly Item[]): Json[] =>
    database === 'mariadb'
      ? [{ insert_id: null, affected_rows: items.length }]
      : items.map((item) => ({ svc: number, ...item }));
  const byId = (item: Item): boolean => item.id === value;
  switch (does) {
    case 'all':
      return copy(tables.items);
    case 'by name':
      return copy(tables.items.filter(({ name }) => name === value));
    case 'by id':
      return copy(tables.items.filter(byId));
    case 'in': {
      const wanted = Array.isArray(value) ? value : [value];
      return copy(tables.items.filter((item) => wanted.includes(item.id)));
    }
    case 'none':
      return [];
    case 'count':
      return [{ total: tables.items.length }];
    case 'constant':
      return [{ name: 'abc', n: 7 }];
    case 'log':
      tables.log.push(value);
      // PostgreSQL returns the log row, which has none of the columns that services read.
      return database === 'mariadb' ? changed([newRow]) : [{ svc: number, what: value }];
    case 'bump': {
      tables.items = tables.items.map((item) =>
        byId(item) ? { ...item, n: item.n === null ? null : item.n + 1 } : item,
      );
      return changed(tables.items.filter(byId));
    }
    case 'remove': {
      const gone = tables.items.filter(byId);
      tables.items = tables.items.filter((item) => !byId(item));
      return changed(gone);
    }
    case 'add': {
      const added: Item = { ...newRow, id: id ?? 0 };
      // Unique constraint violation.
      if (tables.items.some((item) => item.id === added.id)) throw new Stop(409);
      tables.items = [...tables.items, added].sort((a, b) => a.id - b.id);
      return changed([added]);
    }
  }
}

const newRow: Item = { id: 0, name: 'new', n: 0, note: null, flag: true };

function copy(items: readonly Item[]): Json[] {
  return items.map((item) => ({ ...item }));
}
