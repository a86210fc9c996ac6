/** The package, packed and installed for production: its commands in an empty folder, and `apikiln serve` as run by the image in /app. */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { repository } from '../helpers/service-fixture.js';
import { manyRuns } from '../helpers/runs.js';
import { packedTool } from '../helpers/shared-servers.js';
import { entriesConfig } from '../service/entries.js';
import type { DatabaseKind } from '../helpers/service-fixture.js';
import { ask, kinds, prepare, sharedServer } from '../service/services.js';
import { Confined } from './confined.js';
import { npmEnvironment } from './npm-environment.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-serve-'));
const app = join(folder, 'app');
const temporary = join(folder, 'tmp');
const cli = join(folder, 'node_modules/apikiln/dist/compiler/cli.js');

beforeAll(async () => {
  chmodSync(folder, 0o755);
  mkdirSync(app);
  mkdirSync(temporary);
  chmodSync(temporary, 0o777);
  const quick = ['--omit=dev', '--no-audit', '--no-fund', '--prefer-offline'];
  const install = ['install', ...quick, await packedTool()];
  await promisify(execFile)('npm', install, { cwd: folder, env: npmEnvironment });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `serve`, as an unprivileged user if possible: only the temporary folder is writable. */
function serve(environment: Readonly<Record<string, string>>, ...args: string[]): Confined {
  const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};
  const env = { PATH: process.env.PATH, TMPDIR: temporary, ...environment };
  return new Confined(
    spawn(process.execPath, [cli, 'serve', ...args], {
      cwd: app,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    }),
  );
}

/** Runs a command of the package in a folder outside the repository. */
function command(cwd: string, ...args: string[]): Confined {
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: temporary };
  return new Confined(
    spawn(process.execPath, [cli, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

test('the package works alone: init, dev, test and build in an empty folder', async () => {
  const installed = readdirSync(join(folder, 'node_modules/apikiln'));
  expect(installed).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'docs']));
  const finished = async (cwd: string, ...args: string[]): Promise<string> => {
    const running = command(cwd, ...args);
    expect(await running.ended, running.printed).toBe(0);
    return running.printed;
  };
  await finished(folder, 'init', 'tasks');
  const tasks = join(folder, 'tasks');
  const dev = command(tasks, 'dev', '--port', String(await freePort()));
  try {
    const [, url = ''] = await dev.until(/(http:\/\/localhost:\d+)/);
    expect(await ask(url, 'GET', '/tasks/2')).toMatchObject({ status: 200, body: { id: 2 } });
  } finally {
    dev.child.kill('SIGTERM');
  }
  expect(await dev.ended, dev.printed).toBe(0);
  expect(await finished(tasks, 'test', '--workers', '1')).toMatch(/^5 tests passed/m);
  await finished(tasks, 'build', '--out', 'service');
  expect(readdirSync(join(tasks, 'service'))).toEqual(expect.arrayContaining(['package.json', 'src']));
  expect(readdirSync(temporary)).toEqual([]);
});

/** Queries that find the running statement of `/slow/{value}`. */
const inFlight: Readonly<Record<DatabaseKind, string>> = {
  postgresql:
    "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active' AND datname = 'deployment_serve'",
  mariadb:
    "SELECT 1 FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%' AND db = 'deployment_serve'",
};

describe.each(kinds)('%s', (kind) => {
  // One database is tested with one process, the other with two: the settings are independent.
  test.each(manyRuns ? ['1', '2'] : [kind === 'postgresql' ? '2' : '1'])(
    'WORKERS=%s: compiles, responds from the database, stops with 0 when it is asked to, and leaves nothing behind',
    async (workers) => {
      writeFileSync(join(app, 'config.yaml'), entriesConfig(kind));
      const server = await sharedServer[kind]();
      const variables = await prepare(server, kind, 'deployment_serve');
      const port = await freePort();
      const running = serve({ ...variables, HOST: '127.0.0.1', WORKERS: workers }, '--port', String(port));
      try {
        const [, url = ''] = await running.until(/listening on (http:\/\/\S+)\n/);
        expect(url).toBe(`http://127.0.0.1:${port}`);
        expect(readdirSync(temporary)).toHaveLength(1);
        expect((await ask(url, 'POST', '/entries', { tag: 'a', amount: 1 })).status).toBe(201);
        expect((await ask(url, 'GET', '/entries/a')).body).toEqual({ tag: 'a', amount: 1 });
        expect((await ask(url, 'GET', '/nothing')).status).toBe(404);
        const slow = ask(url, 'GET', '/slow/last');
        const slowest = { isOver: false };
        void slow.finally(() => (slowest.isOver = true));
        while (!slowest.isOver && (await server.exec('deployment_serve', inFlight[kind])).length === 0)
          await delay(10);
        running.child.kill('SIGTERM');
        expect(await slow).toMatchObject({ status: 200, body: { value: 'last' } });
      } finally {
        // A second signal would stop the service immediately.
        if (!running.child.killed) running.child.kill('SIGTERM');
      }
      expect(await running.ended, running.printed).toBe(0);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );
});

test('a configuration with an error is reported like in a build: status 1, and nothing is left behind', async () => {
  writeFileSync(
    join(app, 'wrong.yaml'),
    entriesConfig('postgresql').replaceAll('datasource: main', 'datasource: mian'),
  );
  const running = serve({}, 'wrong.yaml');
  expect(await running.ended).toBe(1);
  expect(running.printed).toContain("Did you mean 'mian'?");
  expect(running.printed).not.toContain('listening');
  expect(readdirSync(temporary)).toEqual([]);
});

test('the middleware of the service next to the configuration decides who may call', async () => {
  const config = entriesConfig('postgresql').replace('user: nobody', 'user: somebody');
  const guarded = join(app, 'guarded');
  mkdirSync(join(guarded, 'service/src'), { recursive: true });
  writeFileSync(join(guarded, 'config.yaml'), config);
  writeFileSync(
    join(guarded, 'service/src/middleware.ts'),
    `import express, { type Express } from 'express';
export const middleware: Express = express();
middleware.use((request, response, next) => {
  if (request.headers.authorization === 'Bearer t') next();
  else response.status(401).json({ message: 'Log in first' });
});
`,
  );
  const running = serve({ PORT: '0', HOST: '127.0.0.1' }, 'guarded/config.yaml');
  try {
    const [, url = ''] = await running.until(/listening on (http:\/\/\S+)\n/);
    expect((await fetch(`${url}/nothing`)).status).toBe(401);
    expect((await fetch(`${url}/nothing`, { headers: { authorization: 'Bearer t' } })).status).toBe(404);
  } finally {
    running.child.kill('SIGTERM');
  }
  expect(await running.ended, running.printed).toBe(0);
});

test('wrong use is status 2, a configuration that is not there 4, a setting that is missing 1', async () => {
  expect(await serve({}, '--prot', '1').ended).toBe(2);
  expect(await serve({}, 'nowhere.yaml').ended).toBe(4);
  writeFileSync(
    join(app, 'unset.yaml'),
    entriesConfig('postgresql').replace('user: nobody', 'user: ${NOBODY}'),
  );
  const running = serve({ PORT: '0' }, 'unset.yaml');
  expect(await running.ended).toBe(1);
  expect(running.printed).toContain('The environment variable NOBODY is not set');
  expect(readdirSync(temporary)).toEqual([]);
});

test('the image of the tool runs this command, as a user that is not root', () => {
  const dockerfile = readFileSync(join(repository, 'Dockerfile'), 'utf8');
  expect(dockerfile).toContain('ENTRYPOINT ["node", "/apikiln/dist/compiler/cli.js"]\nCMD ["serve"]\n');
  expect(dockerfile).toContain('\nWORKDIR /app\n');
  expect(dockerfile).toContain('\nUSER 1000:1000\n');
});
