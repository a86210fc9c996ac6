/** Filters of lists on both databases: random conditions return the rows that a comparison of every row finds. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { get, type JsonObject } from '../../../runtime/handler/json.js';
import type { FilterDefinition } from '../../../runtime/lists/filter.js';
import { listOf, type List } from '../../../runtime/lists/list-of.js';
import { rowsOfCaller } from '../../../runtime/postgres/rows-of-caller.js';
import { inList } from '../../../runtime/sql/in-lists.js';
import { sql } from '../../../runtime/sql/sql-template.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres, read, type TestDatasource } from '../sql/open-datasource.js';
import {
  createTable,
  definition,
  insert,
  randomFilter,
  randomRows,
  randomTree,
  type ModelRow,
} from './filtered-rows.js';

const tenantOf = { 'app.tenant': (call: Call) => get(call.caller, 'tenant') };

const role = `filter_reader_${process.pid}`;

describe.each([
  ['PostgreSQL', () => openPostgres('filters'), false],
  [
    'PostgreSQL with row-level security',
    () => openPostgres('filters_rls', { context: rowsOfCaller({ settings: tenantOf, role }) }),
    true,
  ],
  ['MariaDB', () => openMariadb('filters'), false],
])('on %s', (_name, open, isOfTenant) => {
  let opened: TestDatasource;
  let rows: ModelRow[];

  beforeAll(async () => {
    opened = await open();
    await createTable(opened);
    rows = randomRows(new Random(1), 150);
    await insert(opened, rows);
    if (!isOfTenant) return;
    await opened.server.exec(
      opened.database,
      `CREATE ROLE ${role} NOLOGIN; GRANT SELECT ON t TO ${role};
       ALTER TABLE t ENABLE ROW LEVEL SECURITY;
       CREATE POLICY own ON t USING (tenant = current_setting('app.tenant', true))`,
    );
  });

  afterAll(async () => {
    await opened.datasource.close(performance.now());
    if (isOfTenant) await opened.server.exec(opened.database, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  const lists = (filter: FilterDefinition = definition): readonly List<{ id: number }>[] => {
    const list = {
      ...{ operation: 'GET /t', fulfillment: 't', filter },
      order: {
        allow: {
          id: [{ column: 'id', descending: true as const }],
          n: [{ column: 'n', nulls: usualNulls(opened) }, { column: 'id' }],
        },
        default: 'id',
      },
      page: { max: 200, after: 'query.after', total: 1000 },
    };
    const marker = opened.datasource.kind === 'postgresql' ? '$1' : '?';
    return [
      listOf(opened.datasource, { ...list, sql: `SELECT * FROM t WHERE id > ${marker}` }),
      // The number of markers varies.
      listOf(opened.datasource, { ...list, sql: sql`SELECT * FROM t WHERE id > 0 AND tenant ${inList()}` }),
    ];
  };

  test('every operator finds the rows of a comparison, page by page', async () => {
    const random = new Random(2);
    const [byId, byTenant] = lists();
    for (let run = 0; run < runs(150, 3000); run += 1) {
      const { asked, matches } = randomFilter(random);
      const tenants = random.pick([['a'], ['b'], ['a', 'b']]);
      const least = random.below(20);
      const tenant = isOfTenant ? random.pick(['a', 'b']) : undefined;
      const isVarying = random.chance(40);
      const list = isVarying ? byTenant : byId;
      const expected = rows.filter(
        (row) =>
          matches(row) &&
          (tenant === undefined || row.tenant === tenant) &&
          (isVarying ? tenants.includes(row.tenant) : row.id > least),
      );
      if (list === undefined) throw new Error('no list');
      const found = await walk(list, isVarying ? [tenants] : [least], {
        ...{ by: random.pick(['id', 'n']), limit: 1 + random.below(60), filter: asked },
        tenant,
      });
      expect(
        found.toSorted((one, other) => one - other),
        JSON.stringify({ asked, tenants, least }),
      ).toEqual(expected.map(({ id }) => id));
    }
  });

  test('trees of conditions find the rows of a comparison with the three values of SQL', async () => {
    const random = new Random(3);
    const [byId, byTenant] = lists(ofFunction);
    for (let run = 0; run < runs(150, 3000); run += 1) {
      const { tree, test: holds } = randomTree(random);
      const tenant = isOfTenant ? random.pick(['a', 'b']) : undefined;
      const isVarying = random.chance(40);
      const list = isVarying ? byTenant : byId;
      const expected = rows.filter(
        (row) =>
          holds(row) === true &&
          (tenant === undefined || row.tenant === tenant) &&
          (!isVarying || row.tenant === 'b'),
      );
      if (list === undefined) throw new Error('no list');
      const values = isVarying ? [['b']] : [0];
      const asked = { by: random.pick(['id', 'n']), limit: 1 + random.below(60), filter: tree };
      const found = await walk(list, values, { ...asked, tenant });
      expect(
        found.toSorted((one, other) => one - other),
        JSON.stringify(tree),
      ).toEqual(expected.map(({ id }) => id));
      const { total } = await list({ ...testCall(), caller: { tenant: tenant ?? 'a' } }, values, asked);
      expect(total, JSON.stringify(tree)).toBe(expected.length);
    }
  });

  test('a value of a tree that only the database can refuse is 400', async () => {
    const [list] = lists(ofFunction);
    const call = { ...testCall(), caller: { tenant: 'a' } };
    const huge = { or: [{ not: { name: 'n', operator: 'gt', value: '9'.repeat(30) } }] };
    if (opened.datasource.kind === 'postgresql')
      await expect(list?.(call, [0], { filter: huge })).rejects.toMatchObject({ status: 400 });
    const filter = { name: 's', value: '\ud800' };
    await expect(list?.(call, [0], { filter })).rejects.toMatchObject({ status: 400 });
  });

  test('a value that only the database can refuse is 400 and named', async () => {
    const [list] = lists();
    const call = { ...testCall(), caller: { tenant: 'a' } };
    const huge = { n: { gt: '9'.repeat(30) }, s: 'a' };
    if (opened.datasource.kind === 'postgresql')
      await expect(list?.(call, [0], { filter: huge })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("'n[gt]'") as string,
      });
    await expect(list?.(call, [0], { filter: { s: '\ud800' } })).rejects.toMatchObject({ status: 400 });
  });
});

const ofFunction: FilterDefinition = { function: 'criteria', allow: definition.allow };

function usualNulls({ datasource }: TestDatasource): 'first' | 'last' {
  return datasource.kind === 'postgresql' ? 'last' : 'first';
}

interface Walk {
  readonly by: string;
  readonly limit: number;
  readonly filter: JsonObject;
  readonly tenant: string | undefined;
}

/** The ids of all pages. */
async function walk(
  list: List<{ id: number }>,
  values: Parameters<List<{ id: number }>>[1],
  { tenant, ...asked }: Walk,
): Promise<number[]> {
  const ids: number[] = [];
  let after: string | null = null;
  do {
    const page = await list({ ...testCall(), caller: { tenant: tenant ?? 'a' } }, values, {
      ...asked,
      after,
    });
    ids.push(...page.rows.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  return ids;
}

const nullNode = (name: string): JsonObject => ({ name, operator: 'null', value: true });

const namedNulls = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { null: 'true' }]));

test.each([
  ['filters', definition, namedNulls],
  ['trees', ofFunction, (names: readonly string[]) => ({ or: names.map(nullNode) })],
])(
  'PostgreSQL keeps the first 50 forms of a list with %s, and of its total',
  async (_what, filtered, write) => {
    const { server, database, datasource } = await openPostgres('filter_forms', { pool: { max: 1 } });
    try {
      await createTable({ server, database, datasource });
      const list = listOf(datasource, {
        ...{ operation: 'GET /t', fulfillment: 't', filter: filtered, sql: 'SELECT * FROM t' },
        order: { allow: { id: [{ column: 'id' }] }, default: 'id' },
        page: { max: 10, total: 100 },
      });
      const names = Object.keys(definition.allow).filter((name) => name !== 'ok');
      // 63 different sets of names, each twice.
      for (const _ of [1, 2])
        for (let set = 1; set < 64; set += 1) {
          const chosen = names.filter((_name, index) => (set & (1 << index)) !== 0);
          await list(testCall(), [], { filter: write(chosen) });
        }
      const kept = await read(
        datasource,
        `SELECT statement LIKE 'SELECT count(%' AS "isTotal", count(*)::int AS n FROM pg_prepared_statements
       WHERE statement LIKE '%AS list%' AND statement NOT LIKE '%pg_prepared%' GROUP BY 1 ORDER BY 1`,
      );
      expect(kept).toEqual([
        { isTotal: false, n: 50 },
        { isTotal: true, n: 50 },
      ]);
    } finally {
      await datasource.close(performance.now());
    }
  },
);
