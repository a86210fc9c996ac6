/** Whether a database is reachable, and the number of its connections, for health and metrics. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceMetrics } from '../../../runtime/management/service-metrics.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { readEach } from '../../../runtime/sql/reads-ahead.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';
import { read } from './open-datasource.js';

const statementTime = 'datasource_statement_duration_seconds';

describe.each([
  { name: 'PostgreSQL', shared: sharedPostgres, make: postgres, sleep: 'select pg_sleep(1)' },
  { name: 'MariaDB', shared: sharedMariadb, make: mysql, sleep: 'select sleep(1) as s' },
])('$name', ({ shared, make, sleep }) => {
  let server: AttachedServer;
  let proxy: Proxy;
  let datasource: DatabaseDatasource;

  beforeAll(async () => {
    server = await shared();
    await server.createDatabase('reachable');
    proxy = await startProxy(server.port);
    datasource = make({ name: 'main', pool: { max: 2 } });
    const url = server.jdbcUrl('reachable').replace(/:\d+/, `:${proxy.port}`);
    datasource.open({ url, poolWait: 60_000, user: server.user, password: server.password });
  });

  afterAll(async () => {
    await datasource.close(performance.now());
    await proxy.close();
  });

  test('connections are counted, and one whose connections are all in use is there', async () => {
    expect(datasource.connections()).toEqual({ used: 0, free: 0, waiting: 0 });
    expect(await datasource.isReachable()).toBe(true);
    expect(datasource.connections()).toEqual({ used: 0, free: 1, waiting: 0 });
    const sleeping = [1, 2, 3, 4].map(() => read(datasource, sleep.replace('1', '4')));
    await expect.poll(() => datasource.connections()).toEqual({ used: 2, free: 0, waiting: 2 });
    expect(await datasource.isReachable()).toBe(true);
    // The check did not wait for any of the statements.
    expect(datasource.connections()).toEqual({ used: 2, free: 0, waiting: 2 });
    await Promise.all(sleeping);
    expect(datasource.connections()).toEqual({ used: 0, free: 2, waiting: 0 });
  });

  test('every statement is reported with its time: alone, failed, and sent ahead', async () => {
    const metrics = new ServiceMetrics([]);
    const observed = make({ name: 'main', pool: { max: 2 } });
    const url = server.jdbcUrl('reachable');
    observed.open({ url, user: server.user, password: server.password });
    observed.observe(metrics);
    const samples = (): ReadonlyMap<string, number> =>
      new Map(metrics.collect().find(({ name }) => name === statementTime)?.samples);
    await read(observed, sleep);
    expect(samples().get('_sum{datasource="main"}')).toBeGreaterThan(0.99);
    await read(observed, 'select nonsense').catch(() => undefined);
    expect(samples().get('_count{datasource="main"}')).toBe(2);
    const quick = observed.read({ operation: 'GET /test', fulfillment: 'rows', sql: 'select 1 as a' });
    const elements = Array.from({ length: 20 }, (_, index) => index);
    for await (const [, rows] of readEach(quick, testCall(), elements, () => []))
      expect(rows).toEqual([{ a: 1 }]);
    expect(samples().get('_count{datasource="main"}')).toBe(22);
    await observed.close(performance.now());
  });

  test('one behind a network that swallows everything is not, and is again when it heals', async () => {
    proxy.blackHole();
    expect(await datasource.isReachable()).toBe(false);
    proxy.heal();
    expect(await datasource.isReachable()).toBe(true);
  });
});
