/** The runtime package: stack traces and editors refer to its TypeScript sources, and the same sources give the same bytes. */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Node, Project } from 'ts-morph';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { filesBelow } from './sources.js';

const runtime = join(repository, 'dist/runtime');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-runtime-'));
  mkdirSync(join(folder, 'node_modules/@apikiln'), { recursive: true });
  symlinkSync(runtime, join(folder, 'node_modules/@apikiln/runtime'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The source map of a JavaScript file or a declaration file. */
function mapOf(path: string): SourceMapPayload {
  return JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload;
}

test('every module and every declaration has a map, and each map refers to files of the package', () => {
  const paths = ['dist', 'types'].flatMap((part) => filesBelow(`dist/runtime/${part}`));
  const mapped = paths.filter((path) => /\.(?:js|d\.ts)$/.test(path)).map((path) => join(repository, path));
  expect(mapped.length).toBeGreaterThan(200);
  const missing = mapped.flatMap((path) =>
    mapOf(path)
      .sources.map((source) => resolve(dirname(path), source))
      .filter((source) => !source.startsWith(join(runtime, 'src')) || !existsSync(source)),
  );
  expect(missing).toEqual([]);
});

test('the stack of an error in the runtime has lines of TypeScript', async () => {
  const failing = join(folder, 'failing.js');
  writeFileSync(failing, "import { encode } from '@apikiln/runtime';\n\nencode('\\ud800');\n");
  const node = promisify(execFile)(process.execPath, ['--enable-source-maps', failing]);
  const { stderr } = await node.then(
    () => ({ stderr: '' }),
    (error: unknown) => error as { readonly stderr: string },
  );
  const [, path = '', line = ''] = /at encode \((?:file:\/\/)?(\S+\.ts):(\d+):\d+\)/.exec(stderr) ?? [];
  expect(relative(runtime, path), stderr).toBe('src/rest/url-values.ts');
  expect(readFileSync(path, 'utf8').split('\n')[Number(line) - 1]).toContain('new ServiceError(');
});

test('pg finds what is defined before it, and Node loads no fetch for it', async () => {
  const loading = join(folder, 'loading.js');
  writeFileSync(
    loading,
    "import '@apikiln/runtime/postgres';\nconsole.log(navigator.userAgent, process.moduleLoadList.join());\n",
  );
  const { stdout } = await promisify(execFile)(process.execPath, [loading]);
  expect(stdout).toMatch(/^Node\.js\/\d+ /);
  expect(stdout).toContain('NativeModule net,');
  expect(stdout).not.toContain('undici');
});

test('the definition of an import is a line of TypeScript', () => {
  const project = new Project({ compilerOptions: { module: 199, moduleResolution: 99, target: 99 } });
  const importing = project.createSourceFile(
    join(folder, 'importing.ts'),
    "import { encode } from '@apikiln/runtime';\nimport { postgres } from '@apikiln/runtime/postgres';\n",
  );
  const lines = importing.getImportDeclarations().map((declaration) => {
    const [name] = declaration.getNamedImports();
    const [definition] = name?.getNameNode().asKindOrThrow(80).getDefinitionNodes() ?? [];
    if (definition === undefined || !Node.hasName(definition)) throw new Error(importing.getText());
    const { line, column } = definition
      .getSourceFile()
      .getLineAndColumnAtPos(definition.getNameNode().getStart());
    const path = definition.getSourceFile().getFilePath();
    const entry = new SourceMap(mapOf(path)).findEntry(line - 1, column - 1);
    if (!('originalSource' in entry)) throw new Error(`${path} has no map of line ${line}.`);
    const source = readFileSync(resolve(dirname(path), entry.originalSource), 'utf8');
    return source.split('\n')[entry.originalLine];
  });
  expect(lines).toEqual([
    expect.stringMatching(/^export function encode\(/),
    expect.stringMatching(/^export (?:async )?function postgres\(/),
  ]);
});

test.each([
  ['Pacific/Apia', 'C', '077'],
  ['UTC', 'tr_TR.UTF-8', '002'],
])(
  'the tarball has the same bytes in the time zone %s, with the locale %s and the umask %s',
  async (...place) => {
    const [TZ, LC_ALL, umask] = place;
    const builder = join(repository, 'compiler/build-runtime.mjs');
    const program = `process.umask(0o${umask});
const { packRuntime } = await import(${JSON.stringify(builder)});
process.stdout.write((await packRuntime()).bytes);`;
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, TZ, LC_ALL },
      encoding: 'buffer',
      maxBuffer: 2 ** 26,
    });
    const { tarball } = JSON.parse(readFileSync(join(repository, 'dist/runtime.json'), 'utf8')) as {
      readonly tarball: string;
    };
    expect(stdout.equals(readFileSync(join(repository, 'dist', tarball)))).toBe(true);
  },
);
