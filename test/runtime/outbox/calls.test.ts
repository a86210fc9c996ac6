/** Calls after the commit on real databases: what is stored, as whom it is called, what becomes of each outcome, and exactly once. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { givenOf, noteGiven } from '../../../runtime/authentication/find-caller.js';
import { RefusedCredentials } from '../../../runtime/authentication/refusal.js';
import type { Call } from '../../../runtime/handler/call.js';
import type { JsonObject } from '../../../runtime/handler/json.js';
import { fail, ServiceError } from '../../../runtime/handler/reply.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import type { DeferredOperation } from '../../../runtime/outbox/call-receiver.js';
import type { OutboxCall } from '../../../runtime/outbox/outbox.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { reply } from '../../../runtime/responses/reply.js';
import type { ConfiguredAuthentication } from '../../../runtime/server/contracts.js';
import { Environment } from '../../../runtime/server/environment.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { testedOutbox, type TestedOutbox } from '../../../runtime/testing/tested-outbox.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { now } from '../../../runtime/values/now.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

const key = 'k'.repeat(32);

describe.each([
  ['PostgreSQL', sharedPostgres, postgres],
  ['MariaDB', sharedMariadb, mysql],
] as const)('%s', (_, shared, datasource) => {
  const [database, other] = [`outbox_calls_${process.pid}`, `outbox_other_${process.pid}`];
  let server: AttachedServer;
  const opened: DatabaseDatasource[] = [];
  let db: DatabaseDatasource;

  function open(name: string, into = database): DatabaseDatasource {
    const one = datasource({ name });
    const { user, password } = server;
    one.open({ url: server.jdbcUrl(into), user, password });
    opened.push(one);
    return one;
  }

  beforeEach(async () => {
    server = await shared();
    for (const one of [database, other]) {
      await server.createDatabase(one);
      await server.exec(one, 'create table noted (name varchar(100))');
    }
    db = open('db');
  });
  afterEach(() => Promise.all(opened.splice(0).map((one) => one.close(performance.now()))));

  const noteIn = (one: DatabaseDatasource) => {
    const marker = one.kind === 'postgresql' ? '$1' : '?';
    return one.update({
      operation: 'note',
      fulfillment: 'noted',
      sql: `insert into noted (name) values (${marker})`,
    });
  };
  const noted = async (from = database): Promise<unknown[]> =>
    (await server.exec(from, 'select name from noted order by name')).map(({ name }) => name);
  const rows = (): Promise<Record<string, unknown>[]> =>
    server.exec(
      database,
      'select state, attempts, reason, method, url, header, content from apikiln_outbox order by position',
    );
  /** Makes all rows due. */
  const due = (): Promise<unknown> =>
    server.exec(database, "update apikiln_outbox set due = created where state = 'waiting'");
  const states = async (): Promise<unknown[]> =>
    (await rows()).map(({ state, attempts, reason }) => [state, Number(attempts), reason]);

  interface Options {
    readonly authentications?: readonly ConfiguredAuthentication[];
    readonly keys?: Readonly<Record<string, string>>;
  }

  /** An outbox whose calls are made when the test asks for it. */
  async function outboxOf(
    operations: readonly DeferredOperation[],
    { authentications = [], keys = { OUTBOX_KEY: key } }: Options = {},
  ): Promise<TestedOutbox> {
    const outbox = testedOutbox([{ calls: true, database: db }], { isSealed: true });
    outbox.cipher.readSettings(new Environment(keys, ''));
    for (const receiver of outbox.calls) {
      receiver.declare(operations, authentications);
      receiver.open(5_000);
    }
    for (const store of outbox.stores) await store.prepare();
    return outbox;
  }

  /** Stores a call in a transaction of its own. */
  async function store(
    outbox: TestedOutbox,
    {
      caller = null,
      passed = { parameters: { name: 'a' } },
      end,
      ...definition
    }: Partial<OutboxCall> & {
      readonly caller?: JsonObject | null;
      readonly passed?: Parameters<ReturnType<TestedOutbox['call']>>[1];
      readonly end?: Error;
    } = {},
  ): Promise<void> {
    const call = outbox.call({
      ...{ operation: 'POST /a', fulfillment: 'later', calls: 'note', database: db },
      ...definition,
    });
    await inTransaction({ ...testCall(), caller, body: { of: 'request' } }, async (inner) => {
      await call(inner, passed);
      if (end !== undefined) throw end;
    });
  }

  const note = (): DeferredOperation => {
    const insert = noteIn(db);
    return {
      operation: 'note',
      handler: async (call: Call) => {
        await insert(call, [call.param('name')]);
        return reply(204);
      },
    };
  };
  const inOne = (operation: DeferredOperation): DeferredOperation => ({ ...operation, transaction: true });

  test.each([
    ['with a transaction', true],
    ['without one', false],
  ])('a call %s is made once, and its content is removed', async (__, transaction) => {
    const outbox = await outboxOf([{ ...note(), transaction }]);
    await store(outbox);
    expect(await rows()).toMatchObject([
      {
        state: 'waiting',
        method: 'CALL',
        url: 'note',
        header: '{"caller":null}',
        content: '{"parameters":{"name":"a"}}',
      },
    ]);
    await outbox.deliver();
    await outbox.deliver();
    expect(await noted()).toEqual(['a']);
    expect(await rows()).toMatchObject([{ state: 'sent', url: '', header: '', content: null, reason: null }]);
    const [listed] = outbox.stores;
    expect(await listed?.list('waiting')).toEqual([]);
  });

  test('a rollback stores nothing', async () => {
    const outbox = await outboxOf([note()]);
    await expect(store(outbox, { end: new Error('end') })).rejects.toThrow('end');
    await outbox.deliver();
    expect(await rows()).toEqual([]);
  });

  test('the call sees what is passed, its caller and its own time, and nothing of the request', async () => {
    const seen: unknown[] = [];
    const outbox = await outboxOf(
      [
        {
          operation: 'note',
          handler: (call) => {
            seen.push({
              passed: [
                call.param('name'),
                call.param('list'),
                call.param('none'),
                call.param('other'),
                call.body,
              ],
              request: [
                call.header('x'),
                call.query('x'),
                call.cookie('x'),
                call.file('x'),
                call.address ?? null,
              ],
              caller: call.caller,
              isDeclared: [call.isDeclared?.('name'), call.isDeclared?.('other')],
            });
            expect(new Date(now(call)).getTime()).toBeGreaterThanOrEqual(stored);
            return reply(204);
          },
        },
      ],
      { authentications: [{ name: 'users', readSettings: () => undefined }] },
    );
    await store(outbox, {
      caller: { authentication: 'users', sub: 'ada', team: 'red', mail: 'ada@example.org' },
      claims: ['team', 'missing'],
      passed: { parameters: { name: '😀', list: [1, { a: null }], none: undefined }, body: [2] },
    });
    const stored = Date.now();
    expect((await rows())[0]?.['header']).toBe(
      '{"caller":{"authentication":"users","sub":"ada","team":"red"}}',
    );
    await outbox.deliver();
    expect(seen).toEqual([
      {
        passed: ['😀', [1, { a: null }], null, null, [2]],
        request: [null, null, null, null, null],
        caller: { authentication: 'users', sub: 'ada', team: 'red' },
        isDeclared: [true, false],
      },
    ]);
  });

  test.each([
    ['an exception with 404', () => fail(404, 'no'), ['failed', 1, 'status 404']],
    ['an exception with 408', () => fail(408, 'no'), ['waiting', 5, 'status 408']],
    ['an exception with 425', () => fail(425, 'no'), ['waiting', 5, 'status 425']],
    ['an exception with 429', () => fail(429, 'no'), ['waiting', 5, 'status 429']],
    ['an exception with 503', () => fail(503, 'no'), ['waiting', 5, 'status 503']],
    ['an invalid value', () => new ServiceError(400, 'no'), ['failed', 1, 'status 400']],
    ['a database that is away', () => new ServiceError(503, 'no'), ['waiting', 5, 'status 503']],
    ['a mistake in code', () => new TypeError('no'), ['waiting', 5, 'status 500']],
  ] as const)('%s', async (__, error, expected) => {
    const { handler } = note();
    const failing = async (call: Call): Promise<never> => {
      await handler(call);
      throw error() as Error;
    };
    const outbox = await outboxOf([inOne({ operation: 'note', handler: failing })]);
    await store(outbox);
    await outbox.deliver();
    expect(await states()).toEqual([expected]);
    expect(await noted()).toEqual([]);
  });

  test('a response with any status is an end', async () => {
    const outbox = await outboxOf([{ operation: 'note', handler: () => reply(404) }]);
    await store(outbox);
    await outbox.deliver();
    expect(await states()).toEqual([['sent', 1, null]]);
  });

  test('times and within end the attempts', async () => {
    const outbox = await outboxOf([{ operation: 'note', handler: () => Promise.reject(fail(503, 'no')) }]);
    await store(outbox, { times: 2 });
    await store(outbox, { within: 3600 });
    await server.exec(
      database,
      `update apikiln_outbox set expires = expires - interval ${db.kind === 'postgresql' ? "'1 hour'" : '1 hour'} where header like '%within%'`,
    );
    await outbox.deliver();
    expect(await states()).toEqual([
      ['failed', 2, 'status 503'],
      ['failed', 1, 'status 503'],
    ]);
  });

  test('the log has the status of an exception, and not its message', async () => {
    const handler = () => Promise.reject(fail(409, 'anna@example.org is taken'));
    const outbox = await outboxOf([{ operation: 'note', handler }]);
    await store(outbox);
    const [receiver] = outbox.calls;
    const [row] = (await outbox.stores[0]?.claim('db', 1_000))?.requests ?? [];
    expect(row && (await receiver?.attempt(row))).toEqual({
      ...{ state: 'failed', reason: 'status 409', pause: 0 },
      log: { calls: 'note', status: 409 },
    });
  });

  test('a call that another version of the service knows waits for it', async () => {
    const earlier = await outboxOf([]);
    await store(earlier, { times: 1 });
    await store(earlier, { caller: { authentication: 'new', sub: 'ada' } });
    await earlier.deliver();
    expect(await states()).toEqual([
      ['waiting', 5, "there is no operation 'note'"],
      ['waiting', 5, "there is no operation 'note'"],
    ]);
    await due();
    const next = await outboxOf([note()]);
    await next.deliver();
    expect(await states()).toEqual([
      ['sent', 6, null],
      ['waiting', 6, "there is no authentication 'new'"],
    ]);
    expect(await noted()).toEqual(['a']);
    await server.exec(database, `update apikiln_outbox set expires = created`);
    await due();
    await next.deliver();
    expect((await states())[1]).toEqual(['failed', 7, "there is no authentication 'new'"]);
  });

  describe('an authentication with an operation', () => {
    let answer: () => Promise<JsonObject | RefusedCredentials>;
    const asked: unknown[] = [];
    const authentications: ConfiguredAuthentication[] = [
      {
        name: 'programs',
        readSettings: () => undefined,
        findAgain: (given) => {
          asked.push(given);
          return answer();
        },
      },
    ];
    const seen: unknown[] = [];
    const operation: DeferredOperation = {
      operation: 'note',
      handler: (call) => {
        seen.push([call.caller, call.caller && givenOf(call.caller)]);
        return reply(204);
      },
    };
    const given = { parameters: { key: 'digest' }, caller: { sub: 'robot', role: 'admin', secret: 'x' } };
    const storedFor = async (outbox: TestedOutbox): Promise<void> => {
      const caller = { authentication: 'programs', sub: 'robot', role: 'admin', secret: 'x' };
      noteGiven(caller, given);
      await store(outbox, { caller, claims: ['role'] });
    };
    beforeEach(() => {
      asked.length = 0;
      seen.length = 0;
    });

    test('is asked again, and only what it needs is stored', async () => {
      const outbox = await outboxOf([operation], { authentications });
      await storedFor(outbox);
      expect(JSON.parse(String((await rows())[0]?.['header']))).toEqual({
        caller: { authentication: 'programs', sub: 'robot' },
        given: { parameters: { key: 'digest' }, caller: { sub: 'robot', role: 'admin' } },
      });
      answer = () => Promise.resolve({ sub: 'robot', role: 'reader' });
      await outbox.deliver();
      const stored = { parameters: { key: 'digest' }, caller: { sub: 'robot', role: 'admin' } };
      expect(asked).toEqual([stored]);
      expect(seen).toEqual([[{ sub: 'robot', role: 'reader', authentication: 'programs' }, stored]]);
    });

    test('that refuses the caller after the commit fails the call, which is not made', async () => {
      const outbox = await outboxOf([operation], { authentications });
      await storedFor(outbox);
      answer = () => Promise.resolve(new RefusedCredentials('unknown-api-key'));
      await outbox.deliver();
      expect(await states()).toEqual([['failed', 1, 'its caller was refused: unknown-api-key']]);
      expect(seen).toEqual([]);
    });

    test.each([
      [
        'that is not available is asked at the next attempt',
        () => new ServiceError(503, 'no'),
        ['sent', 2, null],
      ],
      ['that denies with a code fails the call', () => fail(403, 'locked'), ['failed', 1, 'status 403']],
    ] as const)('%s', async (__, error, expected) => {
      const outbox = await outboxOf([operation], { authentications });
      await storedFor(outbox);
      answer = () => {
        answer = () => Promise.resolve({ sub: 'robot' });
        return Promise.reject(error());
      };
      await outbox.deliver();
      expect(await states()).toEqual([expected]);
    });

    test('that has no operation lets the call wait', async () => {
      const without = [{ name: 'programs', readSettings: () => undefined }];
      const outbox = await outboxOf([operation], { authentications: without });
      await storedFor(outbox);
      await outbox.deliver();
      expect(await states()).toEqual([['waiting', 5, "the authentication 'programs' has no operation"]]);
    });
  });

  test('a transaction whose lease has ended is rolled back', async () => {
    const { handler } = note();
    let isFirst = true;
    const outbox = await outboxOf([
      inOne({
        operation: 'note',
        handler: async (call) => {
          await handler(call);
          // Another process has claimed the row meanwhile.
          if (isFirst) await server.exec(database, "update apikiln_outbox set lease = 'other'");
          isFirst = false;
          return reply(204);
        },
      }),
    ]);
    await store(outbox);
    await outbox.deliver();
    expect(await noted()).toEqual([]);
    expect((await rows())[0]).toMatchObject({ state: 'waiting' });
    await server.exec(database, `update apikiln_outbox set due = created`);
    await outbox.deliver();
    expect(await noted()).toEqual(['a']);
    expect((await rows())[0]).toMatchObject({ state: 'sent' });
  });

  test('a transaction with another database is marked after both commits', async () => {
    const second = noteIn(open('other', other));
    const { handler } = note();
    let states: unknown;
    const outbox = await outboxOf([
      inOne({
        operation: 'note',
        handler: async (call) => {
          await handler(call);
          await second(call, [call.param('name')]);
          states = await server.exec(database, 'select state from apikiln_outbox');
          return reply(204);
        },
      }),
    ]);
    await store(outbox);
    await outbox.deliver();
    expect(states).toEqual([{ state: 'waiting' }]);
    expect([await noted(), await noted(other)]).toEqual([['a'], ['a']]);
    expect((await rows())[0]).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('an encrypted call is made with its key, also after a change of keys, and fails without it', async () => {
    const first = await outboxOf([note()]);
    for (const name of ['secret-1', 'secret-2'])
      await store(first, { sealed: true, passed: { parameters: { name } } });
    for (const row of await rows()) {
      expect(row).toMatchObject({ url: '', content: null });
      expect(JSON.stringify(row)).not.toContain('secret');
      expect(JSON.stringify(row)).not.toContain('note');
    }
    await server.exec(database, `update apikiln_outbox set due = expires where position = 2`);
    await (await outboxOf([note()], { keys: { OUTBOX_KEY: 'n'.repeat(32), OUTBOX_KEY_2: key } })).deliver();
    expect(await noted()).toEqual(['secret-1']);
    await server.exec(database, `update apikiln_outbox set due = created where position = 2`);
    await (await outboxOf([note()], { keys: { OUTBOX_KEY: 'n'.repeat(32) } })).deliver();
    expect(await states()).toEqual([
      ['sent', 1, null],
      ['failed', 1, 'no OUTBOX_KEY decrypts it'],
    ]);
  });
});
