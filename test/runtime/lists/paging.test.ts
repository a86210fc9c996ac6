/** Lists read page by page: every row that exists all the time is read exactly once, whatever others change meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { openMariadb, openPostgres, read } from '../sql/open-datasource.js';
import { createTable, insertOf, randomOrder, walk, type Walked } from './paging.js';

describe.each([
  ['PostgreSQL', () => openPostgres('paging')],
  ['MariaDB', () => openMariadb('paging')],
])('on %s', (_name, open) => {
  let walked: Walked;

  beforeAll(async () => {
    walked = await open();
    await createTable(walked);
    await walked.server.exec(walked.database, insertOf(walked, new Random(1), 120));
  });

  afterAll(async () => {
    await walked.datasource.close(performance.now());
  });

  test('pages have the order of the whole list, with ties and nulls', async () => {
    const random = new Random(2);
    for (let run = 0; run < runs(20, 1000); run += 1) {
      const columns = randomOrder(walked, random);
      const whole = await walk(walked, columns, 1000);
      const pages = await walk(walked, columns, 1 + random.below(30));
      expect(
        pages.map(({ id }) => id),
        JSON.stringify(columns),
      ).toEqual(whole.map(({ id }) => id));
      expect(pages).toEqual(whole);
    }
  });

  test('rows that others insert and delete meanwhile move no other row', async () => {
    const random = new Random(3);
    const before = (await read(walked.datasource, 'SELECT id FROM t')).map(({ id }) => id);
    for (let run = 0; run < runs(5, 300); run += 1) {
      const columns = randomOrder(walked, random);
      const rows = await walk(walked, columns, 1 + random.below(20), async () => {
        await walked.server.exec(walked.database, insertOf(walked, random, 3));
        await walked.server.exec(
          walked.database,
          `DELETE FROM t WHERE id > ${String(before.length)} AND id % 2 = ${random.below(2)}`,
        );
      });
      const ids = rows.map(({ id }) => id);
      expect(new Set(ids).size, JSON.stringify(columns)).toBe(ids.length);
      expect(ids, JSON.stringify(columns)).toEqual(expect.arrayContaining(before));
      await walked.server.exec(walked.database, `DELETE FROM t WHERE id > ${String(before.length)}`);
    }
  });
});
