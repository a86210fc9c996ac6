/** `apikiln test --update`: the file contains the received values, however many members a map or list loses and gains. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readYaml } from '../../compiler/read/config/yaml/yaml-document.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { differences } from '../../compiler/tools/testing/compare-values.js';
import { rowDifferences } from '../../compiler/tools/testing/compare-rows.js';
import { updatedText } from '../../compiler/tools/testing/update-tests.js';

const comparison = { kept: new Map<string, never>(), isPartial: false };

function nodeOf(text: string) {
  const source = { path: 'config.test.yaml', text };
  const node = readYaml(source, new Report());
  if (node?.kind !== 'map') throw new Error('not a map');
  return { source, node };
}

/** The file after the update, for a field `body` with a different expected value. */
function updated(text: string, actual: unknown): string {
  const { source, node } = nodeOf(text);
  const changes = differences(node, { body: actual, after: 1 }, comparison).map(({ change }) => change);
  return updatedText(source, changes);
}

const values: readonly (readonly [string, unknown])[] = [
  ['a text', 'text'],
  ['lists in lists', [[2], 3]],
  ['nothing', []],
  ['one', [7]],
  ['many', [7, 8, 9, 10]],
  ['others', ['a', { b: [1] }, null]],
  ['no field', {}],
  ['one field', { c: 3 }],
  ['some fields', { a: 1, c: 3, d: 4 }],
  ['other fields', { x: 1, y: [1, 2] }],
];

const written: readonly string[] = [
  'body:',
  'body: |\n  a text\n  of lines',
  'body:\n  a: |\n    a text\n  b: 2',
  'body:\n  b: 2\n  a: >-\n    a text\n    of lines',
  'body:\n  a:\n  b:',
  'body:\n- 1\n- 2',
  'body:\n  - - 1\n    - 2\n  - 2',
  'body: # a comment\n  - 1 # another\n  - a: 1\n    b: 2',
  'body: { a: "}", b: [1, { c: "]" }] }',
  'body: []',
  'body: [1]',
  'body: [1, 2, 3]',
  'body: [ 1, 2, 3, ]',
  'body: [\n    1,\n    2,\n  ]',
  'body: {}',
  'body: { a: 1 }',
  'body: { a: 1, b: 2, c: 3 }',
  'body: { b: 2, c: 3, e: 4 }',
  'body: { a: 1, b: 2, }',
  'body:\n  - 1',
  'body:\n  - 1\n  # a comment\n  - 2\n  - 3 # another',
  'body:\n  - a\n  - { b: [2] }\n  - c\n  - d',
  'body:\n  a: 1',
  'body:\n  a: 1 # a comment\n  b: 2\n  c:\n    - 1',
  'body:\n  b: 2\n  c: 3\n  e:\n    f: 4',
  'body:\n  - a: 1\n    b: 2\n    c: 3',
];

test.each(written.flatMap((text) => values.map(([name, actual]) => [text, name, actual] as const)))(
  '%j with %s',
  (text, _, actual) => {
    for (const tail of ['\nafter: 1\n', '\n\n# the end\nafter: 1\n', '\r\nafter: 1\r\n'])
      expect(parse(updated(`${text}${tail}`, actual))).toEqual({ body: actual, after: 1 });
  },
);

test.each([
  // A string that looks like a pattern, and characters that must be escaped.
  ['body: a\n', '/a/', "body: '\\/a/'\n"],
  ['body: a\n', '\\<a>', "body: '\\\\<a>'\n"],
  ['body: a\n', 'a\u0007b\n', 'body: "a\\u0007b\\n"\n'],
  ['body: { a: 1 }\n', { '/a/': null }, "body: { '/a/': null }\n"],
  // The last line does not end with a line break.
  ['body:\n  - 1', [1, 2], 'body:\n  - 1\n  - 2'],
  ['body:\n  a: 1\n  b: 2', { a: 1 }, 'body:\n  a: 1\n'],
])('%j with %j', (text, actual, now) => {
  const { source, node } = nodeOf(text);
  const changes = differences(node, { body: actual }, comparison).map(({ change }) => change);
  expect(updatedText(source, changes)).toBe(now);
});

test('fields of an item of a list', () => {
  const text = 'body:\n  - a: 1\n    b: 2\n    c: 3\nafter: 1\n';
  expect(updated(text, [{ c: 3 }])).toBe('body:\n  - c: 3\nafter: 1\n');
  expect(updated(text, [{ b: 2, d: 4 }])).toBe('body:\n  - b: 2\n    d: 4\nafter: 1\n');
});

test('what stays has its layout and its comments', () => {
  expect(updated('body:\n  - 1 # one\n  - 2\nafter: 1\n', [1, 5, 6])).toBe(
    'body:\n  - 1 # one\n  - 5\n  - 6\nafter: 1\n',
  );
  expect(updated('body: [1,  2, 3]\nafter: 1\n', [1, 2])).toBe('body: [1,  2]\nafter: 1\n');
});

test('rows of a table: one is lost and several are gained', () => {
  const { source, node } = nodeOf('task: [{ id: 9 }]\n');
  const list = node.entries[0]?.value;
  if (list?.kind !== 'list') throw new Error('not a list');
  const table = { value: 'task', span: list.span };
  const rows = list.items.flatMap((item) => (item.kind === 'map' ? [item] : []));
  const found = rowDifferences(
    { table, rows, isQuery: false, node: list } as never,
    [{ id: 1 }, { id: 2 }],
    comparison,
  );
  expect(
    updatedText(
      source,
      found.map(({ change }) => change),
    ),
  ).toBe('task: [{ id: 1 }, { id: 2 }]\n');
});
