/** The plot and the goals of the README match the table of figures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { withGoals } from './goals.js';
import { plotOf } from './plot.js';

const table = readFileSync(join(repository, 'test/bench/README.md'), 'utf8');

test('the plot has the figures of the table (npm run bench -- --plot writes it)', () => {
  expect(readFileSync(join(repository, '.github/speed.svg'), 'utf8')).toBe(plotOf(table));
});

test('a row without a valid figure is not drawn', () => {
  const invalid = table.replace(
    /^(\| PostgreSQL, one INSERT [^|]+\|[^|]+\|[^|]+\|[^|]+\|) met/m,
    '$1 invalid',
  );
  expect(invalid).not.toBe(table);
  expect(() => plotOf(invalid)).toThrow("The table has no valid figure for 'PostgreSQL, one INSERT'.");
});

test('the goals of the README have the figures of the table (npm run bench -- --plot writes them)', () => {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8');
  expect(readme).toBe(withGoals(readme, table));
  expect(
    withGoals(
      readme,
      table.replace(
        /^(\| MariaDB, throughput [^|]+\|[^|]+\|) [\d.]+ × (\|[^|]+\|) \w+/m,
        '$1 0.99 × $2 missed',
      ),
    ),
  ).toContain('MariaDB: Express 5 + mysql2 | ≥ 4 × | 0.99 × (missed)');
  const without = table.replace('| MariaDB, throughput', '| Another');
  expect(() => withGoals(readme, without)).toThrow("The table has no row for 'MariaDB, throughput'.");
});
