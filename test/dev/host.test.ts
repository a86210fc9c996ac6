/** The program that runs a version under `apikiln dev` ends on the message that replaces SIGTERM on Windows, at any time. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { askToStop } from '../../runtime/server/stop-process.js';
import { repository } from '../helpers/service-fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-host-'));
const children: ChildProcess[] = [];

afterAll(() => {
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Writes a module, and returns its URL. */
function module(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name)).href;
}

function start(): ChildProcess {
  const shared = module('shared.mjs', 'export const record = () => {}; process.send("loaded");');
  const args = [join(repository, 'templates/dev/host.mjs'), shared];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  children.push(child);
  return child;
}

/** Starts a version, and waits for its first message. */
async function startVersion(text: string): Promise<ChildProcess> {
  const child = start();
  await once(child, 'message');
  const main = module('main.mjs', `setInterval(() => {}, 1000); ${text}; process.send("runs");`);
  child.send({ main, environment: {}, hosts: '.' });
  await once(child, 'message');
  return child;
}

test('before it has a version', async () => {
  const child = start();
  await once(child, 'message');
  askToStop(child, 'win32');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('while the version starts', async () => {
  const child = await startVersion('');
  askToStop(child, 'win32');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('the version itself decides when it listens for signals', async () => {
  const child = await startVersion(
    'process.on("SIGTERM", () => {}); process.on("message", (message) => message === "shutdown" && process.exit(7))',
  );
  askToStop(child, 'win32');
  expect(await once(child, 'exit')).toEqual([7, null]);
});
