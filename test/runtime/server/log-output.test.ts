/** A service continues even if its log output is not read. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { LogOutput } from '../../../runtime/server/log.js';
import { freePort } from '../../helpers/free-port.js';
import { killAll, startProcess, type Started } from '../start-process.js';

afterEach(killAll);

/** Starts a service with this output, and waits until it responds. */
async function start(output: 'pipe' | number): Promise<{ readonly service: Started; readonly url: string }> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const variables = {
    ...{ PORT: new URL(url).port, HOST: '127.0.0.1', LOG_REQUESTS: 'on' },
    ...{ DATASOURCE_MAIN_URL: 'jdbc:x', CLOSING: '0' },
  };
  const service = startProcess('./production/main.ts', variables, [], ['ignore', output, 'pipe']);
  await expect
    .poll(() =>
      fetch(`${url}/nothing`).then(
        ({ status }) => status,
        () => undefined,
      ),
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

test('the reader pauses: excess lines are lost, and counted when it continues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-log-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const pipe = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  const output = new LogOutput(pipe);
  let lost = 0;
  output.onLost = (entries) => {
    lost += entries;
  };
  const count = 3000;
  const line = `${'x'.repeat(999)}\n`;
  for (let index = 0; index < count; index += 1) {
    output.write(line);
    if (index % 100 === 0) await delay(1);
  }
  expect(lost).toBe(0);
  const chunk = Buffer.alloc(64 * 1024);
  let text = '';
  const isAll = () => {
    try {
      text += chunk.toString('utf8', 0, readSync(pipe, chunk));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
    return text.length / line.length + lost === count;
  };
  await expect.poll(isAll, { interval: 10, timeout: 30_000 }).toBe(true);
  expect(lost).toBeGreaterThan(500);
  expect(text).toBe(line.repeat(count - lost));
  closeSync(pipe);
  rmSync(folder, { recursive: true });
});

test('the process ends while its reader pauses: a line that has begun is written to its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-log-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const pipe = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  const output = new LogOutput(pipe);
  const chunk = Buffer.alloc(1024 * 1024);
  const first = `${'x'.repeat(100_000)}\n`;
  output.write(first);
  output.write('second\n');
  // More than the pipe's capacity; while the output waits for its reader, no write is active.
  do await delay(1);
  while (process.getActiveResourcesInfo().includes('FSReqCallback'));
  const begun = chunk.toString('utf8', 0, readSync(pipe, chunk));
  expect(begun.length).toBeLessThan(first.length);
  output.flushSync();
  expect(begun + chunk.toString('utf8', 0, readSync(pipe, chunk))).toBe(`${first}second\n`);
  closeSync(pipe);
  rmSync(folder, { recursive: true });
});
