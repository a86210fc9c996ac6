/** The main comparison on PostgreSQL, with the hand-written servers and pgbench; includes memory under load. */
import { databasePeer, newsService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, partOfSamples, throughputs } from '../duel.js';
import { pgbench } from '../pgbench.js';
import { atLeast, atMost, type Row } from '../row.js';
import { ratios } from '../statistics.js';

/** The default load of jobs. */
export const newsLoad = { path: '/news/%d', ids: 10_000, connections: 32 };

/** One INSERT for each request. */
export const writeLoad = {
  ...{ path: '/news/%d/notes', ids: 10_000, connections: 32 },
  body: '{"text":"A note of some forty characters, no more"}',
};

/** Three statements in a transaction for each request. */
export const transactionLoad = { ...writeLoad, path: '/news/%d/orders' };

export const pg: Job = { name: 'pg', run };

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const contenders = [
    await newsService(bench, database),
    await databasePeer(bench, 'Express + pg', 'express-pg', database),
    await databasePeer(bench, 'Fastify + named', 'fastify-pg', database),
    await databasePeer(bench, 'Fastify + postgres', 'fastify-postgres', database),
  ];
  const clients = newsLoad.connections;
  const [{ runs, others }, writes, transactions] = await withServers(contenders, async () => [
    await duel(contenders, newsLoad, bench.schedule, [pgbench(bench, database.server, clients)]),
    await duel(contenders.slice(0, 2), writeLoad, bench.schedule),
    await duel(contenders.slice(0, 2), transactionLoad, bench.schedule),
  ]);
  const [ours, express, fastify, porsager] = runs;
  if (!ours || !express || !fastify || !porsager) return [];
  const own = throughputs(ours.samples);
  return [
    {
      job: 'pg',
      goal: 'PostgreSQL, throughput against Express 5 + pg pool',
      target: atLeast(5),
      figures: ratios(own, throughputs(express.samples)),
      parts: [partOf(ours), partOf(express)],
    },
    {
      job: 'pg',
      goal: 'PostgreSQL, throughput against Fastify 5 + named prepared statements',
      target: atLeast(2.5),
      figures: ratios(own, throughputs(fastify.samples)),
      parts: [partOf(ours), partOf(fastify)],
    },
    {
      job: 'pg',
      goal: 'PostgreSQL, throughput against Fastify 5 + porsager’s postgres',
      target: atLeast(2.5),
      figures: ratios(own, throughputs(porsager.samples)),
      parts: [partOf(ours), partOf(porsager)],
    },
    {
      job: 'pg',
      goal: 'PostgreSQL, share of pgbench -M prepared',
      target: atLeast(1.2),
      figures: ratios(own, throughputs(others[0])),
      parts: [partOf(ours), partOfSamples('pgbench', others[0])],
    },
    {
      job: 'pg',
      goal: 'Peak resident memory under this load, against Express 5 + pg pool',
      target: atMost(1.1),
      figures: [ours.peakMemory / express.peakMemory],
      parts: [partOf(ours), partOf(express)],
    },
    {
      job: 'pg',
      goal: 'PostgreSQL, one INSERT a request, throughput against Express 5 + pg pool',
      target: atLeast(2),
      figures: ratios(throughputs(writes.runs[0]?.samples), throughputs(writes.runs[1]?.samples)),
      parts: writes.runs.map(partOf),
    },
    {
      job: 'pg',
      goal: 'PostgreSQL, a transaction of three statements, throughput against the same by hand on a pg pool',
      target: atLeast(1.5),
      figures: ratios(throughputs(transactions.runs[0]?.samples), throughputs(transactions.runs[1]?.samples)),
      parts: transactions.runs.map(partOf),
    },
  ];
}
