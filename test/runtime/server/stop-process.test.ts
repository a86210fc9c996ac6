/** A parent process stops a service gracefully on every system: by a signal, or by a message where there are no signals. */
import type { ChildProcess } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { askToStop, stopMessage } from '../../../runtime/server/stop-process.js';
import { killAll, startProcess, type Started } from '../start-process.js';

afterEach(killAll);

function start(variables: Readonly<Record<string, string>> = {}): Started {
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
  return startProcess('./production/main.ts', { DATASOURCE_MAIN_URL: 'x', ...variables }, [], [...stdio]);
}

describe.each(['win32', 'linux'] as const)('a parent on %s', (platform) => {
  test.each(['1', '2'])('a request in flight ends first, with WORKERS=%s', async (workers) => {
    const service = start({ WORKERS: workers });
    const response = fetch(`http://127.0.0.1:${await service.port()}/slow/300`);
    await service.until('slow begins');
    askToStop(service.child, platform);
    expect((await response).status).toBe(200);
    expect(await service.ended).toBe(0);
  });
});

test('a second message ends it immediately', async () => {
  const service = start();
  const response = fetch(`http://127.0.0.1:${await service.port()}/slow/60000`).catch(() => 'cut off');
  await service.until('slow begins');
  askToStop(service.child, 'win32');
  askToStop(service.child, 'win32');
  expect(await service.ended).toBe(1);
  expect(await response).toBe('cut off');
});

test('other messages do not stop it', async () => {
  const service = start();
  await service.port();
  service.child.send('hello');
  service.child.send(stopMessage);
  expect(await service.ended).toBe(0);
});

test('a process without a channel gets the signal on Windows, too', () => {
  const signals: unknown[] = [];
  const child = {
    connected: false,
    kill: (signal: unknown) => signals.push(signal) > 0,
    send: () => expect.fail('There is no channel.'),
  } as unknown as ChildProcess;
  askToStop(child, 'win32');
  expect(signals).toEqual(['SIGTERM']);
});
