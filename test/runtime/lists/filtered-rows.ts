/** Random filters of a table, and the rows that they should return, found by comparing every row here. */
import type { FilterColumn, FilterOperator, FilterType } from '../../../runtime/lists/filter-types.js';
import type { FilterDefinition } from '../../../runtime/lists/filter.js';
import type { Json, JsonObject } from '../../../runtime/handler/json.js';
import type { TestDatasource } from '../sql/open-datasource.js';
import type { Random } from '../../helpers/random.js';

interface ColumnModel {
  readonly type: FilterType;
  readonly postgres: string;
  readonly mariadb: string;
  /** Values as JSON, in the order of the column. */
  readonly values: readonly (string | boolean)[];
}

const strings = [
  '',
  '%',
  '100%',
  'A',
  'A_b',
  'a',
  'a%b',
  'a\\b',
  'a_B',
  'aXb',
  'aXB',
  'b|c',
  '|%',
  '\\_',
  "'",
  '😀',
];

const ofOrder = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null'] as const;

const columns: Readonly<Record<string, ColumnModel>> = {
  n: {
    ...{ type: 'integer', postgres: 'integer', mariadb: 'integer' },
    values: ['-5', '0', '7', '2147483647'],
  },
  big: {
    ...{ type: 'integer', postgres: 'bigint', mariadb: 'bigint' },
    values: ['-9223372036854775807', '0', '9007199254740992', '9007199254740993'],
  },
  price: {
    ...{ type: 'number', postgres: 'numeric', mariadb: 'decimal(30, 10)' },
    values: [...['-0.5', '0', '1.1', '12345678901234567890.0000000001'], '12345678901234567890.0000000002'],
  },
  s: {
    ...{ type: 'string', postgres: 'text COLLATE "C"', mariadb: 'varchar(20) COLLATE utf8mb4_bin' },
    // By code points, as both collations compare.
    values: strings.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
  },
  ok: { type: 'boolean', postgres: 'boolean', mariadb: 'boolean', values: [false, true] },
  day: {
    ...{ type: 'date', postgres: 'date', mariadb: 'date' },
    values: ['1999-12-31', '2026-01-01', '2026-01-02'],
  },
  at: {
    ...{ type: 'timestamp', postgres: 'timestamptz', mariadb: 'timestamp(6) NULL' },
    values: ['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000002Z', '2026-06-01T12:00:00Z'],
  },
  u: {
    ...{ type: 'uuid', postgres: 'uuid', mariadb: 'uuid' },
    values: ['00000000-0000-4000-8000-000000000001', 'ffffffff-0000-4000-8000-000000000000'],
  },
};

/** A row with the index of each value in its column; undefined for null. */
export interface ModelRow {
  readonly id: number;
  readonly tenant: string;
  readonly values: Readonly<Record<string, number | undefined>>;
}

export async function createTable({ server, database, datasource }: TestDatasource): Promise<void> {
  const isPostgres = datasource.kind === 'postgresql';
  const own = Object.entries(columns).map(
    ([name, { postgres, mariadb }]) => `${name} ${isPostgres ? postgres : mariadb}`,
  );
  await server.exec(
    database,
    `CREATE TABLE t (id integer PRIMARY KEY, tenant varchar(1) NOT NULL, ${own.join(', ')})`,
  );
}

export function randomRows(random: Random, count: number): ModelRow[] {
  return random.some(count, (index) => ({
    id: index + 1,
    tenant: random.pick(['a', 'b']),
    values: Object.fromEntries(
      Object.entries(columns).map(([name, { values }]) => [
        name,
        random.chance(30) ? undefined : random.below(values.length),
      ]),
    ),
  }));
}

export async function insert(
  { server, database, datasource }: TestDatasource,
  rows: readonly ModelRow[],
): Promise<void> {
  const isPostgres = datasource.kind === 'postgresql';
  const literal = (name: string, index: number | undefined): string => {
    const value = index === undefined ? undefined : columns[name]?.values[index];
    if (value === undefined) return 'NULL';
    if (typeof value === 'boolean') return String(value);
    const text = isPostgres ? value : value.replaceAll('\\', '\\\\').replace(/^(.{10})T(.*)Z$/, '$1 $2');
    return `'${text.replaceAll("'", "''")}'`;
  };
  const all = rows.map(
    ({ id, tenant, values }) =>
      `(${[id, `'${tenant}'`, ...Object.keys(columns).map((name) => literal(name, values[name]))].join(', ')})`,
  );
  // The server has another time zone.
  const zone = isPostgres ? '' : "SET time_zone = '+00:00'; ";
  await server.exec(
    database,
    `${zone}INSERT INTO t (id, tenant, ${Object.keys(columns).join(', ')}) VALUES ${all.join(', ')}`,
  );
}

export function operatorsOf(type: FilterType): readonly FilterOperator[] {
  if (type === 'boolean' || type === 'uuid') return ['eq', 'ne', 'in', 'null'];
  return type === 'string' ? [...ofOrder, 'contains', 'startsWith'] : ofOrder;
}

export const definition: FilterDefinition = {
  from: 'query',
  allow: Object.fromEntries(
    Object.entries(columns).map(([column, { type }]): [string, FilterColumn] => [
      column,
      { column, type, operators: operatorsOf(type) },
    ]),
  ),
};

/** A filter as a request sends it, and the rows that meet it. */
export interface RandomFilter {
  readonly asked: JsonObject;
  readonly matches: (row: ModelRow) => boolean;
}

export function randomFilter(random: Random): RandomFilter {
  const asked: Record<string, Record<string, Json>> = {};
  const tests: ((row: ModelRow) => boolean)[] = [];
  for (let count = random.below(4); count > 0; count -= 1) {
    const name = random.pick(Object.keys(columns));
    const column = columns[name];
    if (column === undefined) continue;
    const operator = random.pick(operatorsOf(column.type));
    if (asked[name]?.[operator] !== undefined) continue;
    const { value, test } = condition(column, operator, random);
    (asked[name] ??= {})[operator] = value;
    tests.push((row) => test(row.values[name]));
  }
  return { asked, matches: (row) => tests.every((test) => test(row)) };
}

/** A tree as a user function returns it, and for each row true, false, or undefined where SQL does not know. */
export interface RandomTree {
  readonly tree: JsonObject;
  readonly test: (row: ModelRow) => boolean | undefined;
}

/** A tree of at most `depth` levels, with at most 40 nodes. */
export function randomTree(random: Random, depth = 3): RandomTree {
  const kind = depth === 0 ? 'condition' : random.pick(['condition', 'not', 'and', 'or'] as const);
  if (kind === 'condition') {
    const [name, column] = random.pick(Object.entries(columns));
    const operator = random.pick(operatorsOf(column.type));
    const { value, test } = condition(column, operator, random);
    const isKnown =
      operator === 'ne' ||
      operator === 'null' ||
      (operator === 'in' && Array.isArray(value) && value.length === 0);
    const isWritten = operator !== 'eq' || random.chance(50);
    return {
      tree: { name, ...(isWritten ? { operator } : {}), value },
      test: ({ values }) => (values[name] === undefined && !isKnown ? undefined : test(values[name])),
    };
  }
  if (kind === 'not') {
    const { tree, test } = randomTree(random, depth - 1);
    return {
      tree: { not: tree },
      test: (row) => {
        const result = test(row);
        return result === undefined ? undefined : !result;
      },
    };
  }
  const parts = random.some(random.below(4), () => randomTree(random, depth - 1));
  // The value that decides, whatever the other parts are.
  const deciding = kind === 'or';
  return {
    tree: { [kind]: parts.map(({ tree }) => tree) },
    test: (row) => {
      const results = parts.map(({ test }) => test(row));
      if (results.includes(deciding)) return deciding;
      return results.includes(undefined) ? undefined : !deciding;
    },
  };
}

interface RandomCondition {
  readonly value: Json;
  /** Gets the index of the value in its column. */
  readonly test: (index: number | undefined) => boolean;
}

function condition({ values, type }: ColumnModel, operator: FilterOperator, random: Random): RandomCondition {
  const at = random.below(values.length);
  const sent = (index: number): Json => {
    const value = values[index] ?? '';
    return typeof value === 'boolean' && random.chance(50) ? String(value) : value;
  };
  const compared = (test: (index: number) => boolean): RandomCondition => ({
    value: sent(at),
    test: (index) => index !== undefined && test(index),
  });
  switch (operator) {
    case 'eq':
      return compared((index) => index === at);
    case 'ne':
      return { value: sent(at), test: (index) => index !== at };
    case 'gt':
      return compared((index) => index > at);
    case 'gte':
      return compared((index) => index >= at);
    case 'lt':
      return compared((index) => index < at);
    case 'lte':
      return compared((index) => index <= at);
    case 'in': {
      const several = random.some(random.below(6), () => random.below(values.length));
      return { value: several.map(sent), test: (index) => index !== undefined && several.includes(index) };
    }
    case 'null': {
      const isNull = random.chance(50);
      return {
        value: random.chance(50) ? isNull : String(isNull),
        test: (index) => (index === undefined) === isNull,
      };
    }
    case 'contains':
    case 'startsWith': {
      if (type !== 'string') throw new Error(`${operator} of ${type}`);
      const text = random.pick(['', '%', '_', '\\', '|', 'A', 'a', 'xb', 'A_', '0%', '|%', "'", '😀']);
      const lower = (one: string | boolean | undefined): string => String(one).toLowerCase();
      return {
        value: text,
        test: (index) => {
          if (index === undefined) return false;
          const [whole, part] = [lower(values[index]), lower(text)];
          return operator === 'contains' ? whole.includes(part) : whole.startsWith(part);
        },
      };
    }
  }
}
