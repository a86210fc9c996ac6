/** Printing: the visible part of long and wide lines in a frame, and a cost that grows only with the number of diagnostics. */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { printGithub } from '../../compiler/read/diagnostics/print/print-github.js';
import { printSarif } from '../../compiler/read/diagnostics/print/print-sarif.js';
import { printText } from '../../compiler/read/diagnostics/print/print-diagnostic.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { growth, superlinear } from '../helpers/growth.js';
import { printJson } from '../helpers/print-json.js';

/** Many diagnostics on one line. */
function onOneLine(count: number): readonly Diagnostic[] {
  const source = { path: 'config.yaml', text: '{"operations": "wrong"} '.repeat(count) };
  const report = new Report();
  for (let index = 0; index < count; index += 1) {
    const start = index * 24 + 16;
    report.add(
      'unknown-alias',
      { source, start, end: start + 5 },
      { alias: 'a', nearest: 'b', later: undefined, quoted: '', isIncluded: false },
    );
  }
  return report.diagnostics;
}

describe('a long line', () => {
  test('is printed as often as it has errors, in linear time', () => {
    const print = (count: number): void => {
      const diagnostics = onOneLine(count);
      expect(diagnostics).toHaveLength(count);
      for (const diagnostic of diagnostics) printText(diagnostic, noColours);
      printJson(diagnostics);
    };
    expect(growth(print, 2000)).toBeLessThan(superlinear);
  });

  test('of a configuration in JSON with a thousand errors shows each of them', () => {
    const operations = Array.from({ length: 1000 }, (_, index) => [
      `operation ${index}`,
      { fulfillments: [{ name: 'a', type: 'READ', datasource: `none${index}` }], responses: [] },
    ]);
    const text = JSON.stringify({
      specification: '1.0',
      operations: Object.fromEntries(operations) as object,
    });
    const { diagnostics } = checkSource({ config: { path: 'config.yaml', text } });
    expect(diagnostics.length).toBeGreaterThanOrEqual(1000);
    for (const diagnostic of diagnostics) {
      const lines = printText(diagnostic, noColours).split('\n');
      expect(Math.max(...lines.slice(1, 3).map((line) => line.length))).toBeLessThan(180);
      expect(lines[2]).toContain('^');
    }
  });
});

describe('spans without further diagnostics', () => {
  test('are found in linear time, wherever they begin', () => {
    const source = { path: 'config.yaml', text: ' '.repeat(1_000_000) };
    const add = (count: number): void => {
      const report = new Report();
      for (let index = 0; index < count; index += 1) {
        const start = index * 4;
        report.ignoreInside([{ source, start, end: start + 3 }]);
        report.add('text-key', { source, start: start + 1, end: start + 2 });
        report.add('text-key', { source, start: start + 1, end: start + 4 });
      }
      expect(report.diagnostics).toHaveLength(count);
    };
    expect(growth(add, 2000)).toBeLessThan(superlinear);
  });

  test('hold what is in any of them', () => {
    const source = { path: 'config.yaml', text: ' '.repeat(100) };
    const report = new Report();
    for (const [start, end] of [
      [40, 50],
      [10, 60],
      [20, 30],
    ] as const)
      report.ignoreInside([{ source, start, end }]);
    for (const [start, end] of [
      [5, 12],
      [12, 13],
      [45, 55],
      [30, 61],
      [60, 61],
    ] as const)
      report.add('text-key', { source, start, end });
    expect(report.diagnostics.map(({ span }) => [span.start, span.end])).toEqual([
      [5, 12],
      [30, 61],
      [60, 61],
    ]);
  });
});

test('of a span of several lines GitHub gets no column of its end', () => {
  const source = { path: '/srv/config.yaml', text: 'a: 1\nb: 2\n' };
  const report = new Report();
  report.add('text-key', { source, start: 0, end: 8 });
  const [diagnostic] = report.diagnostics.map(({ hint, ...one }) => ({ ...one, title: hint }));
  if (diagnostic === undefined) throw new Error('Nothing was reported.');
  expect(printGithub(diagnostic)).toBe(
    `::error file=/srv/config.yaml,line=1,endLine=2,col=1,title=text-key::${diagnostic.message}`,
  );
  const log: unknown = JSON.parse(printSarif([diagnostic], new Map(), '1.0.0'));
  expect(log).toMatchObject({
    runs: [
      {
        results: [
          {
            message: { text: diagnostic.message },
            locations: [{ physicalLocation: { artifactLocation: { uri: 'file:///srv/config.yaml' } } }],
          },
        ],
      },
    ],
  });
});

test('the mark is below characters of two columns of a terminal', () => {
  const source = { path: 'config.yaml', text: 'title: 新聞 x é y' };
  const report = new Report();
  report.add('text-key', { source, start: 10, end: 11 });
  const [diagnostic] = report.diagnostics;
  const [, line, marks] = diagnostic === undefined ? [] : printText(diagnostic, noColours).split('\n');
  expect(line).toBe('  1 | title: 新聞 x é y');
  // Seven columns, two characters of two columns each, and a space.
  expect(marks).toBe(`    | ${' '.repeat(12)}^`);
});
