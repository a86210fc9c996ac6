/** A process with a blocked event loop: if there are several processes, it is replaced; the management listener reports it. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { RawConnection } from '../raw-http.js';
import { killAll, startProcess } from '../start-process.js';

afterEach(killAll);

test('one of several is replaced', async () => {
  const service = startProcess('./hostile/main.ts', { MANAGEMENT_PORT: '0', WORKERS: '2' });
  const url = `http://127.0.0.1:${await service.port()}`;
  await service.until('management listens');
  const management = `http://127.0.0.1:${Number(service.log.find(({ msg }) => msg === 'management listens')?.port)}`;
  const live = async () => {
    const response = await fetch(`${management}/health/live`);
    return [response.status, await response.json()];
  };
  expect(await live()).toEqual([200, { status: 'live', workers: { turning: 2, stuck: 0 } }]);
  const stuck = fetch(`${url}/stuck/60000`).catch(() => undefined);
  while (JSON.stringify(await live()) !== '[200,{"status":"live","workers":{"turning":1,"stuck":1}}]')
    await delay(50);
  await service.until('the event loop of a worker is blocked');
  await service.until('a worker ended');
  await stuck;
  while (JSON.stringify(await live()) !== '[200,{"status":"live","workers":{"turning":2,"stuck":0}}]')
    await delay(50);
  const metrics = await (await fetch(`${management}/metrics`)).text();
  expect(metrics).toContain('service_worker_ends_total 1\n');
  expect(metrics).toContain('service_workers_stuck 0\n');
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test('all of them: neither live nor ready, which probes learn in time', async () => {
  const service = startProcess('./hostile/main.ts', { MANAGEMENT_PORT: '0', WORKERS: '2' });
  const url = `http://127.0.0.1:${await service.port()}`;
  await service.until('management listens');
  const management = `http://127.0.0.1:${Number(service.log.find(({ msg }) => msg === 'management listens')?.port)}`;
  const stuck = [1, 2].map(() => fetch(`${url}/stuck/60000`).catch(() => undefined));
  const ready = async () => {
    const response = await fetch(`${management}/health/ready`);
    return [response.status, await response.json()];
  };
  await expect.poll(ready).toEqual([503, { status: 'not ready', datasources: {} }]);
  for (;;) {
    const live = await fetch(`${management}/health/live`);
    const text = await live.text();
    if (live.status === 200) continue;
    expect([live.status, text]).toEqual([503, '{"status":"stuck","workers":{"turning":0,"stuck":2}}']);
    break;
  }
  await Promise.all(stuck);
  await expect.poll(async () => (await ready())[0]).toBe(200);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test('errors of the management listener are JSON, also those of no request', async () => {
  const service = startProcess('./hostile/main.ts', { MANAGEMENT_PORT: '0' });
  await service.until('management listens');
  const port = Number(service.log.find(({ msg }) => msg === 'management listens')?.port);
  const statuses: Readonly<Record<string, number>> = {
    'nonsense\r\n\r\n': 400,
    'GET /metrics HTTP/1.1\r\n\r\n': 400,
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n': 405,
    'GET /metrics HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n': 417,
  };
  for (const [text, status] of Object.entries(statuses)) {
    const [response] = await new RawConnection(port).write(text).untilClosed();
    expect([response?.status, response?.headers.get('content-type')]).toEqual([
      status,
      'application/json; charset=utf-8',
    ]);
    expect(JSON.parse(response?.body ?? '')).toEqual({ message: expect.any(String) as string });
  }
});
