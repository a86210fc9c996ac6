/** `check --fix` applies only safe fixes to the file, and prints them. */
import { chmodSync, symlinkSync, truncateSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { applySafeFixes, type AppliedFix } from '../../compiler/tools/commands/fix-file.js';
import { checkSource } from '../../compiler/compile.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import type { Source } from '../../compiler/read/source.js';
import { Workspace, wrongConfiguration } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});

afterEach(() => {
  space.remove();
});

/** The text of a one-file configuration after the fixes. */
async function fixedText(
  text: string,
  diagnosticsOf: (config: Source) => readonly Diagnostic[],
): Promise<{ readonly text: string; readonly applied: readonly AppliedFix[] }> {
  const { texts, applied } = await applySafeFixes((changed) => {
    const config = { path: 'config.yaml', text: changed.get('config.yaml') ?? text };
    const files = new Map([[config.path, config]]);
    return Promise.resolve({ diagnostics: diagnosticsOf(config), files });
  });
  return { text: texts.get('config.yaml') ?? text, applied };
}

/** A configuration with many misspellings, and with a comment, an anchor, a block scalar, a folded scalar and trailing spaces. */
const sloppy = `# The news   \t
specification: 1.0
operations:
  GET /news/{id}:   # kept
    fulfilments:
      - &read
        name: news
        Type: SELECT
        datasource: newsbd
        instructions:
          - query: |
              SELECT id, title   -- as it is
              FROM news

              WHERE id = :[PARM(id)]
      - <<: *read
        name: "more"
        datasource: newsdb
        instructions:
          - query: >-
              SELECT id
              FROM news WHERE id <> :[Param(id)]
    responses:
      - {name: ok, default: true, statusCode: 200, schema: {id: VALUE(nwes, $.id), title: 'VALUE(nwes, $.title)', more: "SIZE(VALUE(more, $))"}}


datasources:
  newsdb: {type: db, url: 'jdbc:postgresql://localhost/news', password: hunter2}
  other: {type: db, url: 'jdbc:postgresql://localhost/news', pasword: hunter2}
`;

const tidy = sloppy
  .replace('specification: 1.0', 'specification: "1.0"')
  .replace('fulfilments', 'fulfillments')
  .replace('Type: SELECT', 'type: READ')
  .replace('newsbd', 'newsdb')
  .replace('PARM(', 'PARAM(')
  .replace('Param(', 'PARAM(')
  .replace('statusCode', 'statuscode')
  .replace('{id: VALUE(nwes, $.id)', "{id: 'VALUE(news, $.id)'")
  .replace("'VALUE(nwes, $.title)'", "'VALUE(news, $.title)'")
  .replace('pasword', 'password');

describe('fixes everything that is sure to be meant, and nothing else', () => {
  test.each([
    ['as it is', (text: string): string => text],
    ['with CRLF', (text: string): string => text.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text: string): string => `\ufeff${text}`],
    ['without a line break at the end', (text: string): string => text.trimEnd()],
  ])('%s', async (_name, change) => {
    space.write('config.yaml', change(sloppy));
    const { status, stderr } = await space.run('check', '--fix');
    expect(space.read('config.yaml')).toBe(change(tidy));
    expect(stderr).toContain('config.yaml:15: fixed: PARAM [unknown-function]\n');
    expect(stderr).toMatch(/\n\d+ problems fixed\.\n/);
    expect(stderr).not.toContain('hunter2');
    // The datasource 'other' is unused, which has no automatic fix.
    expect(stderr).toMatch(/\[unread-datasource\][^]*\n1 warning\n$/);
    expect(status).toBe(0);
    expect((await space.run('check', '--fix')).stderr).not.toContain('fixed');
    expect(space.read('config.yaml')).toBe(change(tidy));
  });
});

test('a suggestion is left to people', async () => {
  const text = wrongConfiguration.replace('nwes', 'nws2');
  space.write(
    'config.yaml',
    text
      .replace('1.0', '"1.0"')
      .replace(
        '- name: news',
        '- name: nws1\n        type: READ\n        datasource: newsdb\n        instructions:\n          - query: SELECT 1\n      - name: nws3',
      ),
  );
  const before = space.read('config.yaml');
  const { status, stderr } = await space.run('check', '--fix');
  expect(space.read('config.yaml')).toBe(before);
  expect(stderr).not.toContain('fixed');
  expect(status).toBe(1);
});

test('a fixed warning is not called an error', async () => {
  const fine = wrongConfiguration.replace('1.0', '"1.0"').replace('nwes', 'news');
  space.write('config.yaml', `${fine}settings:\n  features: [cors]\n`);
  expect((await space.run('check', '--fix')).stderr).toMatch(/\n1 problem fixed\.\n/);
});

test('as JSON it is printed with the remaining diagnostics', async () => {
  // The nearest name is the fulfillment itself, which it must not read, so there is no safe fix.
  space.write('config.yaml', wrongConfiguration.replace('password', 'pasword'));
  const { status, stdout, stderr } = await space.run('check', '--fix', '--format', 'json');
  const { diagnostics, fixed } = JSON.parse(stdout) as { diagnostics: { code: string }[]; fixed: unknown };
  expect({ status, stderr, codes: diagnostics.map(({ code }) => code) }).toEqual({
    status: 1,
    stderr: '',
    codes: ['unknown-fulfillment', 'response-never-used'],
  });
  expect(fixed).toEqual([
    { code: 'unquoted-specification', file: 'config.yaml', line: 1, text: '"1.0"', others: [] },
    { code: 'unknown-field', file: 'config.yaml', line: 21, text: 'password', others: [] },
  ]);
});

test('the file keeps its mode, and a link stays one', async () => {
  space.write('real.yaml', wrongConfiguration);
  chmodSync(space.path('real.yaml'), 0o640);
  symlinkSync('real.yaml', space.path('config.yaml'));
  await space.run('check', '--fix');
  expect(space.files()['config.yaml']).toBe('no file');
  expect(space.mode('real.yaml')).toBe(0o640);
  expect(space.read('real.yaml')).toContain('specification: "1.0"');
});

test('fixes that undo each other are not applied', async () => {
  const other: Readonly<Record<string, string>> = { one: 'two', two: 'three', three: 'two' };
  const { text, applied } = await fixedText('one x', (config) => {
    const word = config.text.split(' ')[0] ?? '';
    const edits = [{ start: 0, end: word.length, text: other[word] ?? '' }];
    const span = { source: config, start: 0, end: word.length };
    const fix = { edits, isSafe: true };
    return [{ code: 'x', severity: 'error', message: 'x', span, related: [], fix }];
  });
  expect({ text, count: applied.length }).toEqual({ text: 'two x', count: 1 });
});

test('of a configuration in JSON with hidden words changes nothing but what was meant', async () => {
  const query = { qery: 'SELECT id FROM show' };
  const fulfillment = { nmae: 'shows', type: 'read', datasource: 'tickets', instructions: [query] };
  const response = { name: 'ok', default: 'yes', status: 200, schema: { id: 'VALUE(show, $.id)' } };
  const operations = { 'GET /shows': { fulfillments: [fulfillment], responses: [response] } };
  const tickets = { type: 'db', url: 'postgres://localhost/x', username: 'x', password: '$DB' };
  const text = JSON.stringify({ specification: '1.0', operations, datasources: { tickets } }, null, 2);
  const { text: fixed } = await fixedText(text, (config) => checkSource({ config }).diagnostics);
  expect(fixed).not.toMatch(/\*\*/);
});

test('a missing dash alone: the lines below are indented already', async () => {
  const right = `specification: "1.0"
operations:
  GET /news:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id FROM news
    responses:
      - { name: ok, default: true, statuscode: 200, schema: 'VALUE(news, $)' }
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;
  const wrong = right.replace('- name: news', 'name: news');
  const { text } = await fixedText(wrong, (config) => checkSource({ config }).diagnostics);
  expect(text).toBe(right);
});

test('one fix at many positions names some of its lines, and many fixes are not all named', async () => {
  const operation = (name: string, own: string, fields: readonly string[]): string => `  ${name}:
    fulfillments:
      - { name: ${own}, type: READ, datasource: newsdb, instructions: [{ query: SELECT id FROM news }] }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
${fields.map((field) => `          ${field}: VALUE(${own.slice(0, -1)}, $.id)\n`).join('')}`;
  const fields = Array.from({ length: 13 }, (_, index) => `f${index}`);
  const others = Array.from({ length: 100 }, (_, index) =>
    operation(`GET /n${index}`, `read${index}th`, ['f']),
  );
  const head = 'specification: "1.0"\noperations:\n';
  const database = "datasources:\n  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }\n";
  space.write(
    'config.yaml',
    [
      head,
      operation('GET /a', 'news', fields),
      operation('GET /b', 'rows', ['f', 'g']),
      ...others,
      database,
    ].join(''),
  );
  const { stderr } = await space.run('check', '--fix', '--no-schema');
  expect(stderr).toContain(
    'config.yaml:11: fixed: news [unknown-fulfillment] (also lines 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 and 2 more)\n',
  );
  expect(stderr).toContain('config.yaml:32: fixed: rows [unknown-fulfillment] (also line 33)\n');
  expect(stderr).toContain('\nand 2 more\n102 problems fixed.\n');
});

test('what is removed has no text; included files that cannot be read stay as they are', async () => {
  const right = `specification: "1.0"
include: [more/a.yaml, more/b.yaml]
operations:
  GET /a:
    responses:
      - name: 'ok'
        default: true
        statuscode: 204
  GET /b:
    responses: [{ name: ok, default: true, statuscode: 204 }]
`;
  space.write('config.yaml', right.replace("'ok'", "'ok',").replace(' }]', ' }] ,'));
  space.write('more/a.yaml', Buffer.from([0xff, 0xfe]));
  space.write('more/b.yaml', '');
  truncateSync(space.path('more/b.yaml'), 65 * 1024 * 1024);
  const { status, stderr } = await space.run('check', '--fix');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^config\.yaml:6: fixed \[invalid-yaml\]\nconfig\.yaml:10: fixed \[invalid-yaml\]\n/,
  );
  expect(stderr).toContain("'more/a.yaml' is not UTF-8 text. [wrong-include]");
  expect(stderr).toContain('\n  Save it as UTF-8.\n');
  expect(stderr).toContain("'more/b.yaml' is too large: it has more than 64 MiB. [wrong-include]");
  expect(stderr).toContain('\n  Make it a readable file, or write a pattern that does not match it.\n');
  expect(space.read('config.yaml')).toBe(right);
});

test.each([
  ...['null', 'true', 'False', 'yes', 'off', '0x10', '1e3', '.inf', '12:30', '1_000'],
  ...['a: b', '# a', '- a', '"a"', "it's", '{a}', 'a\u202eb', '&a'],
])('a name that YAML would read as something else is a string: %s', async (name) => {
  space.write(
    'config.yaml',
    `specification: "1.0"
operations:
  GET /news:
    fulfillments:
      - name: news
        type: READ
        datasource: ${name.includes('\u202e') ? `"${name}x"` : `'${name.replaceAll("'", "''")}x'`}
        instructions:
          - query: SELECT 1
    responses:
      - name: ok
        default: true
        statuscode: 200
datasources:
  ${JSON.stringify(name)}: { type: db, url: 'jdbc:postgresql://localhost/news' }
`.replace(/datasource: '([^']*)'/, (whole, text: string) =>
      /^[\w.]+$/.test(text) ? `datasource: ${text}` : whole,
    ),
  );
  // The test terminal rejects invisible characters.
  await space.run('check', '--fix');
  const config = parse(space.read('config.yaml'), { version: '1.1' }) as {
    operations: { 'GET /news': { fulfillments: { datasource: unknown }[] } };
  };
  const [fulfillment] = config.operations['GET /news'].fulfillments;
  expect([name, `${name}x`]).toContain(fulfillment?.datasource);
});

test.each([
  ['a field of no fulfillment', 'etag: report.version', 'etag: report.version'],
  ['one in a header', 'header: ["X-A: :[report.version]"]', 'header: ["X-A: :[report.version]"]'],
  // A right fix is applied even if there is a wrong one nearby.
  [
    'a correct one with a typo',
    'etag: report.version\n        statusCode: 200',
    'etag: report.version\n        statuscode: 200',
  ],
  [
    'one in addition to a cookie',
    'etag: report.version\n        fileName: COOKIE.session',
    'etag: report.version\n        fileName: COOKIE(session)',
  ],
])('a fix that does not compile is not made: %s', async (_, written, expected) => {
  const config = (line: string): string => `specification: '1.0'
operations:
  GET /report:
    responses:
      - name: ok
        default: true
        ${line.includes('200') ? '' : 'statuscode: 200\n        '}schema: { a: TEXT(a) }
        ${line}
`;
  const { text } = await fixedText(config(written), (source) => checkSource({ config: source }).diagnostics);
  expect(text).toBe(config(expected));
});
