/** Resources shared by all test files of a run: database servers and the packed tool, each created when the first file needs it. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { buildRuntime } from '../../compiler/build-runtime.mjs';
import { npmEnvironment } from '../deployment/npm-environment.js';
import type { DatabaseServer, ServerCoordinates } from './database-server.js';
import { startMariadb } from './mariadb-server.js';
import { startPostgres } from './postgres-server.js';
import { keptData } from './server-data.js';
import { repository } from './service-fixture.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address at which `sharedPostgres`, `sharedMariadb` and `packedTool` request resources. */
    servers: string;
    /** A folder for files used by several test files of the run. */
    sharedFolder: string;
  }
}

/**
 * Vitest's global set-up: builds the runtime package used by services under test. A run without database tests does not start a database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildRuntime();
  const started = new Map<string, Promise<DatabaseServer>>();
  const start = (path: string | undefined): Promise<DatabaseServer> => {
    const name = path ?? '';
    const server = started.get(name) ?? (name === '/postgres' ? startPostgres() : startMariadb());
    started.set(name, server);
    return server;
  };

  const shared = mkdtempSync(join(tmpdir(), 'apikiln-shared-'));
  moveHome(shared);
  process.env[keptData] = join(shared, 'data');
  let building: Promise<string> | undefined;
  const built = (): Promise<string> => (building ??= buildTool());
  let packing: Promise<string> | undefined;
  // Built once: a second build would replace files that other tests are running.
  const packed = (): Promise<string> => (packing ??= built().then(() => packTool(shared)));

  const desk = createServer((request, response) => {
    // A keep-alive connection could be closed just when the next test file uses it.
    response.setHeader('connection', 'close');
    const wanted =
      request.url === '/package'
        ? packed()
        : request.url === '/build'
          ? built()
          : start(request.url).then(coordinatesOf);
    wanted.then(
      (found) => response.end(JSON.stringify(found)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  const address = desk.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  project.provide('sharedFolder', shared);
  project.provide('servers', `http://127.0.0.1:${address.port}`);

  return async () => {
    desk.closeAllConnections();
    desk.close();
    await packing?.catch(() => undefined);
    rmSync(shared, { recursive: true, force: true });
    const stops = [...started.values()].map(async (server) => {
      await (await server).stop();
    });
    // A server that did not start has already failed the test that requested it.
    await Promise.allSettled(stops);
  };
}

/**
 * Sets a separate home directory for all processes of the run, because cached results of an earlier run would hide errors. Only npm keeps
 * its cache and settings.
 */
function moveHome(shared: string): void {
  process.env.npm_config_cache ??= join(homedir(), '.npm');
  process.env.npm_config_userconfig ??= join(homedir(), '.npmrc');
  const home = join(shared, 'home');
  mkdirSync(home);
  const unset = { XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_STATE_HOME: '' };
  Object.assign(process.env, { ...unset, HOME: home, USERPROFILE: home });
}

function coordinatesOf({ host, port, user, password }: DatabaseServer): ServerCoordinates {
  return { host, port, user, password };
}

/** Runs `npm run build`; returns the path of the program. */
async function buildTool(): Promise<string> {
  await promisify(execFile)(process.execPath, [join(repository, 'compiler/build.mjs')]);
  return join(repository, 'dist/compiler/cli.js');
}

/** Runs `npm pack` on the built tool; returns the path of the package. */
async function packTool(folder: string): Promise<string> {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: repository, env: npmEnvironment });
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}
