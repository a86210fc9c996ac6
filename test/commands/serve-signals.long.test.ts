/** `apikiln serve` ends on the first signal, whatever it is doing. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Confined } from '../deployment/confined.js';
import { builtTool } from '../helpers/shared-servers.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-signals-'));
const temporary = join(folder, 'tmp');
const probe = join(folder, 'probe.mjs');

/** A configuration without a database, so that the service can start. */
const configuration = `specification: "1.0"
operations:
  GET /rates:
    fulfillments:
      - name: rates
        type: READ
        datasource: rates
        instructions: [{ request: { url: /rates, httpType: GET } }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: 'VALUE(rates, $)' }]
datasources:
  rates: { type: rest, url: 'http://127.0.0.1:9' }
`;

/** A module that sends its process the signal when a file system function is called: during synchronous work. */
const probeText = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { PROBE_CALL: name, PROBE_SIGNAL: signal } = process.env;
if (name) {
  const original = fs[name];
  fs[name] = (...args) => {
    process.kill(process.pid, signal);
    fs[name] = original;
    syncBuiltinESMExports();
    return original(...args);
  };
  syncBuiltinESMExports();
}
`;

let cli: string;

beforeAll(async () => {
  cli = await builtTool();
  mkdirSync(temporary);
  writeFileSync(join(folder, 'config.yaml'), configuration);
  writeFileSync(probe, probeText);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function serve(environment: Readonly<Record<string, string>>): Confined {
  const args = ['--import', probe, cli, 'serve', '--port', '0'];
  const env = { PATH: process.env['PATH'], TMPDIR: temporary, HOST: '127.0.0.1', ...environment };
  return new Confined(spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Remaining folders of services; Node may keep a folder of its own. */
function left(): string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('apikiln-'));
}

/** In Node 20, the signal may arrive before listeners are registered; then the system ends the process. */
async function expectEnd(running: Confined, signal: string): Promise<void> {
  const timeLimit = setTimeout(() => running.child.kill('SIGKILL'), 120_000);
  const status = await running.ended;
  clearTimeout(timeLimit);
  expect(running.child.signalCode ?? status, running.printed).toBeOneOf([0, signal]);
  expect(left()).toEqual([]);
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  // The last call before the service is loaded: the compiler has been running synchronously.
  test('in the midst of the work', async () => {
    const running = serve({ PROBE_CALL: 'symlinkSync', PROBE_SIGNAL: signal });
    await expectEnd(running, signal);
    expect(running.child.exitCode).toBe(0);
  });

  test('immediately, and soon after', async () => {
    for (const delay of [50, 400, 900, 1600]) {
      const running = serve({});
      await new Promise((resolve) => setTimeout(resolve, delay));
      running.child.kill(signal);
      await expectEnd(running, signal);
    }
  });
});

test('SIGTERM when it listens', async () => {
  const running = serve({});
  await running.until(/listening on/);
  running.child.kill('SIGTERM');
  await expectEnd(running, 'SIGTERM');
  expect(running.child.exitCode).toBe(0);
});
