/** The tool, installed by Yarn with its default Plug'n'Play: commands find their packages without node_modules. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registryOf } from '../helpers/fetched-tool.js';
import { freePort } from '../helpers/free-port.js';
import { packedTool } from '../helpers/shared-servers.js';
import { entriesConfig } from '../service/entries.js';
import { fetchManagers, usingRegistry } from '../service/package-managers.js';
import { ask, prepare, sharedServer } from '../service/services.js';
import { Confined } from './confined.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-pnp-'));
const project = join(folder, 'project');
const temporary = join(folder, 'tmp');
let yarn: string;
let environment: Record<string, string>;

beforeAll(async () => {
  for (const made of [project, temporary]) mkdirSync(made);
  const tools = await fetchManagers(join(folder, 'tools'), ['Yarn 4']);
  yarn = join(tools, '@yarnpkg/cli-dist/bin/yarn.js');
  environment = { ...usingRegistry(await registryOf(folder)), TMPDIR: temporary };
  const devDependencies = { apikiln: `file:${await packedTool()}` };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, devDependencies }));
  await promisify(execFile)(process.execPath, [yarn, 'install'], { cwd: project, env: environment });
  expect(existsSync(join(project, 'node_modules'))).toBe(false);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command of the tool; signals go to the tool, not to Yarn. */
async function command(
  cwd: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Confined> {
  const show = [yarn, 'node', '-p', 'process.env.NODE_OPTIONS'];
  const { stdout } = await promisify(execFile)(process.execPath, show, { cwd: project, env: environment });
  const bin = await promisify(execFile)(process.execPath, [yarn, 'bin', 'apikiln'], {
    cwd: project,
    env: environment,
  });
  const env = { ...environment, ...variables, NODE_OPTIONS: stdout.trim() };
  const child = spawn(process.execPath, [bin.stdout.trim(), ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Confined(child);
}

async function finished(cwd: string, ...args: string[]): Promise<string> {
  const running = await command(cwd, args);
  expect(await running.ended, running.printed).toBe(0);
  return running.printed;
}

test('init, check, test, dev and build', async () => {
  await finished(project, 'init', 'tasks');
  const tasks = join(project, 'tasks');
  expect(await finished(tasks, 'check')).toContain('is fine');
  expect(await finished(tasks, 'test', '--workers', '1')).toMatch(/^5 tests passed/m);
  const dev = await command(tasks, ['dev', '--port', String(await freePort())]);
  try {
    const [, url = ''] = await dev.until(/(http:\/\/localhost:\d+)/);
    expect(await ask(url, 'GET', '/tasks/2')).toMatchObject({ status: 200, body: { id: 2 } });
    expect((await fetch(`${url}/docs-ui/swagger-ui.js`)).status).toBe(200);
  } finally {
    dev.child.kill('SIGTERM');
  }
  expect(await dev.ended, dev.printed).toBe(0);
  await finished(tasks, 'build', '--out', 'service');
  expect(readdirSync(join(tasks, 'service'))).toEqual(expect.arrayContaining(['vendor', 'src']));
  expect(readdirSync(temporary)).toEqual([]);
});

test.each(['1', '2'])('serve, with WORKERS=%s and routes that import Express', async (workers) => {
  const app = join(project, `serve-${workers}`);
  mkdirSync(join(app, 'service/src'), { recursive: true });
  writeFileSync(join(app, 'config.yaml'), entriesConfig('postgresql'));
  const routes = `import express, { type Express } from 'express';
import { fail } from '@apikiln/runtime';

export const app: Express = express().get('/own', () => {
  throw fail(418, 'own');
});
`;
  writeFileSync(join(app, 'service/src/app.ts'), routes);
  const variables = await prepare(await sharedServer.postgresql(), 'postgresql', `pnp_${workers}`);
  const port = String(await freePort());
  const args = ['serve', '--out', 'service', '--port', port];
  const running = await command(app, args, { ...variables, HOST: '127.0.0.1', WORKERS: workers });
  try {
    const [, url = ''] = await running.until(/listening on (http:\/\/\S+)\n/);
    expect((await ask(url, 'POST', '/entries', { tag: 'a', amount: 1 })).status).toBe(201);
    expect((await ask(url, 'GET', '/entries/a')).body).toEqual({ tag: 'a', amount: 1 });
    expect((await ask(url, 'GET', '/own')).status).toBe(418);
  } finally {
    running.child.kill('SIGTERM');
  }
  expect(await running.ended, running.printed).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
});
