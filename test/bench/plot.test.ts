/** The plot of the README is drawn from the table of figures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
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
