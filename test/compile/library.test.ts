/** The compiler as a library: it compiles what the command compiles, from strings. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/library.js';
import { matchesPath } from '../../compiler/read/config/include/patterns.js';
import { findIncluded } from '../../compiler/tools/commands/shared/files/find-included.js';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { repository, serviceFixtures } from '../helpers/service-fixture.js';
import { filesBelow } from '../project/sources.js';

const minimal = `specification: "1.0"
operations:
  GET /a:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { a: INTEGER(1) } }]
`;

/** The files of a fixture as a user of the library passes them. */
function filesOf(name: string): Record<string, string> {
  const folder = `fixtures/services/${name}`;
  return Object.fromEntries(
    filesBelow(folder)
      .map((path) => path.slice(folder.length + 1))
      .filter((path) => !path.startsWith('expected') && path !== 'config.yaml')
      .map((path) => [path, readFileSync(join(repository, folder, path), 'utf8')]),
  );
}

/** Fixtures with included files, descriptions, third parties, tables, and both syntaxes; without user code. */
const chosen = serviceFixtures().filter(
  ({ database, app, middleware, code, description, api, config }) =>
    database === 'postgresql' &&
    app === undefined &&
    middleware === undefined &&
    code.length === 0 &&
    (/^include:/m.test(config) || api !== undefined || (description !== undefined && config.length < 4000)),
);
const compiled = (await compiledFixtures(() => chosen)).fixtures;

describe('a fixture', () => {
  test('is chosen for each kind of file', () => {
    expect(chosen.length).toBeGreaterThan(5);
    expect(chosen.some(({ config }) => /^include:/m.test(config))).toBe(true);
    expect(chosen.some(({ api }) => api !== undefined)).toBe(true);
  });

  test.each(compiled)(
    '$id has the same files and codes as of the command',
    async ({ fixture, ...expected }) => {
      const { target, with: extras } = fixture;
      const { files, diagnostics } = await compile(fixture.config, {
        files: filesOf(fixture.name),
        ...(target && { target }),
        extras,
      });
      expect(diagnostics.map(({ code }) => code)).toEqual(expected.diagnostics.map(({ code }) => code));
      const texts = files?.map(({ path, content }) => [
        path,
        typeof content === 'string' ? content : Buffer.from(content).toString('latin1'),
      ]);
      expect(texts).toEqual(expected.files?.map(({ path, text }) => [path, text]));
    },
  );
});

test('statements are checked against schema.sql, and a diagnostic is plain data', async () => {
  const config = `${minimal}datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/a', user: a, password: a }
`.replace(
    '    responses:',
    `    fulfillments:
      - { name: x, type: READ, datasource: db, instructions: [{ query: SELECT b FROM a }] }
    responses:`,
  );
  const files = { 'schema.sql': 'CREATE TABLE a (c int);' };
  const { diagnostics, files: written } = await compile(config, { files });
  expect(written).toBeUndefined();
  const [found] = diagnostics.filter(({ severity }) => severity === 'error');
  expect(found).toMatchObject({
    file: 'config.yaml',
    line: 5,
    message: expect.stringContaining('"b"') as unknown,
  });
  expect(JSON.parse(JSON.stringify(diagnostics))).toEqual(diagnostics);
  const named = await compile(config, { files: { 'schema.db.sql': 'CREATE TABLE a (b int);' } });
  expect(named.files?.length).toBeGreaterThan(5);
});

test('an archive is bytes, and other files are strings', async () => {
  const { files = [] } = await compile(minimal, { name: 'shop', target: 'kubernetes', extras: ['ingress'] });
  const bytes = files.filter(({ content }) => typeof content !== 'string');
  expect(bytes.map(({ path }) => path)).toEqual([expect.stringMatching(/^vendor\/apikiln-runtime-.*\.tgz$/)]);
  expect(bytes[0]?.content.slice(0, 2)).toEqual(new Uint8Array([0x1f, 0x8b]));
  expect(files.map(({ path }) => path)).toContain('kubernetes/base/ingress.yaml');
  const registry = await compile(minimal, { runtime: 'registry' });
  expect(registry.files?.some(({ path }) => path.startsWith('vendor/'))).toBe(false);
});

test('a hidden file is never read', async () => {
  const openapi = (path: string): string => `openapi: 3.0.3
info: { title: A, version: '1' }
paths: { /a: { get: { responses: { 200: { $ref: '${path}' } } } } }
`;
  const files = { '.env': 'a: secret-value', 'openapi.yaml': openapi('.env') };
  const { diagnostics } = await compile(minimal, { files });
  expect(diagnostics.length).toBeGreaterThan(0);
  expect(JSON.stringify(diagnostics)).not.toContain('secret-value');
});

test.each(['../a.yaml', '/a.yaml', 'a//b.yaml', './a.yaml', 'a\\b.yaml', '', 'config.yaml', 'a/..'])(
  'the path %j is refused',
  async (path) => {
    await expect(compile(minimal, { files: { [path]: '' } })).rejects.toThrow(TypeError);
  },
);

test('a name that no service can have is refused', async () => {
  await expect(compile(minimal, { name: 'My shop' })).rejects.toThrow(/'My shop' cannot be the name/);
});

test.each([
  [undefined, {}, 'The configuration is not a string.'],
  [Buffer.from('a'), {}, 'The configuration is not a string.'],
  ['', null, 'The options are not an object.'],
  [
    '',
    { file: {} },
    "'file' is not an option. The options are 'files', 'name', 'target', 'runtime', 'extras'.",
  ],
  ['', JSON.parse('{ "__proto__": {} }'), "'__proto__' is not an option."],
  ['', { files: new Map([['schema.sql', '']]) }, "The option 'files' is not an object"],
  ['', { files: { 'schema.sql': Buffer.from('') } }, "The file 'schema.sql' is not a string."],
  ['', { name: null }, "'null' cannot be the name of a service."],
  [
    '',
    { target: 'serverless' },
    "'serverless' is not a value of the option 'target': 'docker', 'kubernetes'.",
  ],
  ['', { runtime: 'toString' }, "'toString' is not a value of the option 'runtime'"],
  ['', { target: 'kubernetes', extras: 'ingress' }, "The option 'extras' is not a list."],
  ['', { target: 'kubernetes', extras: ['../a'] }, "'../a' is not a value of the option 'extras'"],
  ['', { extras: ['ingress'] }, "The option 'extras' is for the target 'kubernetes'."],
])('arguments of programs in JavaScript: compile(%j, %j)', async (config, options, message) => {
  const call = compile as (...args: readonly unknown[]) => Promise<unknown>;
  const problem: unknown = await call(config, options).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(TypeError);
  expect((problem as TypeError).message).toContain(message);
});

test('a pattern matches the paths that it matches on the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-patterns-'));
  const paths = [
    'a.yaml',
    'ab.yaml',
    'x/a.yaml',
    'x/.a.yaml',
    'x/y/a.yaml',
    'x/y/b.yml',
    'node_modules/a.yaml',
    '.x/a.yaml',
  ];
  for (const path of ['config.yaml', ...paths]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'a: 1\n');
  }
  const find = findIncluded({ config: join(folder, 'config.yaml'), folder });
  const folders = ['', 'x/', '*/', '**/', 'x/y/', 'x/**/', '**/y/', '*/*/', '**/**/', 'node_modules/'];
  const names = ['a.yaml', '*.yaml', '?.yaml', '*', 'a*', '*.y*ml', 'b.yml', 'c'];
  for (const pattern of folders.flatMap((below) => names.map((name) => below + name))) {
    const there = find(pattern)
      .filter((file) => !('problem' in file.read()))
      .map(({ name }) => name)
      .sort();
    expect(paths.filter((path) => matchesPath(pattern, path)).sort(), pattern).toEqual(there);
  }
  rmSync(folder, { recursive: true });
});
