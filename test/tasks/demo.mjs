/** `npm run demo`: compiles the news service and runs it on an embedded PostgreSQL; works right after `git clone`. Ctrl-C ends it. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { linkRuntime } from './link-runtime.mjs';
import { prepare, root, runProgram, stop } from './prepare.mjs';

prepare();
const config = join('fixtures', 'services', 'news', 'config.yaml');
const out = join('dist', 'demo', 'news');

say('Building the compiler');
if (
  runProgram('typescript/bin/tsc', [
    '-p',
    'compiler/tsconfig.build.json',
    '--incremental',
    '--tsBuildInfoFile',
    'dist/compiler.tsbuildinfo',
  ]) !== 0
) {
  stop('The compiler could not be built.');
}
say(`Compiling ${config}`);
const built = spawnSync(
  process.execPath,
  ['dist/compiler/cli.js', 'build', config, '--out', out, '--force'],
  { cwd: root, stdio: 'inherit' },
);
if (built.status !== 0) stop('The configuration could not be compiled.');
say('Building the service (npm run build)');
linkRuntime(join(root, out));
if (runProgram('typescript/bin/tsc', ['--build'], join(root, out)) !== 0)
  stop('The service could not be built.');
say('Starting an embedded PostgreSQL with sample data');
const database = await startDatabase();
await startService();

function say(what) {
  console.log(`${what} …`);
}

async function startDatabase() {
  const { PGlite } = await import('@electric-sql/pglite');
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
  const db = await PGlite.create();
  for (const file of ['schema.sql', 'seed.sql']) {
    await db.exec(readFileSync(join(root, 'fixtures/services/news', file), 'utf8'));
  }
  const port = await freePort(0);
  const server = new PGLiteSocketServer({ db, port, host: '127.0.0.1' });
  await server.start();
  return {
    port,
    async stop() {
      await server.stop();
      await db.close();
    },
  };
}

async function startService() {
  const port = await freePort(Number(process.env.PORT) || 8080);
  // A process group of its own: Ctrl-C reaches only us, and we end the service in good order.
  const service = spawn(process.execPath, ['--enable-source-maps', 'dist/main.js'], {
    cwd: join(root, out),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATASOURCE_NEWSDB_URL: `jdbc:postgresql://127.0.0.1:${database.port}/postgres?prepareThreshold=0`,
      DATASOURCE_NEWSDB_USER: 'postgres',
      DATASOURCE_NEWSDB_PASSWORD: '',
      // The embedded database shares one session among all its connections.
      DATASOURCE_NEWSDB_POOL_MAX: '1',
    },
  });
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (!isStopping) console.log('\nStopping …');
      isStopping = true;
      service.kill('SIGTERM');
    });
  }
  // Whatever ends us: the service is not left behind.
  process.on('exit', () => service.kill('SIGKILL'));
  service.once('exit', (code) => {
    void database.stop().finally(() => process.exit(isStopping ? 0 : (code ?? 1)));
  });
  service.stdout.setEncoding('utf8').on('data', (text) => {
    if (text.includes('listening')) tellHowToTry(port);
    else process.stdout.write(text);
  });
}

function tellHowToTry(port) {
  const url = `http://127.0.0.1:${port}`;
  console.log(`
The news service runs at ${url}
Its code, compiled from ${config}, is in ${relative(process.cwd(), join(root, out)) || '.'}/src/operations

Try, in another terminal:
  curl ${url}/news/1
  curl '${url}/news?q=pots'
  curl -i -X POST ${url}/news -H 'Content-Type: application/json' -d '{"title": "Hot off the kiln", "body": "Fresh."}'

Ctrl-C stops everything.`);
}

/** The wished port, or any free one when it is taken. */
function freePort(wished) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => {
      if (error.code === 'EADDRINUSE' && wished !== 0) resolve(freePort(0));
      else reject(error);
    });
    probe.listen(wished, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
