/** Pages whose rows become JSON as they arrive: the same bytes and the same next page as with row objects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonPage } from '../../../runtime/lists/json-page.js';
import { listOf, type List } from '../../../runtime/lists/list-of.js';
import type { OrderColumn } from '../../../runtime/lists/ordered-sql.js';
import type { Row } from '../../../runtime/handler/json.js';
import { JsonRows, type JsonRowsOrValues } from '../../../runtime/handler/rows-as-json.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres } from '../sql/open-datasource.js';
import { createTable, insertOf, randomOrder, type Walked } from './paging.js';

function textOf(rows: JsonRowsOrValues): string {
  if (!(rows instanceof JsonRows)) return JSON.stringify(rows);
  const { json } = rows;
  return typeof json === 'string' ? json : Buffer.concat(json).toString();
}

describe.each([
  ['PostgreSQL', () => openPostgres('json_page')],
  ['MariaDB', () => openMariadb('json_page')],
])('on %s', (_name, open) => {
  let walked: Walked;
  let ways: Set<string>;

  beforeAll(async () => {
    walked = await open();
    await createTable(walked);
    await walked.server.exec(walked.database, insertOf(walked, new Random(4), 120));
    ways = new Set();
  });

  afterAll(async () => {
    await walked.datasource.close(performance.now());
  });

  function list(random: Random, max: number, sql = 'SELECT * FROM t'): List<Row> {
    const columns = randomOrder(walked, random);
    const definition = { operation: 'GET /t', fulfillment: 'rows', sql };
    return listOf(walked.datasource, {
      ...definition,
      order: { allow: { own: columns }, default: 'own' },
      page: { max },
    });
  }

  /** Compares all pages, and returns their number. */
  async function walkBoth(one: List<Row>, fields?: Readonly<Record<string, string>>): Promise<number> {
    let after: string | null = null;
    for (let count = 1; ; count += 1) {
      const { rows, next } = await one(testCall(), [], { after });
      const page = await jsonPage(one, testCall(), [], { after }, fields);
      const shown =
        fields === undefined
          ? rows
          : rows.map((row) =>
              Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, row[column] ?? null])),
            );
      ways.add(page.rows instanceof JsonRows ? 'json' : 'values');
      expect(textOf(page.rows)).toBe(JSON.stringify(shown));
      expect(page.next).toBe(next);
      if (next === null) return count;
      after = next;
    }
  }

  test('rows of all types, in random orders', async () => {
    const random = new Random(5);
    for (let run = 0; run < runs(5, 400); run += 1) await walkBoth(list(random, 1 + random.below(40)));
    expect(ways).toContain('json');
  });

  test('with fields, of which some have no column, and without the columns of the order', async () => {
    const random = new Random(6);
    for (let run = 0; run < runs(2, 100); run += 1)
      await walkBoth(list(random, 1 + random.below(40)), { number: 'id', other: 'nothing', text: 's' });
  });

  test('large rows, which arrive in pieces', async () => {
    const random = new Random(7);
    for (let run = 0; run < runs(2, 100); run += 1)
      await walkBoth(list(random, 1 + random.below(60), `SELECT t.*, REPEAT('x', 5003) AS wide FROM t`));
  });

  test('a page that ends where the list ends has no next one', async () => {
    expect(await walkBoth(list(new Random(8), 120))).toBe(1);
    expect(await walkBoth(list(new Random(8), 119))).toBe(2);
    expect(await walkBoth(list(new Random(8), 10, 'SELECT * FROM t WHERE id < 0'))).toBe(1);
  });

  test.each([true, false])(
    'one that continues next to one of the same text, which runs first: %s',
    async (isFirst) => {
      const isPostgres = walked.datasource.kind === 'postgresql';
      const special: OrderColumn = isPostgres
        ? { column: 'f', nulls: 'last' }
        : { column: 'count', nulls: 'first' };
      const columns = [special, { column: 'id' }];
      const one = listOf(walked.datasource, {
        ...{ operation: 'GET /t', fulfillment: 'rows', sql: `SELECT t.*, ${Number(isFirst)} AS one FROM t` },
        order: { allow: { own: columns }, default: 'own' },
        page: { max: 7 },
      });
      // Runs the query on several connections, so that each connection has run it.
      const others = async (after: string | null): Promise<string[]> => {
        const { statement, values } = one.chosen([], { after });
        const all = await Promise.all(Array.from({ length: 4 }, () => statement(testCall(), values)));
        return all.map((rows) => JSON.stringify(rows));
      };
      if (!isFirst) await others(null);
      const ids: unknown[] = [];
      for (let after: string | null = null; ;) {
        const page = await one(testCall(), [], { after });
        ids.push(...page.rows.map(({ id }) => id));
        expect(new Set(await others(after))).toEqual(new Set([JSON.stringify(page.rows)]));
        if (page.next === null) break;
        after = page.next;
      }
      expect(new Set(ids).size).toBe(120);
      expect(ids).toHaveLength(120);
    },
  );

  test('a list without pages', async () => {
    const columns = randomOrder(walked, new Random(9));
    const one = listOf(walked.datasource, {
      ...{ operation: 'GET /t', fulfillment: 'rows', sql: 'SELECT * FROM t' },
      order: { allow: { own: columns }, default: 'own' },
    });
    expect(await walkBoth(one)).toBe(1);
  });
});
