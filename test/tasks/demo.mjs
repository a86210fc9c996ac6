/**
 * `npm run demo`: compiles the news service and runs it on an embedded PostgreSQL; works right after `git clone`. Ctrl-C ends it. `npm run
 * demo -- shop` runs a different example. Third-party APIs are stubs from the example's `config.stubs.yaml`, and an example that accepts
 * tokens gets a server that issues them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { examples } from './examples.mjs';
import { linkRuntime } from './link-runtime.mjs';
import { prepare, root, runProgram, stop } from './prepare.mjs';

const name = process.argv[2] ?? 'news';
if (!Object.hasOwn(examples, name)) {
  stop(`There is no example '${name}'. The examples are ${Object.keys(examples).join(', ')}.`);
}

prepare();
const folder = join('fixtures', 'services', name);
const config = join(folder, 'config.yaml');
const out = join('dist', 'demo', name);

say('Building the compiler');
if (spawnSync(process.execPath, ['compiler/build.mjs'], { cwd: root, stdio: 'inherit' }).status !== 0) {
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
if (runProgram('typescript/bin/tsc', [], join(root, out)) !== 0) stop('The service could not be built.');
say('Starting an embedded PostgreSQL with sample data');
const { tsImport } = await import('tsx/esm/api');
const { startParts } = await tsImport('./example-parts.ts', import.meta.url);
const parts = await startParts(join(root, config), exampleSettings(), console.log);
await startService();

function say(what) {
  console.log(`${what} …`);
}

/** The settings in the example's `.env.example`. */
function exampleSettings() {
  const path = join(root, folder, '.env.example');
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}

async function startService() {
  const port = await freePort(Number(process.env.PORT) || 8080);
  // The service gets its own process group, so Ctrl-C reaches only this script, which then stops the service cleanly.
  const service = spawn(process.execPath, ['--enable-source-maps', 'dist/main.js'], {
    cwd: join(root, out),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_FORMAT: 'text',
      ...exampleSettings(),
      ...parts.settings,
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
  // However this process ends, the service is stopped.
  process.on('exit', () => service.kill('SIGKILL'));
  service.once('exit', (code) => {
    void parts.stop().finally(() => process.exit(isStopping ? 0 : (code ?? 1)));
  });
  service.stdout.setEncoding('utf8').on('data', (text) => {
    if (text.includes('listening')) tellHowToTry(port);
    else process.stdout.write(text);
  });
}

function tellHowToTry(port) {
  const url = `http://127.0.0.1:${port}`;
  console.log(`
The ${name} service runs at ${url}
Its code, compiled from ${config}, is in ${relative(process.cwd(), join(root, out)) || '.'}/src/operations

Try, in another terminal:
${examples[name](url, parts.issuer)
  .map((command) => `  ${command}`)
  .join('\n')}

Ctrl-C stops everything.`);
}

/** The preferred port, or any free one if it is in use. */
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
