/** The tree of arbitrary text contains every token once; no text is too strange, too deep or too long. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../compiler/read/sql/dialect.js';
import { descendants } from '../../compiler/read/sql/parse/tree.js';
import { runs } from '../helpers/runs.js';
import { anySql } from './any-sql.js';
import { anyStatement } from './any-statement.js';
import { treeOf } from './tree.js';
import { expectWhole } from './whole-tree.js';

const dialects: readonly Dialect[] = ['postgresql', 'mysql'];
const numRuns = runs(125, 5000);

describe.each(dialects)('%s', (dialect) => {
  test('every token of any text is in the tree once', () => {
    fc.assert(
      fc.property(anySql, (sql) => {
        expectWhole(treeOf(sql, dialect));
      }),
      { numRuns },
    );
  });

  test('every token of a statement is in the tree once', () => {
    fc.assert(
      fc.property(anyStatement(dialect), (sql) => {
        expectWhole(treeOf(sql, dialect));
      }),
      { numRuns },
    );
  });

  test('any bytes have a tree', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (sql) => {
        expectWhole(treeOf(sql, dialect));
      }),
      { numRuns },
    );
  });

  test.each([
    ['parentheses', '('.repeat(30_000)],
    ['closed parentheses', `SELECT ${'('.repeat(30_000)}1${')'.repeat(30_000)}`],
    ['operators', `SELECT 1${' + 1'.repeat(30_000)}`],
    ['signs', `SELECT ${'- '.repeat(30_000)}1`],
    ['negations', `SELECT ${'NOT '.repeat(30_000)}a`],
    ['conditions', `SELECT 1 WHERE a${' AND a OR b'.repeat(10_000)}`],
    ['queries', 'SELECT ('.repeat(10_000)],
    ['joins', `SELECT 1 FROM a ${'LEFT JOIN b '.repeat(10_000)}`],
    ['cases', `SELECT ${'CASE WHEN '.repeat(10_000)}`],
    ['set operations', `SELECT 1${' UNION SELECT 1'.repeat(10_000)}`],
    ['WITH', 'WITH '.repeat(10_000)],
    ['brackets', `SELECT ARRAY${'['.repeat(10_000)}`],
    ['rows', `VALUES ${'(1, 2), '.repeat(10_000)}(1, 2)`],
  ])('many %s', (_, sql) => {
    const { root, items, nodes } = treeOf(sql, dialect);
    expect(root.last).toBe(items.length - 1);
    expect(nodes.length).toBeLessThan(3 * items.length + 10);
    expect(descendants(root)).toHaveLength(nodes.length);
  });
});
