/** Several processes on one port (WORKERS). */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../helpers/free-port.js';
import { killAll, startProcess, type Started } from '../start-process.js';

afterEach(killAll);

interface Running {
  readonly service: Started;
  readonly url: string;
  readonly management: string;
}

async function start(variables: Record<string, string> = {}): Promise<Running> {
  const service = startProcess('./production/main.ts', {
    DATASOURCE_MAIN_URL: 'x',
    MANAGEMENT_PORT: '0',
    WORKERS: '3',
    ...variables,
  });
  await service.until('management listens');
  const url = `http://127.0.0.1:${await service.port()}`;
  const port = service.log.find(({ msg }) => msg === 'management listens')?.port;
  return { service, url, management: `http://127.0.0.1:${Number(port)}` };
}

/** Uses a new connection for each request. */
async function pid(url: string): Promise<number> {
  const response = await fetch(url, { headers: { connection: 'close' } });
  expect(response.status).toBe(200);
  return Number(await response.text());
}

/** Waits until `count` requests for a slow operation have arrived. */
async function begun(service: Started, count: number): Promise<void> {
  while ((service.out.match(/slow begins/g) ?? []).length < count) await delay(20);
}

async function pids(url: string, count = 30): Promise<Set<number>> {
  return new Set(await Promise.all(Array.from({ length: count }, () => pid(`${url}/pid`))));
}

test('all of them respond, one of them ticks, metrics and readiness are those of all', async () => {
  const { service, url, management } = await start({ TICKS: 'on' });
  const seen = await pids(url);
  expect(seen.size).toBe(3);
  expect(seen.has(service.child.pid ?? 0)).toBe(false);
  while ((service.out.match(/tick of \d+/g) ?? []).length < 2) await delay(50);
  const ticking = new Set(service.out.match(/tick of \d+/g));
  expect(ticking.size).toBe(1);
  expect(service.out.match(/listening on/g)).toHaveLength(1);

  const text = await (await fetch(`${management}/metrics`)).text();
  expect(text).toContain('http_requests_total{operation="GET /pid",status="200",ended="whole"} 30\n');
  expect(text).toContain('datasource_connections{datasource="main",state="used"} 6\n');
  expect(text).toContain('service_workers 3\n');
  expect(text).toContain(`service_build_info{version="1.2.3",node="${process.versions.node}"} 1\n`);
  expect(text.match(/^process_start_time_seconds \d+/gm)).toHaveLength(1);
  const ready = await fetch(`${management}/health/ready`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', datasources: { main: 'reachable' } },
  ]);
});

test('one that dies is replaced, the timers continue, and no count decreases', async () => {
  const { service, url, management } = await start({ TICKS: 'on' });
  await pids(url);
  await service.until('tick of');
  await fetch(`${management}/metrics`);
  const ticking = Number(/tick of (\d+)/.exec(service.out)?.[1]);
  process.kill(ticking, 'SIGKILL');
  await service.until('another one replaces it');
  for (let left = 100; left > 0 && (await pids(url, 12)).size < 3; left -= 1) await delay(50);
  expect((await pids(url)).size).toBe(3);
  const rest = service.out.length;
  while (!/tick of \d+/.test(service.out.slice(rest))) await delay(50);
  expect(service.out.slice(rest)).not.toContain(`tick of ${ticking}\n`);
  const text = await (await fetch(`${management}/metrics`)).text();
  expect(Number(/GET \/pid",status="200",ended="whole"\} (\d+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(60);
  expect(text).toContain('service_worker_ends_total 1\n');
});

test.each([
  ['any free port', () => Promise.resolve(0)],
  ['a port that is set', freePort],
])('all of them are killed together: their replacements listen on the same port, on %s', async (_, port) => {
  const { url } = await start({ PORT: String(await port()) });
  const killed = await pids(url);
  expect(killed.size).toBe(3);
  for (const id of killed) process.kill(id, 'SIGKILL');
  // The port refuses connections until the first process is replaced.
  const replaced = () =>
    pids(url, 12).then(
      (seen) => [...seen].filter((id) => !killed.has(id)).length,
      () => 0,
    );
  await expect.poll(replaced).toBe(3);
});

test('workers that die soon are replaced ever more slowly', async () => {
  const { service, url } = await start({ WORKERS: '5' });
  const pauses = () => service.log.flatMap(({ pause }) => (typeof pause === 'number' ? [pause] : []));
  for (const count of [1, 2, 3, 4]) {
    await fetch(`${url}/die`, { headers: { connection: 'close' } });
    while (pauses().length < count) await delay(20);
  }
  expect(pauses()).toEqual([200, 400, 800, 1600]);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: all requests in flight get responses, status 0',
  async (signal) => {
    const { service, url, management } = await start({ SHUTDOWN_DELAY: '2000' });
    const slow = Array.from({ length: 12 }, () => pid(`${url}/slow/2500`));
    await begun(service, 12);
    service.child.kill(signal);
    await expect.poll(async () => (await fetch(`${management}/health/ready`)).status).toBe(503);
    expect((await fetch(`${url}/pid`)).status).toBe(200);
    await Promise.all(slow);
    expect(await service.ended).toBe(0);
    expect(service.out).not.toContain('takes its place');
  },
);

test('a signal to the whole process group, as a terminal sends it, cuts nothing off', async () => {
  const { service, url } = await start();
  const workers = [...(await pids(url))];
  const slow = Array.from({ length: 6 }, () => pid(`${url}/slow/500`));
  await begun(service, 6);
  for (const id of [service.child.pid ?? 0, ...workers]) process.kill(id, 'SIGINT');
  await Promise.all(slow);
  expect(await service.ended).toBe(0);
});

test('a second signal ends all of them immediately, with status 1', async () => {
  const { service, url } = await start();
  const workers = [...(await pids(url))];
  const slow = Array.from({ length: 6 }, () => pid(`${url}/slow/60000`).catch(() => 'cut off'));
  await begun(service, 6);
  service.child.kill('SIGTERM');
  await expect.poll(() => fetch(url).catch(() => 'closed'), { timeout: 5000 }).toBe('closed');
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(1);
  expect(await Promise.all(slow)).toEqual(slow.map(() => 'cut off'));
  for (const id of workers) await expect.poll(() => isAlive(id)).toBe(false);
});

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

test('the reason why one cannot listen is printed once, and the status is 1', async () => {
  const { url } = await start();
  const second = startProcess('./production/main.ts', {
    DATASOURCE_MAIN_URL: 'x',
    WORKERS: '3',
    PORT: new URL(url).port,
  });
  expect(await second.ended).toBe(1);
  expect(second.errors.match(/is in use already/g)).toHaveLength(1);
  // The port is chosen once for all processes.
  const third = startProcess('./production/main.ts', {
    DATASOURCE_MAIN_URL: 'x',
    WORKERS: '3',
    PORT: '0',
    HOST: '192.0.2.1',
  });
  expect(await third.ended).toBe(1);
  expect(third.errors).toBe('HOST is 192.0.2.1, which is not an address of this machine\n');
});

test('when the primary process is killed the others end', async () => {
  const { service, url } = await start();
  service.child.kill('SIGKILL');
  await service.ended;
  const isAnswered = (): Promise<boolean> =>
    fetch(`${url}/pid`).then(
      () => true,
      () => false,
    );
  await expect.poll(isAnswered).toBe(false);
});
