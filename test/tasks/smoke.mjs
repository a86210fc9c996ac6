/**
 * `npm run smoke`: what a new user does, in an empty folder: installs the tarball of dist/release, then `init`, `test`, `dev` with a change,
 * `build`, and the service with a database. `npm run smoke -- --create <folder>` begins with `npm create apikiln` and keeps the folder. Uses
 * nothing of Unix, because it runs on Windows and macOS, too.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJson, root, stop } from './prepare.mjs';

const [option, named] = process.argv.slice(2);
const isCreated = option === '--create';
const folder = isCreated ? named : mkdtempSync(join(tmpdir(), 'apikiln-smoke-'));
const service = join(folder, 'service');
const isWindows = process.platform === 'win32';

if (isCreated) npm('.', 'create', '--yes', 'apikiln', folder);
else {
  const { version } = readJson(join(root, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  npm(folder, 'install', '--save-dev', join(root, `dist/release/apikiln-${version}.tgz`));
  apikiln('init');
}
apikiln('test', '--coverage');
await develop();
apikiln('build');
npm(service, 'install');
npm(service, 'run', 'build');
await serve();
if (!isCreated) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
console.log('The smoke run has passed.');

/** Runs npm, without a shell if possible: arguments with spaces are not quoted for it. */
function npm(cwd, ...args) {
  const path = process.env.npm_execpath ?? '';
  const [program, ...before] = path.endsWith('.js') ? [process.execPath, path] : ['npm'];
  run(program, [...before, ...args, '--no-audit', '--no-fund'], cwd, `npm ${args.join(' ')}`);
}

function apikiln(...args) {
  run(process.execPath, [tool(), ...args], folder, `npx apikiln ${args.join(' ')}`);
}

function tool() {
  return join(folder, 'node_modules/apikiln/dist/compiler/cli.js');
}

function run(program, args, cwd, shown) {
  console.log(`\n> ${shown}`);
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit' });
  if (status !== 0) stop(`${shown} failed: ${error?.message ?? `status ${status}`}`);
}

/** `apikiln dev`: a request, a change of the configuration, and the same request again. */
async function develop() {
  const port = await freePort();
  const dev = start([tool(), 'dev', '--port', String(port)], folder, {});
  await dev.until(/The service runs at/);
  await expectTask(port, 'Change an operation');
  const path = join(folder, 'config.yaml');
  const text = readFileSync(path, 'utf8');
  const changed = text.replaceAll('SELECT id, title,', 'SELECT id, upper(title) AS title,');
  if (changed === text) stop('The starter has other statements.');
  writeFileSync(path, changed);
  await dev.until(/Ready in/);
  await expectTask(port, 'CHANGE AN OPERATION');
  await dev.end();
}

/** The built service, with an embedded PostgreSQL as its server. */
async function serve() {
  const database = await startDatabase();
  const port = await freePort();
  const running = start(['--enable-source-maps', 'dist/main.js'], service, {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATASOURCE_TASKSDB_URL: database.url,
    DATASOURCE_TASKSDB_USER: 'postgres',
    DATASOURCE_TASKSDB_PASSWORD: 'postgres',
    DATASOURCE_TASKSDB_POOL_MAX: '1',
  });
  await running.until(/listening/);
  await expectTask(port, 'CHANGE AN OPERATION');
  await running.end();
  await database.stop();
}

/** A PostgreSQL of the packages that come with apikiln, with the schema and the rows of the starter. */
async function startDatabase() {
  const require = createRequire(tool());
  const load = (name) => import(pathToFileURL(require.resolve(name)).href);
  const [{ PGlite }, { PGLiteSocketServer }] = [
    await load('@electric-sql/pglite'),
    await load('@electric-sql/pglite-socket'),
  ];
  const db = await PGlite.create();
  for (const name of ['schema.sql', 'seed.sql']) await db.exec(readFileSync(join(folder, name), 'utf8'));
  const server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1', maxConnections: 10 });
  await server.start();
  const [, port = ''] = /:(\d+)$/.exec(server.getServerConn()) ?? [];
  return {
    url: `jdbc:postgresql://127.0.0.1:${port}/postgres?prepareThreshold=0`,
    stop: async () => {
      await server.stop();
      await db.close();
    },
  };
}

/** Starts a program of JavaScript, whose output is shown and can be waited for. */
function start(args, cwd, environment) {
  console.log(`\n> node ${args.join(' ')}`);
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let printed = '';
  let heard = () => {};
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      process.stdout.write(text);
      printed += text;
      heard();
    });
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    /** Waits for output after that of the last call. */
    async until(pattern) {
      for (;;) {
        const found = pattern.exec(printed);
        if (found !== null) {
          printed = printed.slice(found.index + found[0].length);
          return;
        }
        const isOver = await Promise.race([
          ended.then(() => true),
          new Promise((resolve) => (heard = () => resolve(false))),
        ]);
        if (isOver) stop(`It has ended before it printed ${pattern}.`);
      }
    },
    /** Stops it gracefully: Windows has no signals, so it gets a message there. */
    async end() {
      if (isWindows) child.send('shutdown');
      else child.kill('SIGTERM');
      const status = await ended;
      if (status !== 0) stop(`It has ended with status ${status}.`);
    },
  };
}

async function expectTask(port, title) {
  const response = await fetch(`http://127.0.0.1:${port}/tasks/2`);
  const body = await response.json();
  if (response.status !== 200 || body.title !== title) stop(`${response.status} ${JSON.stringify(body)}`);
  console.log(`200 ${JSON.stringify(body)}`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
