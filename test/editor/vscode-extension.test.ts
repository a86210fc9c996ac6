/** Parts of the extension for VS Code that do not need VS Code: the found tool, the listed tests, the packed archive. */
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { strFromU8, unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { configurationOf, findTool } from '../../compiler/tools/editor/vscode/find-tool.js';
import { resultsIn, testsIn, type NamedTest } from '../../compiler/tools/editor/vscode/read-tests.js';
import { repository } from '../helpers/service-fixture.js';

let folder = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'apikiln-extension-')));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text = ''): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe('the tool of a configuration', () => {
  const none = { path: '', searchPath: '' };
  const program = 'node_modules/apikiln/dist/compiler/cli.js';

  test('is the nearest package up to the workspace folder', () => {
    const root = join(folder, 'work');
    const [near, far] = [write(`work/services/news/${program}`), write(`work/${program}`)];
    write(program);
    expect(findTool(join(root, 'services/news/config.yaml'), root, none)).toBe(near);
    expect(findTool(join(root, 'services/shop/config.yaml'), root, none)).toBe(far);
    rmSync(far);
    expect(findTool(join(root, 'services/shop/config.yaml'), root, none)).toBeUndefined();
    expect(findTool(join(folder, 'config.yaml'), root, none)).toBeUndefined();
  });

  test('is that of the setting, also if another one is installed', () => {
    const other = write('other/dist/compiler/cli.js');
    write(program);
    const found = (path: string) => findTool(join(folder, 'config.yaml'), folder, { path, searchPath: '' });
    expect(found(join(folder, 'other'))).toBe(other);
    expect(found(other)).toBe(other);
    expect(found(join(folder, 'nowhere'))).toBeUndefined();
  });

  test('is otherwise the one in PATH, as npm installs it', () => {
    const linked = write('lib/node_modules/apikiln/dist/compiler/cli.js');
    mkdirSync(join(folder, 'bin'));
    symlinkSync(linked, join(folder, 'bin/apikiln'));
    const searchPath = ['nowhere', 'bin'].map((name) => join(folder, name)).join(delimiter);
    const root = join(folder, 'work');
    expect(findTool(join(root, 'config.yaml'), root, { path: '', searchPath })).toBe(linked);
    const beside = write(`windows/${program}`);
    expect(findTool(join(root, 'config.yaml'), root, { path: '', searchPath: join(folder, 'windows') })).toBe(
      beside,
    );
  });
});

test('the configuration of a file is itself, or the nearest one above it in the workspace folder', () => {
  const root = join(folder, 'work');
  const config = 'specification: "1.0"\n';
  const above = write('work/news/config.yaml', config);
  write('config.yaml', config);
  write('work/other/config.yaml', 'a: 1\n');
  const found = (path: string, text: string) => configurationOf(join(root, path), text, root);
  expect(found('any.yaml', '# News\n"specification": "1.0"\n')).toBe(join(root, 'any.yaml'));
  expect(found('news/operations/list.yaml', 'GET /news: {}\n')).toBe(above);
  expect(found('other/operations/list.yaml', 'GET /news: {}\n')).toBeUndefined();
  expect(found('news/config.yaml', 'a: { specification: 1 }\n')).toBeUndefined();
});

/** Tests by YAML's own parser. */
function parsedTests(text: string): NamedTest[] {
  const lines = new LineCounter();
  const tests = parseDocument(text, { lineCounter: lines }).get('tests');
  if (!isSeq(tests)) return [];
  return tests.items.flatMap((item) => {
    const name = isMap(item) ? item.get('name', true) : undefined;
    if (!isScalar(name) || typeof name.value !== 'string') return [];
    return [{ name: name.value, line: lines.linePos(name.range?.[0] ?? 0).line - 1 }];
  });
}

const testFiles = readdirSync(join(repository, 'fixtures/services'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.yaml'))
  .map((path) => `fixtures/services/${path.replaceAll('\\', '/')}`);

test.each([...testFiles, 'templates/starter/config.test.yaml'])(
  'the listed tests are those of %s',
  (path) => {
    const text = readFileSync(join(repository, path), 'utf8');
    expect(testsIn(text).length).toBeGreaterThan(0);
    expect(testsIn(text)).toEqual(parsedTests(text));
  },
);

test.each([
  [`tests:\n- name: 'it''s'\n- name: "a \\"b\\""   # c\n- name: x # y\n`],
  ['tests: # all\r\n  - name: one\r\n    steps:\r\n      - name: a step\r\n  - name: two\r\n'],
  ['environment: { A: 1 }\ntests:\n  - name: one\nother:\n  - name: two\n'],
  ['tests: []\n'],
  [''],
])('the listed tests of %j', (text) => {
  expect(testsIn(text)).toEqual(parsedTests(text));
});

test('output that is not JSON has no results', () => {
  expect(resultsIn('error')).toBeUndefined();
  expect(resultsIn('')).toBeUndefined();
  expect(resultsIn('{"tests":[]}')).toEqual([]);
});

describe('the archive', () => {
  const pack = async (zone: string): Promise<Buffer> => {
    const script = JSON.stringify(join(repository, 'compiler/build-vscode.mjs'));
    const code = `import { packExtension } from ${script}; console.log(Buffer.from(await packExtension()).toString('base64'))`;
    const args = ['--input-type=module', '--eval', code];
    const options = { env: { ...process.env, TZ: zone }, maxBuffer: 1e8 };
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    return Buffer.from(stdout, 'base64');
  };

  test('has the same bytes in each time zone, and every file that its manifest names', async () => {
    const packed = await pack('UTC');
    expect((await pack('Asia/Tokyo')).equals(packed)).toBe(true);
    const files = unzipSync(packed);
    const manifest = JSON.parse(strFromU8(files['extension/package.json'] ?? new Uint8Array())) as {
      readonly main: string;
      readonly contributes: Readonly<Record<'grammars' | 'snippets', readonly { readonly path: string }[]>>;
    };
    const { grammars, snippets } = manifest.contributes;
    const named = [manifest.main, ...[...grammars, ...snippets].map(({ path }) => path)];
    expect(named.length).toBeGreaterThan(10);
    const paths = named.map((path) => `extension/${path.slice('./'.length)}`);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(paths));
    // Everything but the module of VS Code is in the bundle.
    const code = strFromU8(files['extension/extension.js'] ?? new Uint8Array());
    const required = new Set([...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name));
    const others = [...required].filter((name) => !isBuiltin(name));
    expect(others).toEqual(['vscode']);
  });
});
