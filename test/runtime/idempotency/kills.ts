/** Kills processes and databases of a service with idempotency keys at random times, while clients repeat their requests. */
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseServer } from '../../helpers/database-server.js';
import type { Random } from '../../helpers/random.js';
import { startService } from '../outbox/kills.js';
import { send, tables, type Response } from './requests.js';

export interface Report {
  readonly kills: { readonly process: number; readonly database: number };
  /** Keys that were used, and requests with them. */
  readonly keys: number;
  readonly requests: number;
  /** Requests without a response, and those with another status than 201. */
  readonly unanswered: number;
  readonly busy: number;
  readonly failed: number;
  /** Keys whose change was made more than once, or not at all. */
  readonly twice: readonly string[];
  readonly missing: readonly string[];
  /** Keys with different responses. */
  readonly different: readonly string[];
  /** Changes without a stored response, and stored responses without a change. */
  readonly withoutResponse: number;
  readonly withoutChange: number;
  /** Statuses that no request may have. */
  readonly unexpected: readonly string[];
}

export interface Killing {
  readonly server: DatabaseServer;
  readonly kind: 'postgresql' | 'mysql';
  readonly database: string;
  readonly main: string;
  readonly kills: number;
  readonly random: Random;
}

/** 201; 418: an exception; 409: in progress; 500: an unknown outcome; 503: the database is away or a conflict remains; 504: too long. */
const expected: ReadonlySet<number> = new Set([0, 201, 409, 418, 500, 503, 504]);

/** Two processes, and clients that repeat each request until it succeeds twice. */
export async function runWithKills({
  server,
  kind,
  database,
  main,
  kills,
  random,
}: Killing): Promise<Report> {
  await server.createDatabase(database);
  await server.exec(database, tables[kind]);
  const variables = {
    DATASOURCE_DB_URL: server.jdbcUrl(database),
    DATASOURCE_DB_USER: server.user,
    DATASOURCE_DB_PASSWORD: server.password,
    LOG_LEVEL: 'fatal',
  };
  const services = await Promise.all(
    [0, 1].map(async () => {
      const service = startService(main, variables);
      return { service, port: await service.port() };
    }),
  );

  let isOver = false;
  let nextKey = 0;
  const bodies = new Map<string, Set<string>>();
  const counts = { requests: 0, unanswered: 0, busy: 0, failed: 0 };
  const unexpected: string[] = [];
  const sent = async (key: string, body: object): Promise<Response> => {
    const response = await send(random.pick(services).port, key, body).response;
    const { status, text } = response;
    counts.requests += 1;
    if (status === 0) counts.unanswered += 1;
    else if (status === 409) counts.busy += 1;
    else if (status !== 201) counts.failed += 1;
    if (!expected.has(status)) unexpected.push(`${status} ${text}`);
    if (status === 201) bodies.get(key)?.add(text);
    return response;
  };
  const clients = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      const key = `key-${(nextKey += 1)}`;
      bodies.set(key, new Set());
      const body = { id: key, ...(random.chance(50) ? { pause: random.below(30) / 1000 } : {}) };
      if (random.chance(10)) await sent(key, { ...body, end: true });
      for (let successes = 0; successes < 2;) {
        const times = random.chance(30) ? 2 : 1;
        const responses = await Promise.all(Array.from({ length: times }, () => sent(key, body)));
        successes += responses.filter(({ status }) => status === 201).length;
        if (responses.every(({ status }) => status !== 201)) await delay(20 + random.below(40));
      }
    }
  });
  const killed = { process: 0, database: 0 };
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(50 + random.below(250));
    if (random.chance(25)) {
      killed.database += 1;
      await server.restart('immediate');
    } else {
      killed.process += 1;
      const one = random.pick(services);
      one.service.child.kill('SIGKILL');
      await one.service.ended;
      one.service = startService(main, variables);
      one.port = await one.service.port();
    }
  }
  isOver = true;
  await Promise.all(clients);
  for (const { service } of services) {
    service.child.kill('SIGTERM');
    await service.ended;
  }
  const rows = await server.exec(database, 'select id, count(*) as times from orders group by id');
  const [stored] = await server.exec(
    database,
    'select count(*) as counted from apikiln_idempotency where response is not null',
  );
  const made = new Map(rows.map((row) => [String(row['id']), Number(row['times'])]));
  const responses = Number(stored?.['counted']);
  return {
    kills: killed,
    keys: nextKey,
    ...counts,
    twice: [...made].flatMap(([key, times]) => (times > 1 ? [key] : [])),
    missing: [...bodies.keys()].filter((key) => !made.has(key)),
    different: [...bodies].flatMap(([key, texts]) => (texts.size > 1 ? [key] : [])),
    withoutResponse: Math.max(0, made.size - responses),
    withoutChange: Math.max(0, responses - made.size),
    unexpected,
  };
}
