/** The management listener: health, readiness and metrics of a process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { expose, Counter, gauge, Histogram, merge } from '../../../runtime/management/metrics.js';
import { ProcessMetrics } from '../../../runtime/management/process-metrics.js';
import { ReadinessCheck } from '../../../runtime/management/readiness.js';
import { killAll, startProcess, type Started } from '../start-process.js';

afterEach(killAll);

const folder = mkdtempSync(join(tmpdir(), 'production-'));
const away = join(folder, 'away');
afterEach(() => {
  for (const path of [away, `${away}.stuck`]) rmSync(path, { force: true });
});

async function start(
  variables: Record<string, string> = {},
): Promise<{ service: Started; url: string; management: string }> {
  const service = startProcess('./production/main.ts', {
    DATASOURCE_MAIN_URL: 'x',
    MANAGEMENT_PORT: '0',
    AWAY: away,
    ...variables,
  });
  await service.until('management listens');
  const url = `http://127.0.0.1:${await service.port()}`;
  const port = service.log.find(({ msg }) => msg === 'management listens')?.port;
  return { service, url, management: `http://127.0.0.1:${Number(port)}` };
}

async function ask(url: string, method = 'GET'): Promise<[number, unknown]> {
  const response = await fetch(url, { method });
  const text = await response.text();
  return [
    response.status,
    response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
      ? JSON.parse(text)
      : text,
  ];
}

describe('health', () => {
  test('live, ready, and nothing else', async () => {
    const { url, management } = await start();
    expect(await ask(`${management}/health/live`)).toEqual([200, { status: 'live' }]);
    expect(await ask(`${management}/health/ready?x=1`)).toEqual([
      200,
      { status: 'ready', datasources: { main: 'reachable' } },
    ]);
    expect(await ask(`${management}/health/ready`, 'HEAD')).toEqual([200, '']);
    expect(await ask(`${management}/health/live`, 'POST')).toEqual([405, { message: 'Method Not Allowed' }]);
    for (const path of ['/', '/pid', '/health', '/health/live/', '/metrics/x'])
      expect((await ask(`${management}${path}`))[0], path).toBe(404);
    for (const path of ['/health/live', '/health/ready', '/metrics'])
      expect((await ask(`${url}${path}`))[0], path).toBe(404);
  });

  test('a database that is away or silent: not ready, within a bound; it is back: ready', async () => {
    const { management } = await start();
    writeFileSync(away, '');
    expect(await ask(`${management}/health/ready`)).toEqual([
      503,
      { status: 'not ready', datasources: { main: 'unreachable' } },
    ]);
    rmSync(away);
    const status = async () => (await ask(`${management}/health/ready`))[0];
    await expect.poll(status).toBe(200);
    writeFileSync(`${away}.stuck`, '');
    await expect.poll(status).toBe(503);
    expect((await ask(`${management}/health/live`))[0]).toBe(200);
  });

  test('many probes are one question to the database', async () => {
    const { service, management } = await start();
    await Promise.all(Array.from({ length: 50 }, () => ask(`${management}/health/ready`)));
    expect(service.out.split('asked the database').length - 1).toBe(1);
  });

  test('a stop: not ready immediately, while requests are still handled; the listener ends last', async () => {
    const { service, url, management } = await start({ SHUTDOWN_DELAY: '2000', CLOSING: '3000' });
    const slow = ask(`${url}/slow/3000`);
    await service.until('slow begins');
    service.child.kill('SIGTERM');
    await expect
      .poll(() => ask(`${management}/health/ready`))
      .toEqual([503, { status: 'stopping', datasources: {} }]);
    expect((await ask(`${url}/pid`))[0]).toBe(200);
    expect((await slow)[0]).toBe(200);
    // The main listener is closed now; the datasource takes a while to close.
    expect((await ask(`${management}/health/ready`))[0]).toBe(503);
    expect(await service.ended).toBe(0);
    await expect(fetch(`${management}/health/live`)).rejects.toThrow(TypeError);
  });

  test('a port that is taken stops the start', async () => {
    const taken = createServer().listen(0, '0.0.0.0');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const service = startProcess('./production/main.ts', {
      DATASOURCE_MAIN_URL: 'x',
      HOST: '0.0.0.0',
      MANAGEMENT_PORT: String(port),
    });
    expect(await service.ended).toBe(1);
    expect(service.errors).toBe(`The port ${port} is in use already: set MANAGEMENT_PORT to another port\n`);
    taken.close();
  });

  test('an address of another machine stops the start', async () => {
    const service = startProcess('./production/main.ts', {
      DATASOURCE_MAIN_URL: 'x',
      MANAGEMENT_HOST: '192.0.2.1',
      MANAGEMENT_PORT: '9999',
    });
    expect(await service.ended).toBe(1);
    expect(service.errors).toBe('The service cannot listen on MANAGEMENT_HOST, port 9999: EADDRNOTAVAIL\n');
  });

  test('a check in flight when the service stops reports the stop', async () => {
    const service = { closing: false, loaded: Promise.resolve() };
    const check = new ReadinessCheck(
      [{ name: 'a', isReachable: () => delay(50, true) }, { name: 'rest' }],
      service,
    );
    const asked = check.ask();
    service.closing = true;
    expect((await asked).status).toBe('stopping');
  });

  test('a check waits until all operations are loaded', async () => {
    const events: string[] = [];
    const loaded = delay(50).then(() => {
      events.push('loaded');
    });
    const { status } = await new ReadinessCheck([], { closing: false, loaded }).ask();
    expect([...events, status]).toEqual(['loaded', 'ready']);
    const failed = Promise.reject(new Error('a module is missing'));
    expect((await new ReadinessCheck([], { closing: false, loaded: failed }).ask()).status).toBe('not ready');
  });
});

describe('metrics', () => {
  test('requests, connections, timed operations, the process', async () => {
    const before = Date.now() / 1000;
    const { service, url, management } = await start({ TICKS: 'fail' });
    await ask(`${url}/pid`);
    await ask(`${url}/pid`);
    await ask(`${url}/wrong`);
    await ask(`${url}/nothing/${Math.random()}`);
    await ask(`${url}/pid`, 'PATCH');
    const slow = ask(`${url}/slow/500`);
    await service.until('tick of');
    await delay(50);
    const response = await fetch(`${management}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    const lines = text.trimEnd().split('\n');
    for (const line of [
      'http_requests_total{operation="GET /pid",status="200",ended="whole"} 2',
      'http_requests_total{operation="GET /wrong",status="400",ended="whole"} 1',
      'http_requests_total{operation="none",status="404",ended="whole"} 1',
      'http_requests_total{operation="none",status="405",ended="whole"} 1',
      'http_request_duration_seconds_count{operation="GET /pid"} 2',
      'http_request_duration_seconds_bucket{operation="GET /pid",le="+Inf"} 2',
      'datasource_connections{datasource="main",state="used"} 2',
      'datasource_connections{datasource="main",state="free"} 3',
      'datasource_waiting_statements{datasource="main"} 1',
      '# TYPE http_request_duration_seconds histogram',
    ])
      expect(lines).toContain(line);
    expect(text).toMatch(/^http_requests_in_flight [01]$/m);
    expect(text).toMatch(
      /^timed_operation_runs_total\{operation="tick",trigger="every second",outcome="failed"\} \d$/m,
    );
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m);
    expect(text).toMatch(/^process_open_fds [1-9]\d*$/m);
    expect(text).toMatch(/^process_max_fds [1-9]\d*$/m);
    expect(lines).toContain(`service_build_info{version="1.2.3",node="${process.versions.node}"} 1`);
    const started = Number(/^process_start_time_seconds ([\d.]+)$/m.exec(text)?.[1]);
    expect(started).toBeGreaterThan(before);
    expect(started).toBeLessThan(Date.now() / 1000);
    // Prometheus can parse every line.
    for (const line of lines)
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})? [\d.e+-]+)$/);
    await slow;
  });

  test('the time of garbage collections', async () => {
    const metrics = new ProcessMetrics();
    const count = (): number =>
      metrics
        .collect()
        .filter(({ name }) => name === 'nodejs_gc_duration_seconds')
        .flatMap(({ samples }) => samples.filter(([key]) => /^_count\{kind="(?:minor|major)"\}$/.test(key)))
        .reduce((sum, [, value]) => sum + value, 0);
    const kept: number[][] = [];
    while (count() === 0) {
      kept.push(Array.from({ length: 100_000 }, () => kept.length));
      if (kept.length > 20) kept.length = 0;
      await delay(1);
    }
    expect(count()).toBeGreaterThan(0);
  });

  test('buckets add up; labels are escaped; several processes are one', () => {
    const histogram = new Histogram('h', 'x', [0.1, 1]);
    for (const seconds of [0.05, 0.1, 0.5, 2]) histogram.observe({ a: 'x"\\\n' }, seconds);
    expect(expose([histogram.collect()])).toBe(
      [
        '# HELP h x',
        '# TYPE h histogram',
        String.raw`h_bucket{a="x\"\\\n",le="0.1"} 2`,
        String.raw`h_bucket{a="x\"\\\n",le="1"} 3`,
        String.raw`h_bucket{a="x\"\\\n",le="+Inf"} 4`,
        String.raw`h_sum{a="x\"\\\n"} 2.65`,
        String.raw`h_count{a="x\"\\\n"} 4`,
        '',
      ].join('\n'),
    );
    const counter = new Counter('c', 'x');
    counter.add({ a: 'b' });
    const one = [counter.collect(), gauge('m', 'x', [[{}, 3]], 'max')];
    const other = [counter.collect(), gauge('m', 'x', [[{}, 2]], 'max'), gauge('g', 'x', [])];
    const text = '# HELP c x\n# TYPE c counter\nc{a="b"} 2\n# HELP m x\n# TYPE m gauge\nm 3\n';
    expect(expose(merge([one, other]))).toBe(text);
    expect(expose(merge([other, one]))).toBe(text);
  });

  test('without MANAGEMENT_PORT there is no second listener', async () => {
    const service = startProcess('./production/main.ts', { DATASOURCE_MAIN_URL: 'x' });
    await service.port();
    expect(service.out).not.toContain('management');
  });
});
