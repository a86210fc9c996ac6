/** A service goes on where nobody takes the entries of its log. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../helpers/free-port.js';
import { killAll, Started } from '../start-process.js';

afterEach(killAll);

const main = fileURLToPath(new URL('../production/main.ts', import.meta.url));

/** Starts it with that output, and waits until it responds. */
async function start(output: 'pipe' | number): Promise<{ readonly service: Started; readonly url: string }> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const variables = {
    ...{ PATH: process.env.PATH, PORT: new URL(url).port, HOST: '127.0.0.1', LOG_REQUESTS: 'on' },
    ...{ DATASOURCE_MAIN_URL: 'jdbc:x', CLOSING: '0' },
  };
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    env: variables,
    stdio: ['ignore', output, 'pipe'],
  });
  const service = new Started(child);
  await expect
    .poll(
      () =>
        fetch(`${url}/nothing`).then(
          ({ status }) => status,
          () => undefined,
        ),
      { timeout: 30_000 },
    )
    .toBe(404);
  return { service, url };
}

async function statuses(url: string): Promise<Set<number>> {
  const all = new Set<number>();
  for (let count = 0; count < 20; count += 1) all.add((await fetch(`${url}/nothing`)).status);
  return all;
}

test.runIf(existsSync('/dev/full'))('its disk is full: it responds and stops as usual', async () => {
  const output = openSync('/dev/full', 'w');
  const { service, url } = await start(output);
  closeSync(output);
  expect(await statuses(url)).toEqual(new Set([404]));
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(service.errors).toBe('');
});

test('the reader of its pipe ends: it responds and stops as usual', async () => {
  const { service, url } = await start('pipe');
  service.child.stdout?.destroy();
  expect(await statuses(url)).toEqual(new Set([404]));
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test('the reader of its pipe stands still: what is too much is lost, and counted when it goes on', async () => {
  const { service, url } = await start('pipe');
  service.child.stdout?.pause();
  const path = `/${'x'.repeat(6_000)}`;
  for (let count = 0; count < 400; count += 1) expect((await fetch(url + path)).status).toBe(404);
  service.child.stdout?.resume();
  await service.until('entries of the log are lost: its output was full');
  const [lost] = service.log.filter(({ msg }) => String(msg).startsWith('entries of the log'));
  expect(Number(lost?.['entries'])).toBeGreaterThan(0);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});
