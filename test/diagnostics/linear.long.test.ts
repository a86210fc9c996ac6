/** Compile time grows linearly with the size of a file: hostile texts, and every regular expression of the compiler. */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { printText } from '../../compiler/read/diagnostics/print/print-diagnostic.js';
import { growth, superlinear } from '../helpers/growth.js';
import { repository } from '../helpers/service-fixture.js';
import { sourcesBelow } from '../project/sources.js';

function configuration(query: string, password = 'x'): string {
  return `specification: "1.0"
operations:
  GET /news:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: ${query}
    responses: [{ name: ok, default: true, statuscode: 200 }]
datasources:
  newsdb:
    type: db
    url: jdbc:postgresql://localhost/news
    password: ${password}
`;
}

/** Files of about `size` characters. */
const hostile: Readonly<Record<string, (size: number) => string>> = {
  'references in references': (size) => configuration('SELECT 1', `"${'${A:'.repeat(size / 4)}"`),
  'tabs before a key': (size) => configuration('SELECT 1').replace('  newsdb', `${'\t'.repeat(size)}newsdb`),
  'placeholders in placeholders': (size) => configuration(`SELECT ${':['.repeat(size / 2)}`),
  'quotes around placeholders': (size) => configuration(`SELECT ${"':[PARAM(x)]', ".repeat(size / 15)}1`),
  'escapes that are none': (size) => configuration(`"${'\\x'.repeat(size / 2)}"`),
  documents: (size) => configuration('SELECT 1') + '---\n'.repeat(size / 4),
  'empty lines before a marker': (size) => `${'\n'.repeat(size)}--- x\n`,
  brackets: (size) => configuration('['.repeat(size)),
  'braces that are closed': (size) => configuration(`${'{a: '.repeat(size / 8)}1${'}'.repeat(size / 8)}`),
  'spaces after a value': (size) => configuration(`SELECT 1${' '.repeat(size)}x`),
  parentheses: (size) => configuration(`SELECT :[${'('.repeat(size)}`),
  'URLs without an end': (size) => configuration(`SELECT ${'://'.repeat(size / 3)}`),
  options: (size) => configuration(`SELECT ${'?a=&token='.repeat(size / 10)}`),
  passwords: (size) => configuration('SELECT 1') + '    password: x\n'.repeat(size / 16),
  datasources: (size) => configuration('SELECT 1') + '  a:\n    type: db\n'.repeat(size / 17),
};

describe('a statement with eight times the placeholders takes about eight times as long', () => {
  const many = (count: number, one: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => one(index)).join(', ');
  const statements: Readonly<Record<string, (count: number) => string>> = {
    'a list': (count) => `SELECT ${many(count, () => ':[PARAM(x)]')}`,
    'arguments of one call': (count) => `SELECT greatest(${many(count, () => ':[PARAM(x)]')})`,
    'elements of an array': (count) => `SELECT ARRAY[${many(count, () => ':[INTEGER(1)]')}]`,
    'values of a CASE': (count) =>
      `SELECT CASE ${many(count, () => 'WHEN a THEN :[INTEGER(1)]').replaceAll(',', '')} END FROM t`,
    'rows of an INSERT': (count) => `INSERT INTO t (a, b) VALUES ${many(count, () => '(:[PARAM(x)], 1)')}`,
    'WITH queries': (count) =>
      `WITH ${many(count, (at) => `w${at} AS (SELECT :[PARAM(x)] AS a)`)} SELECT a FROM w0`,
    'ORDER BY': (count) => `SELECT a FROM t ORDER BY ${many(count, () => 'a = :[PARAM(x)]')}`,
    'GROUP BY': (count) => {
      const groups = many(count, (at) => `date_trunc(:[PARAM(x${at})], a)`);
      return `SELECT ${groups} FROM t GROUP BY ${groups}`;
    },
  };

  test.each(Object.keys(statements))('%s', { timeout: 120_000 }, (name) => {
    const work = (count: number): void => {
      const text = configuration(`"${statements[name]?.(count) ?? ''}"`);
      expect(checkSource({ config: { path: 'config.yaml', text } }).service !== undefined).toBe(
        name !== 'arguments of one call',
      );
    };
    expect(growth(work, 1000)).toBeLessThan(superlinear);
  });
});

test('eight times the documents take about eight times as long', { timeout: 120_000 }, () => {
  const work = (count: number): void => {
    const text = configuration('SELECT 1') + '---\n'.repeat(count);
    const { diagnostics } = checkSource({ config: { path: 'config.yaml', text } });
    for (const diagnostic of diagnostics) printText(diagnostic, noColours);
  };
  expect(growth(work, 5000)).toBeLessThan(superlinear);
});

describe('a file of eight times the size takes about eight times as long', () => {
  test.each(Object.keys(hostile))('%s', (name) => {
    const work = (size: number): void => {
      const text = hostile[name]?.(size) ?? '';
      const { diagnostics } = checkSource({ config: { path: 'config.yaml', text } });
      for (const diagnostic of diagnostics.slice(0, 1000)) printText(diagnostic, noColours);
    };
    expect(growth(work, 2000)).toBeLessThan(superlinear);
  });
});

/** The regular expressions in the compiler's sources, with their positions. */
function expressions(): { pattern: RegExp; where: string }[] {
  return sourcesBelow('compiler').flatMap(({ path }) => {
    const text = readFileSync(join(repository, path), 'utf8');
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const found: { pattern: RegExp; where: string }[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        found.push({ pattern: new RegExp(source, flags), where: `${path}:${line + 1} ${node.text}` });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

const pieces = [
  ...[
    ' ',
    '\t',
    '\n',
    'a',
    '0',
    '-',
    '.',
    ':',
    '/',
    '"',
    "'",
    '\\',
    '(',
    '[',
    '{',
    '$',
    '&',
    '*',
    '#',
    '=',
    ',',
  ],
  ...[
    '- ',
    'a ',
    'a:',
    'a: ',
    ':[',
    '${A:',
    '://',
    '?a=',
    '{a',
    '[a]',
    'a.',
    "''",
    '\\x',
    '\r\n',
    '#\n',
    ' #',
    '@',
    '%',
  ],
];

test('every regular expression takes linear time on repeated text', () => {
  const all = new Map(expressions().map((one) => [String(one.pattern), one]));
  const slow = [...all.values()].filter(({ pattern }) =>
    pieces.some((piece) =>
      ['\u0000', 'a', ''].some((end) => {
        const time = (size: number): number => {
          const text = piece.repeat(size / piece.length) + end;
          const before = process.cpuUsage();
          pattern.lastIndex = 0;
          // `replace` instead of collecting matches: a list of 20,000 matches would measure memory, not the pattern.
          if (pattern.global) text.replace(pattern, '');
          else pattern.exec(text);
          const { user, system } = process.cpuUsage(before);
          return (user + system) / 1000;
        };
        // If a long text is checked quickly, its pattern is fine; otherwise its time is compared with that of a shorter text.
        if (time(4_000) < 2.5) return false;
        // The minimum of several runs, because garbage of other tests in the process is collected in between. For a text eight times as
        // long, a linear pattern takes about 8 times as long, and a quadratic one 64 times.
        const min = (size: number): number => Math.min(...Array.from({ length: 5 }, () => time(size)));
        return min(80_000) > 25 * Math.max(1, min(10_000));
      }),
    ),
  );
  expect(slow.map(({ where }) => where)).toEqual([]);
});
