/** The limits of several processes, and the addresses of clients whose requests arrive through nginx and HAProxy. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { startHaproxy } from '../helpers/haproxy.js';
import { startNginx } from '../helpers/nginx.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';

const { fixtures } = await compiledFixtures((all) => all.filter(({ name }) => name === 'limits'));

describe.each(fixtures)('$id', ({ fixture, files, id }) => {
  let services: RunningService[] = [];
  let environment: Record<string, string>;
  let folder: string;

  beforeAll(async () => {
    const server = await (fixture.database === 'postgresql' ? sharedPostgres() : sharedMariadb());
    const database = `several_${id.replaceAll('-', '_')}`;
    await server.createDatabase(database);
    await server.exec(database, fixture.schema);
    await server.exec(database, fixture.seed);
    folder =
      translateServices(`limits-${fixture.database}`, [{ name: id, files: files ?? [] }]).get(id) ?? '';
    environment = {
      ...fixture.environment,
      DATASOURCE_DB_URL: server.jdbcUrl(database),
      DATASOURCE_DB_USER: server.user,
      DATASOURCE_DB_PASSWORD: server.password,
    };
    services = await Promise.all(
      ['1', '1', '2'].map((workers) => RunningService.start(folder, { ...environment, WORKERS: workers })),
    );
  });

  afterAll(async () => {
    for (const service of services) expect(await service.stop()).toBe(0);
  });

  test('several processes count in one table', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 90 }, (_, index) =>
        post(`${services[index % services.length]?.url ?? ''}/reset`, { email: 'several@example.com' }, [
          `192.0.2.${index}`,
        ]),
      ),
    );
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(statuses.filter(({ status }) => status === 429)).toHaveLength(88);
  });

  describe.each([
    {
      proxy: 'nginx',
      start: async (port: number) =>
        startNginx([port], ['proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;']),
    },
    {
      proxy: 'HAProxy',
      start: async (port: number) => {
        const balancer = await startHaproxy([port], 'http', ['option forwardfor']);
        return { url: `http://127.0.0.1:${balancer.port}`, stop: () => balancer.stop() };
      },
    },
  ])('behind $proxy', ({ proxy, start }) => {
    test('the address is that of the client, whatever the client sends', async () => {
      // The client connects from 127.0.0.9, which is not a trusted proxy here.
      const service = await RunningService.start(folder, { ...environment, TRUSTED_PROXIES: '127.0.0.1' });
      const running = await start(Number(new URL(service.url).port));
      const session = (headers: readonly string[] = [], from = '127.0.0.9') =>
        post(`${running.url}/session`, { email: 'ada@example.com', pin: '5678' }, headers, from);
      expect((await session()).body).toEqual({ id: 2, address: '127.0.0.9' });
      expect((await session(['198.51.100.1'])).body).toEqual({ id: 2, address: '127.0.0.9' });
      expect((await session(['198.51.100.1, 127.0.0.1'])).body).toEqual({ id: 2, address: '127.0.0.9' });
      expect((await session(['unknown'])).body).toEqual({ id: 2, address: '127.0.0.9' });
      // Without a trusted proxy, all clients have the address of the proxy, and the log says so.
      const strict = await RunningService.start(folder, { ...environment, TRUSTED_PROXIES: '' });
      const other = await start(Number(new URL(strict.url).port));
      const response = await post(`${other.url}/session`, { email: 'ada@example.com', pin: '5678' });
      expect(response.body, proxy).toEqual({ id: 2, address: '127.0.0.1' });
      // The log is written after the response.
      await expect.poll(() => strict.printed).toContain('X-Forwarded-For is ignored');
      await Promise.all([running.stop(), other.stop()]);
      expect([await service.stop(), await strict.stop()]).toEqual([0, 0]);
    });
  });
});

/** `forwarded`: values of X-Forwarded-For; `from`: the address from which the client connects. */
function post(
  url: string,
  body: object,
  forwarded: readonly string[] = [],
  from?: string,
): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(forwarded.length === 0 ? {} : { 'x-forwarded-for': [...forwarded] }),
    };
    const options = {
      method: 'POST',
      agent: false,
      headers,
      ...(from === undefined ? {} : { localAddress: from }),
    };
    const asked = request(url, options, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => {
          resolve({ status: response.statusCode, body: JSON.parse(text) as unknown });
        });
    });
    asked.on('error', reject).end(JSON.stringify(body));
  });
}
