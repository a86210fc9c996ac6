/** Commands on a configuration of several files: pattern matches, refused files and changed files. */
import { linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeFixed } from '../../compiler/tools/commands/fix-file.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});

afterEach(() => {
  space.remove();
});

const datasources = `datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;

function configuration(...patterns: string[]): string {
  return `specification: "1.0"\ninclude: ${JSON.stringify(patterns)}\n${datasources}`;
}

function operation(name: string, field = 'name'): string {
  return `${JSON.stringify(name)}:
  fulfillments:
    - ${field}: news
      type: READ
      datasource: newsdb
      instructions:
        - query: SELECT id FROM news
  responses:
    - { name: ok, default: true, statuscode: 200, schema: 'VALUE(news, $)' }
`;
}

/** The messages of `check`, each with its file. */
async function messages(): Promise<string[]> {
  const { stdout } = await space.run('check', '--format', 'json', '--no-schema');
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { file: string; message: string }[] };
  return diagnostics.map(({ file, message }) => `${file}: ${message}`);
}

/** The names of the operations, in order. */
async function operations(): Promise<string[]> {
  const { stdout } = await space.run('explain', '--format', 'json', '--no-schema');
  const document = JSON.parse(stdout) as { operations: { operation: string }[] };
  return document.operations.map((one) => one.operation);
}

describe('patterns', () => {
  test('match files in the order of their code units, each once, after those of the configuration', async () => {
    space.write(
      'config.yaml',
      configuration('z/*.yaml', 'operations/**/*.yaml', 'operations/?.yaml', './operations/a.yaml').replace(
        'datasources:',
        `operations:\n  ${operation('GET /own').replaceAll('\n', '\n  ').trimEnd()}\ndatasources:`,
      ),
    );
    const names = ['B', 'a', 'é', 'a-b', 'a/inner/x', "it's 100%", 'zwei Wörter'];
    for (const [index, name] of names.entries())
      space.write(`operations/${name}.yaml`, operation(`GET /${index}`));
    space.write('z/last.yaml', operation('GET /last'));
    space.write('operations/.hidden.yaml', operation('GET /hidden'));
    space.write('operations/.git/x.yaml', operation('GET /git'));
    space.write('operations/node_modules/x.yaml', operation('GET /package'));
    space.write('operations/a.yml', operation('GET /yml'));
    expect(await messages()).toEqual([]);
    const order = ['B', 'a-b', 'a', 'a/inner/x', "it's 100%", 'zwei Wörter', 'é'];
    expect(await operations()).toEqual([
      'GET /own',
      ...order.map((name) => `GET /${names.indexOf(name)}`),
      'GET /last',
    ]);
  });

  test('match names whatever the form of their characters is', async () => {
    space.write('config.yaml', configuration('operations/é.yaml'));
    space.write('operations/e\u0301.yaml', operation('GET /e'));
    expect(await messages()).toEqual([]);
    space.write('operations/\u00e9.yaml', operation('GET /e2'));
    expect(await messages()).toEqual([
      "config.yaml: 'operations/é.yaml' has the same name as another file, but for the form of its characters.",
    ]);
  });

  test('letter case counts', async () => {
    space.write('config.yaml', configuration('Operations/news.yaml'));
    space.write('operations/news.yaml', operation('GET /news'));
    expect(await messages()).toContain("config.yaml: 'Operations/news.yaml' matches no file.");
  });

  test('names with line breaks and colours are shown and written as one line', async () => {
    space.write('config.yaml', configuration('operations/*.yaml'));
    space.write('operations/a\n\u001b[31m b.yaml', `${operation('GET /a')}x: 1\n`);
    const { stderr } = await space.run('check', '--no-schema');
    expect(stderr).toContain('operations/a??[31m b.yaml:10:4: error');
    space.write('operations/a\n\u001b[31m b.yaml', operation('GET /a'));
    expect((await space.run('build', '--no-schema', '--out', 'out')).status).toBe(0);
    const [head = '', next = ''] = space.read('out/src/operations/get-a.ts').split('\n');
    expect(head).toMatch(/^\/\/ Generated from operations\/a.*b\.yaml\. Do not edit/);
    expect(next).toMatch(/^import /);
  });
});

describe('is not included', () => {
  test('a file out of the folder, by a link to it, by one to its folder, or a pattern', async () => {
    space.write('outside/news.yaml', operation('GET /outside'));
    space.write('service/config.yaml', configuration('*/*.yaml', 'file.yaml'));
    space.write('service/operations/a.yaml', operation('GET /a'));
    symlinkSync('../outside', space.path('service/link'));
    symlinkSync('../outside/news.yaml', space.path('service/file.yaml'));
    const { stdout } = await space.run('check', 'service/config.yaml', '--format', 'json', '--no-schema');
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { message: string }[] };
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "'link' is a link to a path outside of the folder of the configuration.",
      "'file.yaml' is a link to a path outside of the folder of the configuration.",
    ]);
  });

  test('a hidden file behind a link; files of a mounted ConfigMap are', async () => {
    space.write('config.yaml', configuration('operations/*.yaml'));
    space.write('.env', 'SECRET: hunter2\n');
    space.write('operations/..2026_11_26/news.yaml', operation('GET /news'));
    symlinkSync('..2026_11_26', space.path('operations/..data'));
    symlinkSync('..data/news.yaml', space.path('operations/news.yaml'));
    expect(await messages()).toEqual([]);
    symlinkSync('../.env', space.path('operations/env.yaml'));
    const { stdout, stderr } = await space.run('check', '--no-schema');
    expect(stdout + stderr).toContain("'operations/env.yaml' is a link to a hidden file.");
    expect(stdout + stderr).not.toContain('hunter2');
  });

  test('what is no file with text', async () => {
    space.write('config.yaml', configuration('operations/*.yaml', 'operations/folder.yaml'));
    mkdirSync(space.path('operations/folder.yaml'), { recursive: true });
    symlinkSync('nowhere.yaml', space.path('operations/broken.yaml'));
    symlinkSync('cycle.yaml', space.path('operations/cycle.yaml'));
    writeFileSync(space.path('operations/latin.yaml'), Buffer.from('GET /caf\u00e9:\n', 'latin1'));
    writeFileSync(space.path('operations/utf16.yaml'), Buffer.from('\ufeffGET /a:\n', 'utf16le'));
    execFileSync('mkfifo', [space.path('operations/pipe.yaml')]);
    const found = await messages();
    expect(found).toEqual([
      "config.yaml: 'operations/broken.yaml' is a broken link.",
      "config.yaml: 'operations/folder.yaml' is a folder.",
    ]);
  });

  test('the configuration itself, also by another name of it', async () => {
    space.write('config.yaml', configuration('*.yaml'));
    linkSync(space.path('config.yaml'), space.path('other.yaml'));
    space.write('config.test.yaml', 'tests: []\n');
    space.write('openapi.yaml', 'openapi: 3.1.0\ninfo: { title: x, version: "1" }\npaths: {}\n');
    expect(await messages()).toEqual([
      'config.test.yaml: An included file is a map of operations: this one holds tests.',
      "config.yaml: 'config.yaml' is the configuration itself.",
      'openapi.yaml: An included file is a map of operations: this one is an API description.',
    ]);
  });
});

test('a file that two names lead to is read once', async () => {
  space.write('config.yaml', configuration('operations/*.yaml'));
  space.write('operations/b.yaml', operation('GET /b'));
  symlinkSync('b.yaml', space.path('operations/a.yaml'));
  expect(await messages()).toEqual([]);
  expect(await operations()).toEqual(['GET /b']);
});

test('a byte order mark and CRLF are no part of the text', async () => {
  space.write('config.yaml', configuration('operations/*.yaml'));
  space.write('operations/a.yaml', `\ufeff${operation('GET /a', 'nmae')}`.replaceAll('\n', '\r\n'));
  const { stderr } = await space.run('check', '--no-schema');
  expect(stderr).toContain('operations/a.yaml:3:7: error');
  await space.run('check', '--fix', '--no-schema');
  expect(space.read('operations/a.yaml')).toBe(`\ufeff${operation('GET /a')}`.replaceAll('\n', '\r\n'));
});

test('the limits are those of all files together', async () => {
  space.write('config.yaml', configuration('operations/*.yaml'));
  const long = `# ${'x'.repeat(9 * 1024 * 1024)}\n`;
  space.write('operations/a.yaml', long + operation('GET /a'));
  expect(await messages()).toEqual([]);
  space.write('operations/b.yaml', long + operation('GET /b'));
  expect(await messages()).toEqual(['operations/b.yaml: The configuration is too large: at most 16 MiB.']);
});

describe('check --fix', () => {
  test('changes the files that have errors', async () => {
    space.write('config.yaml', configuration('operations/*.yaml').replace('"1.0"', '1.0'));
    space.write('operations/a.yaml', operation('GET /a', 'nmae'));
    space.write('operations/b.yaml', operation('GET /b'));
    const before = statSync(space.path('operations/b.yaml')).mtimeMs;
    const { stderr } = await space.run('check', '--fix', '--no-schema');
    expect(stderr).toContain('config.yaml:1: fixed: "1.0" [unquoted-specification]');
    expect(stderr).toContain('operations/a.yaml:3: fixed: name [unknown-field]');
    expect(space.read('config.yaml')).toBe(configuration('operations/*.yaml'));
    expect(space.read('operations/a.yaml')).toBe(operation('GET /a'));
    expect(statSync(space.path('operations/b.yaml')).mtimeMs).toBe(before);
  });

  test('writes all files, or none', () => {
    space.write('a.yaml', 'a: 1\n');
    mkdirSync(space.path('b.yaml'));
    const files = ['a.yaml', 'b.yaml'].map((shown) => ({
      absolute: space.path(shown),
      shown,
      text: 'c: 2\n',
    }));
    expect(() => {
      writeFixed(files);
    }).toThrow('b.yaml cannot be written: it is not a file.');
    expect(space.read('a.yaml')).toBe('a: 1\n');
    writeFixed(files.slice(0, 1));
    expect(space.read('a.yaml')).toBe('c: 2\n');
  });
});

test('diff reads the files of each side from its own folder', async () => {
  for (const [side, name] of [
    ['old', 'GET /a'],
    ['new', 'GET /b'],
  ] as const) {
    space.write(`${side}/config.yaml`, configuration('operations/*.yaml'));
    space.write(`${side}/operations/a.yaml`, operation(name));
  }
  const { stdout, status } = await space.run('diff', 'old', 'new', '--no-schema');
  expect({ status, names: new Set(stdout.match(/GET \/\w+/g)) }).toEqual({
    status: 1,
    names: new Set(['GET /a', 'GET /b']),
  });
});

test('explain and audit name the file', async () => {
  space.write('config.yaml', configuration('operations/*.yaml'));
  space.write('operations/a.yaml', operation('GET /a'));
  space.write(
    'operations/b.yaml',
    operation('GET /b').replace('- query', '# apikiln-disable-next-line whole-list -- few\n        - query'),
  );
  const { stdout } = await space.run('explain', 'GET /a', '--config', 'config.yaml', '--no-schema');
  expect(stdout).toContain('file         operations/a.yaml');
  expect(stdout).toContain('(line 3)');
  const audited = await space.run('audit', '--no-schema', '--fail-on', 'never');
  expect(audited.stdout).toMatch(/^operations\/a\.yaml:\d+:\d+: /m);
});

test('openapi --merge describes the errors of operations in all files', async () => {
  space.write('config.yaml', configuration('operations/*.yaml'));
  space.write('operations/a.yaml', operation('GET /a'));
  space.write(
    'operations/b.yaml',
    operation('GET /b/{id}').replace('FROM news', 'FROM news WHERE id = :[PARAM(id)]'),
  );
  await space.run('openapi', '--no-schema', '--out', 'openapi.yaml');
  const generated = space.read('openapi.yaml');
  const [paths = '', components = ''] = generated.split(/^(?=components:)/m);
  space.write('openapi.yaml', paths.replaceAll(/^ +"[45]\d\d":\n.*\n/gm, '') + components);
  const { stderr } = await space.run('openapi', '--no-schema', '--merge');
  expect(stderr).toBe('openapi.yaml: 400, 500, 503, 504 added, in 2 operations\n');
  expect(space.read('openapi.yaml')).toBe(generated);
});
