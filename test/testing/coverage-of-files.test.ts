/** Coverage of a configuration in several files: each line is counted and shown in its own file. */
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import type { CoverPoint } from '../../compiler/generate/emit/cover-points.js';
import { position } from '../../compiler/read/source.js';
import { CoverCounts } from '../../compiler/tools/testing/cover-counts.js';
import { coverageOf } from '../../compiler/tools/testing/coverage.js';
import { coveragePage } from '../../compiler/tools/testing/print/coverage-page.js';
import { coverageTable } from '../../compiler/tools/testing/print/print-coverage.js';
import { printLcov } from '../../compiler/tools/testing/print/print-lcov.js';
import { findIn } from '../helpers/split-configuration.js';

const operation = (name: string): string => `${name}:
  fulfillments:
    - name: news
      type: READ
      datasource: newsdb
      instructions:
        - query: SELECT id FROM news
  responses:
    - { name: ok, default: true, statuscode: 200, schema: 'VALUE(news, $)' }
`;
const text = `specification: "1.0"
include: [operations/*.yaml]
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;
const files = new Map([
  ['operations/a.yaml', operation('GET /a')],
  ['operations/b.yaml', `# later\n${operation('GET /b')}`],
]);
const { analysis } = checkSource({ config: { path: 'config.yaml', text }, include: findIn(files) });
if (analysis === undefined) throw new Error('The configuration cannot be read.');
const points = ['GET /a', 'GET /b'].map((name, id) => {
  return { id, operation: name, kind: 'fulfillment' as const, path: [0], index: 0 };
});
const counts = new CoverCounts();
counts.add({ 0: 3 });
const coverage = coverageOf(analysis.config, points, counts);

test('lcov has a record of each file', () => {
  const lines = printLcov(coverage).split('\n');
  expect(lines.filter((line) => /^(?:TN|SF|DA|end)/.test(line))).toEqual([
    'TN:',
    ...['SF:config.yaml', 'end_of_record'],
    ...['SF:operations/a.yaml', 'DA:3,3', 'end_of_record'],
    ...['SF:operations/b.yaml', 'DA:4,0', 'end_of_record'],
  ]);
});

test('the table names the file of lines that nothing has reached', () => {
  const [, , row = ''] = coverageTable(coverage).split('\n');
  expect(row).toMatch(/^GET \/b .* operations\/b\.yaml: 4$/);
});

test('the page has each file, and links to the lines of the right one', () => {
  const page = coveragePage(coverage);
  expect([...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, name]) => name)).toEqual([
    ...['config.yaml', 'operations/a.yaml', 'operations/b.yaml'],
  ]);
  const links = [...page.matchAll(/<li(?: class="is-full")?><a href="#([^"]+)">/g)].map(([, id]) => id);
  expect(links).toEqual(['file-2-line-3', 'file-3-line-4']);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(links));
});

test('lines that several operations use by an alias have a count of each of them', () => {
  const aliases = `specification: "1.0"
operations:
  GET /a:
    responses: &common
      - { name: some, if: PARAM(x) != NULL(), statuscode: 200 }
      - { name: none, default: true, statuscode: 204 }
  GET /b:
    responses: *common
datasources: {}
`;
  const one = checkSource({ config: { path: 'config.yaml', text: aliases } }).analysis;
  if (one === undefined) throw new Error('The configuration cannot be read.');
  const both = ['GET /a', 'GET /b'].flatMap((name, index): CoverPoint[] => [
    { id: index * 3, operation: name, kind: 'response-if', path: [], index: 0, name: 'some' },
    { id: index * 3 + 2, operation: name, kind: 'response', path: [], index: 0, name: 'none' },
  ]);
  const reached = new CoverCounts();
  reached.add({ 0: 1, 1: 2, 2: 2 });
  const found = coverageOf(one.config, both, reached);
  expect(
    printLcov(found)
      .split('\n')
      .filter((line) => /^(?:BR|DA|L)/.test(line)),
  ).toEqual([
    ...['BRDA:5,0,0,1', 'BRDA:5,0,1,2', 'BRDA:5,1,0,-', 'BRDA:5,1,1,-'],
    ...['BRDA:6,2,0,2', 'BRDA:6,3,0,0', 'BRF:6', 'BRH:3'],
    ...['DA:5,3', 'DA:6,2', 'LF:2', 'LH:2'],
  ]);
  const page = coveragePage(found);
  expect(page).toContain('response none of GET /a: 2 times');
  expect(page).toContain('response none of GET /b: not reached');
  expect(page.match(/row is-part/g)).toHaveLength(2);
});

test('conditions of loops and responses are in their lines; what nothing can reach is reached whole', () => {
  const conditions = `specification: "1.0"
operations:
  GET /a:
    exceptions:
      - { if: PARAM(x) == NULL(), statuscode: 400, message: none }
    fulfillments:
      - name: each
        type: LOOP
        loop: PARAM(list)
        loopbreak: SIZE(VALUE(each, $)) == INTEGER(0)
        fulfillments:
          - { name: got, type: READ, datasource: newsdb, instructions: [{ query: SELECT 1 AS a }] }
    responses:
      - { name: some, if: PARAM(x) != NULL(), statuscode: 200 }
      - { name: none, default: true, statuscode: 204 }
  GET /b:
    responses: [{ name: ok, default: true, statuscode: 204 }]
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;
  const one = checkSource({ config: { path: 'config.yaml', text: conditions } }).analysis;
  if (one === undefined) throw new Error('The configuration cannot be read.');
  const at = (id: number, kind: CoverPoint['kind'], path: readonly number[], name?: string): CoverPoint => {
    return { id, operation: 'GET /a', kind, path, index: 0, ...(name !== undefined && { name }) };
  };
  const reached = new CoverCounts();
  reached.add({ 0: 1, 2: 2, 4: 1, 7: 1 });
  const found = coverageOf(
    one.config,
    [
      at(0, 'exception-if', []),
      at(2, 'loopbreak-if', [0]),
      at(4, 'fulfillment', [0, 0]),
      at(5, 'response-if', [], 'some'),
      at(7, 'response', [], 'none'),
    ],
    reached,
  );
  expect(
    found.files[0].items.map(({ what, kind, span, counts: [yes] }) => [
      what,
      kind,
      position(span.source, span.start).line,
      yes,
    ]),
  ).toEqual([
    ['exception 1 of the request', 'condition', 5, 1],
    ['loopbreak of each', 'condition', 10, 2],
    ['fulfillment got', 'step', 12, 1],
    ['if of response some', 'condition', 14, 0],
    ['response none', 'response', 15, 1],
  ]);
  expect(found.operations.map(({ summary }) => summary.percent)).toEqual([50, 100]);
  expect(coverageTable(found).split('\n')[1]).toContain('5 (never false), 10 (never false), 14');
  expect(coveragePage(found)).toContain('<a>GET /b</a>');
});
