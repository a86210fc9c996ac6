/** Calls of third-party APIs in the metrics: each is counted once, by its outcome. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceMetrics } from '../../../runtime/management/service-metrics.js';
import { expose } from '../../../runtime/management/metrics.js';
import { rest } from '../../../runtime/rest/rest.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty } from '../../helpers/third-party.js';

let api: ThirdParty;
beforeAll(async () => {
  api = await ThirdParty.start(({ url = '' }, response) => {
    const status = Number(url.slice(1));
    if (status === 0) response.destroy();
    else if (status !== 1)
      response.writeHead(status, { 'content-type': 'application/json' }).end(status === 200 ? '1' : '{');
  });
});
afterAll(() => api.stop());

test('a replica that is not used', () => {
  const connections = { used: 0, free: 0, waiting: 0 };
  const replica = () => ({ isUsed: false, moved: 3, connections });
  const lines = expose(new ServiceMetrics([{ name: 'main', replica }]).collect()).split('\n');
  expect(lines.filter((line) => line.startsWith('datasource_replica'))).toEqual([
    'datasource_replica_used{datasource="main"} 0',
    'datasource_replica_moved_reads_total{datasource="main"} 3',
  ]);
});

test('every call is counted by its outcome', async () => {
  const patient = rest({ name: 'api' });
  const hasty = rest({ name: 'api', timeout: 0.3 });
  const metrics = new ServiceMetrics([patient, hasty]);
  const ask = (datasource: typeof patient, path: number): Promise<unknown> =>
    datasource
      .request({ operation: 'GET /x', fulfillment: 'x', method: 'GET' })(testCall(), { url: `/${path}` })
      .catch(() => undefined);
  for (const datasource of [patient, hasty]) {
    datasource.open({ url: api.url, responseLimit: 1000 });
    datasource.observe(metrics);
  }
  for (const path of [200, 200, 201, 404, 500, 0]) await ask(patient, path);
  // The call times out without a response.
  await ask(hasty, 1);
  const lines = expose(metrics.collect()).split('\n');
  expect(lines.filter((line) => line.startsWith('third_party_calls_total'))).toEqual([
    'third_party_calls_total{datasource="api",outcome="2xx"} 3',
    'third_party_calls_total{datasource="api",outcome="4xx"} 1',
    'third_party_calls_total{datasource="api",outcome="5xx"} 1',
    'third_party_calls_total{datasource="api",outcome="failed"} 1',
    'third_party_calls_total{datasource="api",outcome="timeout"} 1',
  ]);
  expect(lines).toContain('third_party_call_duration_seconds_count{datasource="api"} 7');
  // Only databases have this metric.
  expect(lines.filter((line) => line.startsWith('datasource_connections{'))).toEqual([]);
  for (const datasource of [patient, hasty]) datasource.close();
});
