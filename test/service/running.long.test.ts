/** Compiled services at work: many concurrent requests, a database that stops and restarts, a stop under load, secrets. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseServer } from '../helpers/database-server.js';
import { RunningService } from '../helpers/running-service.js';
import type { DatabaseKind } from '../helpers/service-fixture.js';
import { filesOf, textOf } from '../emit/compile-text.js';
import { canaries, entriesConfig } from './entries.js';
import {
  ask,
  askUntil,
  buildEntries,
  kinds,
  ownServer,
  prepare,
  sharedServer,
  type HttpResponse,
} from './services.js';

let folders: ReadonlyMap<DatabaseKind, string>;

beforeAll(async () => {
  folders = await buildEntries('running');
});

function start(kind: DatabaseKind, environment: Readonly<Record<string, string>>): Promise<RunningService> {
  // On a busy machine, 300 changes take longer than the default wait for a connection.
  return RunningService.start(folders.get(kind) ?? '', { POOL_WAIT: '20000', ...environment });
}

describe.each(kinds)('%s: many at a time', (kind) => {
  const tags = Array.from({ length: 300 }, (_, index) => `tag ${index} / ä?&`);
  let service: RunningService;

  beforeAll(async () => {
    service = await start(kind, await prepare(await sharedServer[kind](), kind, 'service_load'));
  });

  afterAll(async () => {
    await service.stop();
  });

  test('300 concurrent inserts: each response is that of its own request', async () => {
    const responses = await Promise.all(
      tags.map((tag, amount) => ask(service.url, 'POST', '/entries', { tag, amount })),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${status === 201 ? '' : text}`))).toEqual(
      new Set(['201 ']),
    );
    expect(responses.map(({ body }) => (body as { tag: string }).tag)).toEqual(tags);
    expect(new Set(responses.map(({ body }) => (body as { id: number }).id)).size).toBe(300);
  });

  test('300 concurrent requests of five operations: each response is that of its own request', async () => {
    const requests = tags.map((tag, index): { send: () => Promise<HttpResponse>; response: object } => {
      const path = `/entries/${encodeURIComponent(tag)}`;
      switch (index % 5) {
        case 0:
          return {
            send: () => ask(service.url, 'POST', '/entries', { tag: `${tag} again`, amount: index }),
            response: { status: 201, body: { id: expect.any(Number) as number, tag: `${tag} again` } },
          };
        case 1:
          return {
            send: () => ask(service.url, 'GET', path),
            response: { status: 200, body: { tag, amount: index } },
          };
        case 2:
          return {
            send: () => ask(service.url, 'PUT', path, { amount: index + 1000 }),
            response: { status: 200, body: { changed: 1, amount: index + 1000 } },
          };
        case 3:
          return { send: () => ask(service.url, 'DELETE', path), response: { status: 204, text: '' } };
        default:
          return {
            send: () => ask(service.url, 'GET', `/echo/${index}?other=${encodeURIComponent(tag)}`),
            response: { status: 200, body: { value: String(index), other: tag } },
          };
      }
    });
    const responses = await Promise.all(requests.map(({ send }) => send()));
    responses.forEach((response, index) => {
      expect(response, tags[index]).toMatchObject(requests[index]?.response ?? {});
    });
  });

  test('the responses are what is stored', async () => {
    const responses = await Promise.all(
      tags.map((tag) => ask(service.url, 'GET', `/entries/${encodeURIComponent(tag)}`)),
    );
    responses.forEach(({ status, body }, index) => {
      const amount = index % 5 === 2 ? index + 1000 : index;
      if (index % 5 === 3) expect(status).toBe(404);
      else expect(body).toEqual({ tag: tags[index], amount });
    });
  });

  test('one tag twice is 409, a text for a number 400', async () => {
    expect((await ask(service.url, 'POST', '/entries', { tag: tags[0], amount: 1 })).status).toBe(409);
    expect((await ask(service.url, 'POST', '/entries', { tag: 'x', amount: 'many' })).status).toBe(400);
  });
});

/** Returns a row for every slow statement running on the server. */
const statementsInFlight = {
  postgresql: "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'",
  mariadb: "SELECT 1 FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'",
};

describe.each(kinds)('%s: a stop', (kind) => {
  test('SIGTERM lets the requests in flight finish, and the service ends with 0', async () => {
    const server = await sharedServer[kind]();
    const service = await start(kind, await prepare(server, kind, 'service_stop'));
    // A pool of ten has this many connections in addition to those shared by quick reads.
    const waiting = Array.from({ length: 8 }, (_, index) => ask(service.url, 'GET', `/slow/${index}`));
    const slowest = { isOver: false };
    void Promise.all(waiting).finally(() => (slowest.isOver = true));
    const count = async () => (await server.exec('service_stop', statementsInFlight[kind])).length;
    while (!slowest.isOver && (await count()) < waiting.length) await delay(10);
    const status = await service.stop();
    expect((await Promise.all(waiting)).map(({ status, body }) => ({ status, body }))).toEqual(
      waiting.map((_, index) => ({ status: 200, body: { value: String(index) } })),
    );
    expect(status).toBe(0);
    expect((await ask(service.url, 'GET', '/echo/1')).status).toBe(0);
  });
});

describe.each(kinds)('%s: a database that goes away', (kind) => {
  let server: DatabaseServer;
  let service: RunningService;

  beforeAll(async () => {
    server = await ownServer[kind]();
    const environment = await prepare(server, kind, 'service_away');
    // These servers write to disk with a delay: a clean restart makes sure that the table survives the kill.
    await server.restart('fast');
    await server.kill();
    service = await start(kind, environment);
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    await server.stop();
  });

  test('is 503 with Retry-After, and nothing of the database shows', async () => {
    const response = await ask(service.url, 'GET', '/echo/1');
    expect(response.status).toBe(503);
    expect(response.retryAfter).toMatch(/^\d+$/);
    expect(Object.keys(response.body as object)).toEqual(['message']);
    expect(response.text).not.toMatch(/127\.0\.0\.1|localhost|ECONN|:\d{2,}/);
  });

  test('is used by itself once it is there', async () => {
    await server.restart('fast');
    expect((await askUntil(200, service.url, '/echo/1')).body).toEqual({ value: '1', other: null });
  });

  test.each(['fast', 'immediate'] as const)(
    'and is restarted under load (%s): every response is right, the others get 503, then all is well',
    async (mode) => {
      let isOver = false;
      const responses: { readonly index: number; readonly response: HttpResponse }[] = [];
      const clients = Array.from({ length: 12 }, async (_, client) => {
        for (let index = client; !isOver; index += 12) {
          responses.push({ index, response: await ask(service.url, 'GET', `/echo/${index}`) });
          await delay(2);
        }
      });
      while (responses.length < 24) await delay(10);
      await server.restart(mode);
      await askUntil(200, service.url, '/echo/x');
      const healed = responses.length;
      while (responses.length < healed + 60) await delay(10);
      isOver = true;
      await Promise.all(clients);
      for (const { index, response } of responses) {
        if (response.status === 200) expect(response.body).toEqual({ value: String(index), other: null });
        else
          expect(response, response.text).toMatchObject({
            status: 503,
            retryAfter: expect.stringMatching(/^\d+$/) as string,
          });
      }
      expect(responses.slice(0, 12).every(({ response }) => response.status === 200)).toBe(true);
      // Requests that began before the proxy was healed may have failed.
      expect(responses.slice(healed + 12).filter(({ response }) => response.status !== 200)).toEqual([]);
    },
  );

  test('an insert that was acknowledged is there after a restart, and none is there twice', async () => {
    const sent = Array.from({ length: 150 }, (_, index) => `kept ${index}`);
    const statuses = new Map<string, number>();
    const clients = Array.from({ length: 5 }, async (_, client) => {
      for (const [index, tag] of sent.entries()) {
        if (index % 5 !== client) continue;
        statuses.set(tag, (await ask(service.url, 'POST', '/entries', { tag, amount: index })).status);
        await delay(5);
      }
    });
    while (statuses.size < 15) await delay(5);
    await server.restart('fast');
    await Promise.all(clients);
    const rows = await server.exec('service_away', "SELECT tag FROM entry WHERE tag LIKE 'kept %'");
    const there = new Set(rows.map((row) => row['tag']));
    const acknowledged = sent.filter((tag) => statuses.get(tag) === 201);
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(acknowledged.filter((tag) => !there.has(tag))).toEqual([]);
    // 503 means that nothing was done, and 500 that the outcome is unknown; 409 would mean that the service itself had sent an insert
    // twice.
    const refused = sent.filter((tag) => statuses.get(tag) === 503);
    expect(refused.filter((tag) => there.has(tag))).toEqual([]);
    expect([...statuses.values()].filter((status) => ![201, 503, 500].includes(status))).toEqual([]);
  });
});

describe('what keeps a service from starting', () => {
  const { password, urlPassword, licence } = canaries;

  async function failure(
    environment: Readonly<Record<string, string>>,
    folder = folders.get('postgresql') ?? '',
  ): Promise<string> {
    const started = RunningService.start(folder, environment);
    const printed = await started.then(
      async (service) => {
        await service.stop();
        return 'It started.';
      },
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    for (const secret of [password, urlPassword, licence, 'hunter2']) expect(printed).not.toContain(secret);
    return printed;
  }

  test.each([
    ['another kind of database', 'jdbc:mariadb://me:hunter2@localhost/db', /PostgreSQL/],
    ['no database at all', 'http://me:hunter2@localhost/db', /is not of the form jdbc:postgresql:/],
    [
      'a port that is none',
      'jdbc:postgresql://me:hunter2@localhost:x/db',
      /is not of the form jdbc:postgresql:/,
    ],
  ])('a URL of %s: one sentence, status 1', async (_name, url, logged) => {
    const printed = await failure({ DATASOURCE_MAIN_URL: url });
    expect(printed).toMatch(/^The service ended with 1:\ndatasource main: [^\n]+\n$/);
    expect(printed).toMatch(logged);
  });

  test('a variable that is not set is named with its field, status 1', async () => {
    const config = entriesConfig('postgresql').replace(password, '${NOT_SET}');
    const folder = `${folders.get('postgresql') ?? ''}-not-set`;
    cpSync(folders.get('postgresql') ?? '', folder, { recursive: true });
    writeFileSync(join(folder, '.env'), textOf(await filesOf(config), '.env'));
    expect(await failure({}, folder)).toBe(
      'The service ended with 1:\nThe environment variable NOT_SET is not set; DATASOURCE_MAIN_PASSWORD, ' +
        'the field password of the datasource main, refers to it\n',
    );
  });

  test('several problems are reported together', async () => {
    const printed = await failure({ PORT: 'many', LOG_LEVEL: 'loud', DATASOURCE_MAIN_POOL_MAX: '-1' });
    expect(printed.trimEnd().split('\n')).toHaveLength(4);
  });
});

describe.each(kinds)('%s: secrets', (kind) => {
  test('never are in a generated file other than .env', () => {
    const folder = folders.get(kind) ?? '';
    expect(readFileSync(join(folder, '.env'), 'utf8')).toContain(canaries.password);
    const all = [
      '.env.example',
      'README.md',
      'package.json',
      'Dockerfile',
      'src/datasources.ts',
      'dist/datasources.js',
    ];
    for (const path of all) {
      for (const secret of [canaries.password, canaries.urlPassword, canaries.licence])
        expect(readFileSync(join(folder, path), 'utf8'), path).not.toContain(secret);
    }
  });

  test('never are in logs or responses, at the most verbose level and with every kind of error', async () => {
    const server = await sharedServer[kind]();
    const right = await prepare(server, kind, 'service_secrets');
    const { password, urlPassword, licence, value } = canaries;
    const wrong = { ...right, DATASOURCE_MAIN_PASSWORD: password };
    const url = (right['DATASOURCE_MAIN_URL'] ?? '').replace('://', `://somebody:${urlPassword}@`);
    let seen = '';
    for (const environment of [right, wrong, { ...wrong, DATASOURCE_MAIN_URL: url }]) {
      const service = await start(kind, { ...environment, LOG_LEVEL: 'trace' });
      const responses = await Promise.all([
        ask(service.url, 'GET', `/echo/1?other=${value}`),
        ask(service.url, 'POST', '/entries', { tag: value, amount: value }),
        ask(service.url, 'POST', '/entries', { tag: null, amount: 1 }),
        ask(service.url, 'PUT', `/entries/${value}`, { amount: 1e30 }),
        ask(service.url, 'GET', `/nowhere/${value}`),
      ]);
      expect(await service.stop()).toBe(0);
      seen += service.printed;
      for (const { text, status } of responses.slice(1)) {
        expect(status).toBeGreaterThanOrEqual(400);
        seen += text.replaceAll(value, '');
      }
      expect(service.printed).not.toContain(value);
    }
    for (const secret of [password, urlPassword, licence, server.password])
      expect(seen).not.toContain(secret);
    expect(seen).not.toMatch(/INSERT INTO|SELECT CAST|FROM entry/i);
    expect(seen).toContain('licence');
  });
});
