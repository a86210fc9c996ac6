/**
 * Costs that must not grow with the size of a service or its results: statements of many operations, and the delay of other requests by a
 * long response.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeOptions, startService, withServers, type Bench } from '../bench.js';
import type { BenchDatabase } from '../database.js';
import { partOfSamples, takeTurns, throughputs, withProcessorTime } from '../duel.js';
import { runLoad } from '../load.js';
import { atLeast, atMost, type Row } from '../row.js';
import { startServer } from '../server-process.js';
import { median, ratios } from '../statistics.js';

/** The service rows, on PostgreSQL. */
export async function serviceRows(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  return [await statements(bench, database), ...(await delays(bench, database))];
}

const operations = 900;

/** A configuration where each operation has two unique statements. */
function distinct(): string {
  const written = Array.from({ length: operations }, (_, index) => {
    const read = (name: string, sql: string): string =>
      `{ name: ${name}, type: READ, datasource: newsdb, instructions: [{ query: '${sql}' }] }`;
    return `  'GET /o${index + 1}/{id}':
    fulfillments:
      - ${read('news', `SELECT id, title, ${index} AS own FROM news WHERE id = :[PARAM(id)]`)}
      - ${read('comments', `SELECT id, body, ${index} AS own FROM comment WHERE news_id = :[PARAM(id)]`)}
    responses: [{ name: ok, default: true, statuscode: 200, schema: { news: 'VALUE(news, $)', comments: 'VALUE(comments, $)' } }]
`;
  });
  return `specification: "1.0"\noperations:\n${written.join('')}datasources:\n  newsdb: { type: db, url: "jdbc:postgresql://localhost:5432/news" }\n`;
}

async function statements(bench: Bench, database: BenchDatabase): Promise<Row> {
  const main = await bench.workshop.service('distinct', bench.workshop.writeConfig('distinct', distinct()));
  const server = await startService(bench, main, database.forService);
  const paths = ['/o%d/7', '/o7/%d'];
  const samples = await withServers([{ server }], () =>
    takeTurns(
      paths.map((path) => (seconds: number) => {
        const load = { path, ids: operations, connections: 32 };
        return withProcessorTime({ server }, () => runLoad(server.url, load, seconds));
      }),
      bench.schedule,
    ),
  );
  return {
    job: 'growth',
    goal: `${operations} operations with statements of their own, called evenly: throughput against one of them`,
    target: atLeast(0.9),
    figures: ratios(throughputs(samples[0]), throughputs(samples[1])),
    parts: ['all', 'one'].map((name, index) => partOfSamples(name, samples[index])),
  };
}

const rows = 1_000_000;

/** A module that writes the longest event loop delay to a file, in milliseconds, and resets it when the file contains `reset`. */
const probe = (file: string): string => `
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readFileSync, writeFileSync } from 'node:fs';
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
setInterval(() => {
  if (readFileSync(${JSON.stringify(file)}, 'utf8') === 'reset') delay.reset();
  writeFileSync(${JSON.stringify(file)}, String(delay.max / 1e6));
}, 100).unref();
`;

async function delays(bench: Bench, database: BenchDatabase): Promise<Row[]> {
  const item = "{ id: 'VALUE(@, $.id)', title: 'VALUE(@, $.title)', price: 'VALUE(@, $.price)' }";
  const types = {
    json: `schema: 'VALUE(all, $)'`,
    csv: `contentType: text/csv, schema: { list: 'VALUE(all, $)', item: ${item} }`,
    ndjson: `contentType: application/x-ndjson, schema: 'VALUE(all, $)'`,
  };
  const written = Object.entries(types).map(
    ([name, type]) => `  'GET /${name}':
    fulfillments:
      - { name: all, type: READ, datasource: newsdb, instructions: [{ query: "SELECT n AS id, 'number ' || n AS title, n * 0.5 AS price FROM generate_series(1, ${rows}) AS n" }] }
    responses: [{ name: ok, default: true, statuscode: 200, ${type} }]
`,
  );
  const config = `specification: "1.0"\noperations:\n${written.join('')}datasources:\n  newsdb: { type: db, url: "jdbc:postgresql://localhost:5432/news", timeout: 100 }\n`;
  const { workshop } = bench;
  const main = await workshop.service('long', workshop.writeConfig('long', config));
  const file = join(workshop.folder, 'delay.txt');
  const module = join(workshop.folder, 'probe.mjs');
  writeFileSync(file, 'reset');
  writeFileSync(module, probe(file));
  const limits = { ROW_LIMIT: String(2 * rows), RESULT_LIMIT: String(1 << 30), REQUEST_TIMEOUT: '120000' };
  const server = await startServer({
    args: [...nodeOptions, '--import', module, main],
    environment: { ...database.forService, ...limits },
    cores: bench.cores.server,
  });
  const longest = async (name: string): Promise<number> => {
    writeFileSync(file, 'reset');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const response = await fetch(`${server.url}/${name}`);
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
    if (response.status !== 200 || bytes < rows)
      throw new Error(`${name}: ${response.status}, ${bytes} bytes`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return Number(readFileSync(file, 'utf8'));
  };
  return withServers([{ server }], async () => {
    const measured = new Map(Object.keys(types).map((name): [string, number[]] => [name, []]));
    for (let round = 0; round < (bench.quick ? 2 : 5); round += 1)
      for (const [name, times] of measured) times.push(await longest(name));
    return [...measured].map(([name, times]) => ({
      job: 'growth',
      goal: `Longest delay of others during ${rows.toLocaleString('en')} rows as ${name.toUpperCase()}, in seconds`,
      target: atMost(0.04, 's'),
      figures: times.map((time) => time / 1000),
      parts: [{ name: 'median', seen: `${median(times).toFixed(0)} ms` }],
    }));
  });
}
