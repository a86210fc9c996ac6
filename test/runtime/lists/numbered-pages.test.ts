/** Pages by number, offset and cursor in both directions, with totals and URLs, compared with a list that JavaScript sorts and cuts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { urlOf } from '../../../runtime/http/request-target.js';
import { listOf, type List, type Page } from '../../../runtime/lists/list-of.js';
import type { OrderColumn } from '../../../runtime/lists/ordered-sql.js';
import { inList } from '../../../runtime/sql/in-lists.js';
import { sql } from '../../../runtime/sql/sql-template.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres, type TestDatasource } from '../sql/open-datasource.js';

interface Asset extends Row {
  id: number;
  n: number | null;
  s: string | null;
  price: number | null;
}

const texts = ['%', '_', '\\', "'", '', 'a', 'A', 'a%', 'a_', 'a\\b', 'ä', '😀', '\uFFFD', '<>"&?#'];

function randomAssets(random: Random, count: number): Asset[] {
  return random.some(count, (at) => ({
    id: at + 1,
    n: random.chance(25) ? null : random.below(4) - 1,
    s: random.chance(25) ? null : random.pick(texts),
    price: random.chance(25) ? null : random.pick([0, 0.25, -1.5, 1000000]),
  }));
}

function written(value: string | number | null, isPostgres: boolean): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  const text = value.replaceAll("'", "''");
  return `'${isPostgres ? text : text.replaceAll('\\', '\\\\')}'`;
}

/** The order of the database: by bytes of UTF-8. */
function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return one - Number(other);
}

function compareAssets(columns: readonly OrderColumn[]): (one: Asset, other: Asset) => number {
  return (one, other) => {
    for (const { column, descending, nulls } of columns) {
      const [left, right] = [one[column], other[column]] as (string | number | null)[];
      if (left === right) continue;
      if (left === null || left === undefined) return nulls === 'first' ? -1 : 1;
      if (right === null || right === undefined) return nulls === 'first' ? 1 : -1;
      return descending === true ? -compareValues(left, right) : compareValues(left, right);
    }
    return 0;
  };
}

function randomColumns(random: Random, isPostgres: boolean): OrderColumn[] {
  const names = [...new Set(random.some(random.below(4), () => random.pick(['n', 's', 'price'])))];
  const columns = names.map((column): OrderColumn => {
    const isDescending = random.chance(50);
    const usual = isDescending === isPostgres ? 'first' : 'last';
    const nulls = isPostgres && random.chance(30) ? (usual === 'first' ? 'last' : 'first') : usual;
    const moved = nulls === usual ? {} : { isMoved: true as const };
    return { column, ...(isDescending ? { descending: true } : {}), nulls, ...moved };
  });
  return [...columns, { column: 'id', ...(random.chance(50) ? { descending: true } : {}) }];
}

/** A call of a request with that URL. */
function callOf(url: string): Call {
  return { ...testCall(), url: urlOf(url) };
}

/** The parameters in the query of a URL. */
function askedBy(url: string): Record<string, Json> {
  const query = urlOf(url).query.map(([name, value]) => [name === 'page' ? 'number' : name, value] as const);
  return { after: null, ...Object.fromEntries(query) };
}

describe.each([
  ['PostgreSQL', () => openPostgres('numbered_pages')],
  ['MariaDB', () => openMariadb('numbered_pages')],
])('on %s', (_name, open) => {
  let opened: TestDatasource;
  let assets: Asset[];

  beforeAll(async () => {
    opened = await open();
    const { server, database, datasource } = opened;
    const isPostgres = datasource.kind === 'postgresql';
    const text = isPostgres
      ? 'text COLLATE "C"'
      : 'varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin';
    await server.exec(
      database,
      `CREATE TABLE asset (id integer PRIMARY KEY, n integer, s ${text}, price numeric(12, 2))`,
    );
    assets = randomAssets(new Random(1), 43);
    const rows = assets.map((row) =>
      [row.id, row.n, row.s, row.price].map((one) => written(one, isPostgres)),
    );
    await server.exec(
      database,
      `INSERT INTO asset (id, n, s, price) VALUES ${rows.map((row) => `(${row.join(', ')})`).join(', ')}`,
    );
  });

  afterAll(async () => {
    await opened.datasource.close(performance.now());
  });

  /** A random list, and the rows that it has. */
  function randomList(random: Random): {
    readonly list: List<Asset>;
    readonly values: readonly Json[];
    readonly rows: readonly Asset[];
    readonly max: number;
    readonly maxOffset: number;
    readonly maxTotal: number;
    readonly shown: string;
  } {
    const { kind } = opened.datasource;
    const columns = randomColumns(random, kind === 'postgresql');
    const marker = kind === 'postgresql' ? '$1' : '?';
    const least = random.below(4) - 1;
    const some = random.pick([random.some(5, () => random.pick(texts)), [], ['missing']]);
    const [inner, values, isIncluded] = random.pick<
      readonly [Parameters<typeof listOf>[1]['sql'], readonly Json[], (asset: Asset) => boolean]
    >([
      ['SELECT * FROM asset', [], () => true],
      [`SELECT * FROM asset WHERE n >= ${marker} -- some`, [least], ({ n }) => n !== null && n >= least],
      [sql`SELECT * FROM asset WHERE s ${inList(1)}`, [some], ({ s }) => s !== null && some.includes(s)],
    ]);
    const [max, maxOffset, maxTotal] = [1 + random.below(8), random.below(50), 1 + random.below(60)];
    const list = listOf<Asset>(opened.datasource, {
      ...{ operation: 'GET /assets', fulfillment: 'assets', sql: inner },
      order: { allow: { any: columns }, default: 'any' },
      page: {
        ...{ max, maxOffset, total: maxTotal, previous: true, links: ['key'] },
        ...{ limit: 'query.limit', number: 'query.page', offset: 'query.offset', after: 'query.after' },
      },
    });
    const rows = assets.filter(isIncluded).sort(compareAssets(columns));
    const shown = JSON.stringify({ columns, values, max, maxOffset, maxTotal });
    return { list, values, rows, max, maxOffset, maxTotal, shown };
  }

  test('numbers, offsets, totals and URLs', async () => {
    const random = new Random(2);
    for (let run = 0; run < runs(60, 3000); run += 1) {
      const { list, values, rows, max, maxOffset, maxTotal, shown } = randomList(random);
      const size = 1 + random.below(max);
      const last = Math.floor(maxOffset / size) + 1;
      const isNumber = random.chance(50);
      const asked = isNumber ? 1 + random.below(last + 3) : random.below(maxOffset + 3);
      const skipped = isNumber ? (asked - 1) * size : asked;
      const name = isNumber ? 'page' : 'offset';
      const url = `/assets?key=secret&q=%3C%25+${random.below(9)}&${name}=${asked}&limit=${size}`;
      const reading = list(callOf(url), values, askedBy(url));
      if (skipped > maxOffset) {
        await expect(reading, shown).rejects.toMatchObject({ status: 400 });
        continue;
      }
      const page = await reading;
      const pages = Math.min(Math.max(1, Math.ceil(rows.length / size)), last);
      const isKnown = rows.length <= maxTotal || last <= Math.ceil((maxTotal + 1) / size);
      expect(idsOf(page), shown).toEqual(idsIn(rows.slice(skipped, skipped + size)));
      expect(page.total, shown).toBe(rows.length > maxTotal ? null : rows.length);
      expect(page.pages, shown).toBe(isKnown ? pages : null);
      expect(page.next === null, shown).toBe(skipped + size >= rows.length);
      expect(page.previous === null, shown).toBe(skipped === 0 || page.rows.length === 0);

      const { first, prev, next, last: end, self, header } = page.link;
      const read = async (link: string | null): Promise<number[] | null> =>
        link === null ? null : idsOf(await list(callOf(link), values, askedBy(link)));
      expect(await read(self), shown).toEqual(idsOf(page));
      expect(await read(first), shown).toEqual(idsIn(rows.slice(0, size)));
      expect(await read(next), shown).toEqual(
        skipped + size < rows.length ? idsIn(rows.slice(skipped + size, skipped + 2 * size)) : null,
      );
      expect(await read(end), shown).toEqual(
        isKnown ? idsIn(rows.slice((pages - 1) * size, pages * size)) : null,
      );
      expect(prev === null, shown).toBe(skipped === 0);
      for (const link of [self, first, prev, next, end])
        expect(link ?? '/assets?q=%3C%25%20', shown).toMatch(/^\/assets\?q=%3C%25%20/);
      expect(JSON.stringify(page.link)).not.toContain('secret');
      expect(header?.match(/rel="next"/g)?.length ?? 0, shown).toBe(next === null ? 0 : 1);
    }
  });

  test('walks forward and backward', async () => {
    const random = new Random(3);
    for (let run = 0; run < runs(25, 1500); run += 1) {
      const { list, values, rows, max, shown } = randomList(random);
      const size = 1 + random.below(max);
      // The position of the first row of the page.
      let at = 0;
      let page = await list(callOf('/assets'), values, { limit: size, after: null });
      let end = Math.min(size, rows.length);
      for (let step = 0; step < 12; step += 1) {
        const trail = `${shown} step ${step} at ${at}`;
        expect(idsOf(page), trail).toEqual(idsIn(rows.slice(at, end)));
        if (rows.length === 0) break;
        expect(page.previous === null, trail).toBe(at === 0);
        expect(page.next === null, trail).toBe(end >= rows.length);
        const isForward = page.next !== null && (page.previous === null || random.chance(60));
        const after = isForward ? page.next : page.previous;
        if (after === null) break;
        page = await list(callOf('/assets'), values, { limit: size, after });
        [at, end] = isForward ? [end, Math.min(end + size, rows.length)] : [Math.max(0, at - size), at];
      }
    }
  });

  test('a page that clamps never fails, and rows are never sent twice by numbers', async () => {
    const random = new Random(4);
    const list = listOf<Asset>(opened.datasource, {
      ...{ operation: 'GET /assets', fulfillment: 'assets', sql: 'SELECT * FROM asset' },
      order: { allow: { any: [{ column: 'id' }] }, default: 'any' },
      page: { max: 5, maxOffset: 17, clamp: true },
    });
    const numbers = [
      '',
      'x',
      '-1',
      '0',
      '1',
      '2.9',
      '4',
      '99',
      '9'.repeat(400),
      '1e2',
      ' 1',
      '１',
      null,
      true,
    ];
    const odd: readonly Json[] = [...numbers, [], {}, -3, 1.5, 1e300];
    for (let run = 0; run < runs(60, 2000); run += 1) {
      const [limit, number] = [random.pick(odd), random.pick(odd)];
      const page = await list(testCall(), [], { limit, number });
      const shown = JSON.stringify({ limit, number });
      expect(page.rows.length, shown).toBeGreaterThan(0);
      expect(page.rows.length, shown).toBeLessThanOrEqual(5);
      expect((page.rows[0]?.id ?? 0) - 1, shown).toBeLessThanOrEqual(17);
    }
  });
});

function idsOf({ rows }: Page<Asset>): number[] {
  return idsIn(rows);
}

function idsIn(rows: readonly Asset[]): number[] {
  return rows.map(({ id }) => id);
}
