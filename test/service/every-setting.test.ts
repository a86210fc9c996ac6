/**
 * A service whose configuration does not mention any environment settings works with all of them, and loads only code for settings in use.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesOf } from '../emit/compile-text.js';
import { freePort } from '../helpers/free-port.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { entriesConfig } from './entries.js';
import { ask, kinds, prepare, sharedServer } from './services.js';

const origin = 'https://app.example.com';

/** Modules that are only needed for a setting. */
const modules = {
  WORKERS: 'workers/workers',
  MANAGEMENT_PORT: 'management/observe',
  CORS_ORIGIN: 'http/cors',
  COMPRESSION: 'http/compression',
  'several hosts, or a replica': 'sql/several-servers',
};

describe.each(kinds)('%s', (kind) => {
  let folder: string;
  let plain: Record<string, string>;
  let all: Record<string, string>;
  let running: RunningService | undefined;

  beforeAll(async () => {
    const files = await filesOf(entriesConfig(kind));
    folder = translateServices('every-setting', [{ name: kind, files }]).get(kind) ?? '';
    const server = await sharedServer[kind]();
    plain = await prepare(server, kind, 'every_setting');
    await prepare(server, kind, 'every_setting_copy');
    await server.exec('every_setting', "INSERT INTO entry (tag, amount) VALUES ('a', 1)");
    await server.exec('every_setting_copy', "INSERT INTO entry (tag, amount) VALUES ('a', 2)");
    const url = plain['DATASOURCE_MAIN_URL'] ?? '';
    all = {
      ...plain,
      WORKERS: '2',
      MANAGEMENT_PORT: String(await freePort()),
      CORS_ORIGIN: origin,
      COMPRESSION: 'on',
      DATASOURCE_MAIN_URL: url.replace(/\/\/([^/]+)\//, '//$1,$1/'),
      DATASOURCE_MAIN_REPLICA_URL: server.jdbcUrl('every_setting_copy'),
    };
  });

  afterAll(async () => {
    await running?.stop();
  });

  test('all of them together', async () => {
    const service = await RunningService.start(folder, all);
    running = service;
    expect(service.pids).toHaveLength(3);

    // The replica's copy has a different amount.
    expect(await ask(service.url, 'GET', '/entries/a')).toMatchObject({ body: { tag: 'a', amount: 2 } });
    expect(await ask(service.url, 'PUT', '/entries/a', { amount: 3 })).toMatchObject({ status: 200 });

    const response = await fetch(`${service.url}/echo/a?other=${'x'.repeat(2000)}`, {
      headers: { origin, 'accept-encoding': 'gzip' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('content-encoding')).toBe('gzip');

    const management = `http://127.0.0.1:${all['MANAGEMENT_PORT'] ?? ''}`;
    await expect.poll(async () => (await fetch(`${management}/health/ready`)).status).toBe(200);
    expect(await (await fetch(`${management}/metrics`)).text()).toContain('datasource_replica_used');
  });

  test('what has no effect is said once, without values', async () => {
    const canary = 'canary-of-a-value';
    const service = await RunningService.start(folder, {
      ...plain,
      WORKERS: '2',
      FILE_LIMIT: '5',
      SCHEDULE: 'off',
      SCHEDULE_LEDGER: canary,
      OUTBOX_SOMETHING: canary,
      DATASOURCE_MIAN_REPLICA_URL: canary,
      DATASOURCE_OTHERS_URL: canary,
      'AUTHENTICATION_\u001b[31m': canary,
      // Variables that Kubernetes and Docker set for a linked service named `datasource`.
      DATASOURCE_SERVICE_HOST: '10.0.0.1',
      DATASOURCE_SERVICE_PORT_SQL: '5432',
      DATASOURCE_PORT: 'tcp://10.0.0.1:5432',
      DATASOURCE_PORT_5432_TCP: 'tcp://10.0.0.1:5432',
      DATASOURCE_PORT_5432_TCP_ADDR: '10.0.0.1',
    });
    await service.stop();
    const entries = service.printed
      .split('\n')
      .filter((line) => /No effect|ot read by this service/.test(line))
      .map((line) => (JSON.parse(line) as { level: string; msg: string }).msg);
    expect(entries).toEqual([
      'No effect in this service: FILE_LIMIT, SCHEDULE, SCHEDULE_LEDGER',
      'DATASOURCE_MIAN_REPLICA_URL is not read by this service; did you mean DATASOURCE_MAIN_REPLICA_URL?',
      'Not read by this service: AUTHENTICATION_\u001b[31m, DATASOURCE_OTHERS_URL',
    ]);
    expect(service.printed).not.toContain(canary);
    expect(service.printed).not.toContain('\u001b');
  });

  test('without them their code is not loaded', async () => {
    expect(await loadedBy(plain)).toEqual([]);
    expect(await loadedBy({ ...all, WORKERS: '1', MANAGEMENT_PORT: '0' })).toEqual(
      Object.keys(modules).filter((name) => name !== 'WORKERS'),
    );
  });

  /**
   * The settings whose modules are loaded by a service that starts with this environment: each module is a file of the runtime package with
   * the setting's name.
   */
  async function loadedBy(environment: Readonly<Record<string, string>>): Promise<string[]> {
    const service = await RunningService.start(folder, { ...environment, NODE_DEBUG: 'esm' });
    await service.stop();
    return Object.entries(modules)
      .filter(([, module]) =>
        new RegExp(`/shared/${basename(module)}-[A-Z\\d]{8}\\.js`).test(service.printed),
      )
      .map(([name]) => name);
  }
});

test('the names of these modules are right', () => {
  for (const module of Object.values(modules))
    expect(() => readFileSync(new URL(`../../runtime/${module}.ts`, import.meta.url))).not.toThrow();
});
