/** Large results for many concurrent clients, in a service with a small heap: some clients must retry, and the process survives. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../../compiler/compile.js';
import { memoryOf } from '../../../runtime/handler/memory.js';
import { holdRows } from '../../../runtime/handler/memory.js';
import { assets } from '../../emit/compile-text.js';
import { RunningService } from '../../helpers/running-service.js';
import { buildServices } from '../../helpers/service-build.js';
import { sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

const operation = (query: string) => ({
  fulfillments: [{ name: 'rows', type: 'READ', datasource: 'db', instructions: [{ query }] }],
  responses: [{ name: 'ok', default: true, statuscode: 200, schema: 'VALUE(rows, $)' }],
});

const config = {
  specification: '1.0',
  operations: {
    'GET /quick': operation('SELECT 1 AS one'),
    'GET /rows': operation("SELECT i AS id, repeat('x', 100) AS filler FROM generate_series(1, 60000) AS i"),
  },
  datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/hostile_results' } },
};

let service: RunningService;

beforeAll(async () => {
  const server = await sharedPostgres();
  await server.createDatabase('hostile_results');
  const source = { path: 'config.yaml', text: JSON.stringify(config) };
  const { files, diagnostics } = await compile({ config: source }, assets);
  if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const folder = buildServices('hostile-results', [{ name: 'results', files }]).get('results') ?? '';
  service = await RunningService.start(folder, {
    DATASOURCE_DB_URL: server.jdbcUrl('hostile_results'),
    DATASOURCE_DB_USER: server.user,
    DATASOURCE_DB_PASSWORD: server.password,
    NODE_OPTIONS: '--max-old-space-size=300',
  });
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

test('results that all requests keep are bounded together', async () => {
  const get = async () => {
    const response = await fetch(`${service.url}/rows`);
    // On a slow machine, a client that has been slow for two seconds is disconnected to make room for others: it sees that its response is
    // incomplete.
    const text = await response.text().catch(() => undefined);
    return {
      status: response.status,
      isWhole: text?.endsWith(']') ?? 'cut',
      retryAfter: response.headers.get('retry-after'),
    };
  };
  const responses = await Promise.all(Array.from({ length: 80 }, get));
  for (const { status, isWhole, retryAfter } of responses) {
    if (status === 200) expect([true, 'cut']).toContain(isWhole);
    else {
      expect(status).toBe(503);
      expect(retryAfter).toMatch(/^[12]$/);
    }
  }
  expect(responses.some(({ isWhole }) => isWhole === true)).toBe(true);
  // The memory has been released.
  expect((await get()).status).toBe(200);
  expect((await fetch(`${service.url}/quick`)).status).toBe(200);
});

test('rows are counted by some of them, and small results not at all', () => {
  const held: number[] = [];
  const call = { ...testCall(), hold: (bytes: number) => held.push(bytes) };
  const row = { id: 1, name: 'x'.repeat(1000) };
  holdRows(call, []);
  holdRows(call, Array(50).fill(row));
  expect(held).toEqual([]);
  holdRows(call, Array(160).fill(row));
  holdRows(call, [{ text: 'x'.repeat(1_000_000) }]);
  expect(held).toEqual([160 * memoryOf(row), memoryOf({ text: 'x'.repeat(1_000_000) })]);
});
