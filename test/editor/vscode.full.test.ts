/** The extension in a real VS Code: code-server, with Chromium as its window, and an extension that uses the one of apikiln. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { strToU8, zipSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { npmEnvironment } from '../deployment/npm-environment.js';
import { startBrowser } from '../helpers/browser.js';
import { fetchTools } from '../helpers/fetched-tool.js';
import { freePort } from '../helpers/free-port.js';
import { repository } from '../helpers/service-fixture.js';
import { builtTool } from '../helpers/shared-servers.js';

const text = `specification: "1.0"
operations:
  'GET /news/{id}':
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, title FROM news WHERE id = :[PARAM(id)]
        exceptions:
          - { if: 'SIZE(VALUE(news, $)) == INTEGER(0)', statuscode: 404, message: Not found }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          title: VALUE(nwes, $.title)
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;

const tests = `tests:
  - name: one news
    request: GET /news/1
    response: { statuscode: 200, body: { title: Kiln lit } }
  - name: another title
    request: GET /news/1
    response: { body: { title: First pots } }
`;

let folder = '';
let browser: Browser;
/** The program of code-server, with its interpreter. */
let program: readonly string[] = [];
const processes: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-vscode-'));
  await builtTool();
  const node = `node-${process.platform}-${process.arch}`;
  const modules = await fetchTools(join(folder, 'tools'), { 'code-server': '4.139.1', [node]: '24.21.0' });
  const editor = join(modules, 'code-server/lib/vscode');
  // Native modules of logs and of databases are missing without their scripts; VS Code starts without them.
  const args = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)('npm', args, { cwd: editor, env: npmEnvironment, maxBuffer: 1e8 });
  program = [join(modules, node, 'bin/node'), join(modules, 'code-server/out/node/entry.js')];
  const [vsix, tester] = [join(folder, 'apikiln.vsix'), join(folder, 'tester.vsix')];
  writeFileSync(vsix, await packedExtension());
  writeFileSync(tester, await packedTester());
  for (const path of [vsix, tester]) await codeServer('--install-extension', path);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  for (const one of processes) one.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function packedExtension(): Promise<Uint8Array> {
  const script = JSON.stringify(join(repository, 'compiler/build-vscode.mjs'));
  const code = `import { packExtension } from ${script}; console.log(Buffer.from(await packExtension()).toString('base64'))`;
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 });
  return Buffer.from(stdout, 'base64');
}

async function packedTester(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(repository, 'test/editor/vscode-tester.ts')],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    external: ['vscode'],
    write: false,
  });
  const manifest = {
    ...{ name: 'tester', publisher: 'apikiln', version: '1.0.0', engines: { vscode: '^1.100.0' } },
    ...{ main: './tester.js', activationEvents: ['onStartupFinished'] },
    capabilities: { untrustedWorkspaces: { supported: true } },
  };
  return zipSync({
    'extension/package.json': strToU8(JSON.stringify(manifest)),
    'extension/tester.js': outputFiles[0]?.contents ?? new Uint8Array(),
  });
}

const ownFolders = (): string[] => [
  ...['--user-data-dir', join(folder, 'user')],
  ...['--extensions-dir', join(folder, 'extensions')],
];

async function codeServer(...args: readonly string[]): Promise<void> {
  const [node = '', entry = ''] = program;
  const env = { PATH: process.env['PATH'], HOME: folder };
  await promisify(execFile)(node, [entry, ...ownFolders(), ...args], { env, maxBuffer: 1e8 });
}

/** A workspace with the tool, which the extension starts. `cli`: the text of a program instead. */
function workspaceOf(name: string, cli?: string): string {
  const workspace = join(folder, name);
  mkdirSync(join(workspace, 'node_modules'), { recursive: true });
  writeFileSync(join(workspace, 'config.yaml'), text);
  writeFileSync(join(workspace, 'config.test.yaml'), tests);
  writeFileSync(
    join(workspace, 'schema.sql'),
    'CREATE TABLE news (id integer PRIMARY KEY, title text NOT NULL);',
  );
  writeFileSync(join(workspace, 'seed.sql'), `INSERT INTO news VALUES (1, 'Kiln lit');`);
  if (cli === undefined) symlinkSync(repository, join(workspace, 'node_modules/apikiln'));
  else {
    const folderOfProgram = join(workspace, 'node_modules/apikiln/dist/compiler');
    mkdirSync(folderOfProgram, { recursive: true });
    writeFileSync(join(folderOfProgram, 'cli.js'), cli);
  }
  return workspace;
}

/** Opens a workspace in a window. */
async function open(workspace: string, ...args: readonly string[]): Promise<{ page: Page; seen: Seen }> {
  const [node = '', entry = ''] = program;
  const port = await freePort();
  const file = join(folder, `${String(port)}.seen`);
  const server = spawn(
    node,
    [entry, ...ownFolders(), '--auth=none', `--bind-addr=127.0.0.1:${String(port)}`, ...args],
    { env: { PATH: process.env['PATH'], HOME: folder, APIKILN_SEEN: file }, stdio: 'ignore' },
  );
  processes.push(server);
  const url = `http://127.0.0.1:${String(port)}`;
  await expect.poll(() => isUp(url)).toBe(true);
  const page = await browser.newPage();
  await page.goto(`${url}/?folder=${encodeURIComponent(workspace)}`);
  return { page, seen: new Seen(file) };
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}

/** The observations of the tester. */
class Seen {
  constructor(private readonly file: string) {}

  /** Waits for the end of the tester. */
  async all(): Promise<Record<string, unknown>> {
    await expect.poll(() => this.#lines().some(([name]) => name === 'end' || name === 'error')).toBe(true);
    return Object.fromEntries(this.#lines());
  }

  #lines(): [string, unknown][] {
    const written = existsSync(this.file) ? readFileSync(this.file, 'utf8') : '';
    return written
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as [string, unknown]);
  }
}

test('diagnostics, fixes, completion, explain, tasks, tests and colours', async () => {
  const { page, seen } = await open(workspaceOf('trusted'), '--disable-workspace-trust');
  const found = await seen.all();
  expect(found['error']).toBeUndefined();
  expect(found).toMatchObject({
    isTrusted: true,
    commands: ['apikiln.dev', 'apikiln.explain', 'apikiln.restart', 'apikiln.test'],
    diagnostics: [['apikiln', 'unknown-fulfillment', 16]],
    tasks: ['dev config.yaml', 'test config.yaml', 'check config.yaml', 'build config.yaml'],
    'exit code of check': 0,
  });
  expect(found['actions']).toContain("Write 'news'");
  expect(found['completions']).toEqual(expect.arrayContaining(['id', 'title']));
  expect(found['explained']).toMatch(/^GET \/news\/\{id\}/);
  // The list of results shows failures by their messages.
  const result = (name: string) => page.getByRole('treeitem', { name, exact: true });
  const wait = { timeout: 120_000 };
  await result('one news').locator('.codicon-testing-passed-icon').waitFor(wait);
  await result('$.title: expected "First pots", but it is "Kiln lit"').waitFor(wait);
  const words = await page.evaluate<[string, string][]>(
    `[...document.querySelectorAll('.view-line span > span')].map((one) => [one.textContent.trim(), getComputedStyle(one).color])`,
  );
  const colourOf = (word: string): string | undefined => words.find(([one]) => one === word)?.[1];
  const colours = ['query', 'SELECT', 'PARAM', 'FROM'].map(colourOf);
  expect(colours).not.toContain(undefined);
  expect(new Set(colours.slice(0, 3)).size).toBe(3);
  expect(colours[3]).toBe(colours[1]);
});

test('nothing of a workspace runs before it is trusted', async () => {
  const cli = `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'ran'))}, '');`;
  const { page, seen } = await open(workspaceOf('untrusted', cli));
  const found = await seen.all();
  expect(found).toEqual({ isTrusted: false, commands: [], end: null });
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  await page.getByRole('button', { name: /^Restricted Mode/ }).click();
  const trust = page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true });
  await trust.click({ timeout: 120_000 });
  await expect.poll(() => existsSync(join(folder, 'ran'))).toBe(true);
});
