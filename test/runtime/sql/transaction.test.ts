/** Transactions on real servers. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { callOperation } from '../../../runtime/references/reference.js';
import { fail, isFailure, ServiceError, type Failure, type Reply } from '../../../runtime/handler/reply.js';
import { reply } from '../../../runtime/responses/reply.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { value } from '../../../runtime/sql/in-lists.js';
import { sql } from '../../../runtime/sql/sql-template.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

const site = { operation: 'POST /test', fulfillment: 'step' };
const insertText = sql`insert into entry (id) values (${value})`;

/** Inserts one row into `entry`. */
function insert(datasource: DatabaseDatasource, call: Call, id: Json): Promise<Row[]> {
  return datasource.update({ ...site, sql: insertText })(call, [id]);
}

function query(datasource: DatabaseDatasource, call: Call, text: string): Promise<Row[]> {
  return datasource.read({ ...site, sql: text })(call, []);
}

async function errorOf(run: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw new Error('no ServiceError', { cause: error });
}

/** Statements that leave state in a session, and a statement that would detect it. */
const ofPostgres = {
  leave: [
    'create temp table entry (id int)',
    'select pg_advisory_lock(5)',
    "select set_config('app.tenant', 'a', 1 = 0)",
  ],
  look: `select (select count(*)::int from entry) as entries, current_setting('app.tenant', true) as tenant,
      exists (select from pg_locks where locktype = 'advisory')::int as locked`,
  remember: `create or replace function remember(who text) returns text language plpgsql as $$ begin
      create temp table if not exists scratch (id int);
      perform pg_advisory_lock(6);
      return set_config('app.tenant', who, false);
    end $$`,
  limit: "select extract(epoch from current_setting('statement_timeout')::interval)::int * 1000 as limited",
};

const kinds = [
  {
    name: 'PostgreSQL',
    shared: sharedPostgres,
    make: postgres,
    options: '',
    session: 'select pg_backend_pid() as id',
    ...ofPostgres,
    end: (id: Json) => `select pg_terminate_backend(${Number(id)})`,
    sleep: (seconds: number) => `select pg_sleep(${seconds})`,
  },
  {
    name: 'PostgreSQL with prepareThreshold=0',
    shared: sharedPostgres,
    make: postgres,
    options: '?prepareThreshold=0',
    session: 'select pg_backend_pid() as id',
    ...ofPostgres,
    end: (id: Json) => `select pg_terminate_backend(${Number(id)})`,
    sleep: (seconds: number) => `select pg_sleep(${seconds})`,
  },
  {
    name: 'MariaDB',
    shared: sharedMariadb,
    make: mysql,
    options: '',
    session: 'select connection_id() as id',
    leave: ['create temporary table entry (id int)', "set @tenant = 'a'", "select get_lock('job', 0)"],
    look: `select (select count(*) from entry) as entries, @tenant as tenant, is_used_lock('job') is not null as locked`,
    remember: `create or replace function remember(who text) returns text begin
      declare got int;
      set @tenant = who;
      set got = get_lock('job', 0);
      return who;
    end`,
    limit: 'select cast(@@max_statement_time * 1000 as int) as limited',
    end: (id: Json) => `kill ${Number(id)}`,
    sleep: (seconds: number) => `select sleep(${seconds}) as s`,
  },
];

/** Returns the reply, or throws the exception. */
function endWith(end: Reply | Failure): Reply {
  if (isFailure(end)) throw end;
  return end;
}

describe.each(kinds)('$name', (kind) => {
  const { name, shared, make, options, session, leave, look, remember, limit, end, sleep } = kind;
  const database = `transactions${name.replaceAll(/\W/g, '').toLowerCase()}`;
  let server: AttachedServer;
  let proxy: Proxy;
  let opened: DatabaseDatasource[] = [];

  beforeAll(async () => {
    server = await shared();
    proxy = await startProxy(server.port);
    await server.createDatabase(database);
    await server.exec(database, 'create table entry (id int primary key)');
  });

  afterEach(async () => {
    proxy.heal();
    await Promise.all(opened.map((datasource) => datasource.close(performance.now() + 500)));
    opened = [];
    await server.exec(database, 'delete from entry');
  });

  afterAll(() => proxy.close());

  function open(max: number, poolWait?: number): DatabaseDatasource {
    const datasource = make({ name: 'bank', pool: { max } });
    const url = server.jdbcUrl(database).replace(/:\d+/, `:${proxy.port}`) + options;
    datasource.open({ url, user: server.user, password: server.password, poolWait });
    opened.push(datasource);
    return datasource;
  }

  /** The rows visible to another session. */
  async function entries(): Promise<unknown[]> {
    const rows = await server.exec(database, 'select id from entry order by id');
    return rows.map(({ id }) => id);
  }

  test.each(['committed', 'rolled back'])(
    'what one leaves in its session nobody finds there: %s',
    async (how) => {
      // All calls use the same connection.
      const bank = open(1);
      let id = 0;
      const found = async () => (await query(bank, testCall(), look))[0];
      const here = async () => (await query(bank, testCall(), session))[0]?.['id'];
      const run = (call: Call) =>
        inTransaction(call, async (inside) => {
          await insert(bank, inside, (id += 1));
          for (const text of leave)
            await bank.update({ ...site, sql: text, changesSession: true })(inside, []);
          const left = (await query(bank, inside, look))[0];
          return endWith(how === 'committed' ? reply(200, left) : fail(409, JSON.stringify(left)));
        });
      const before = await here();
      expect(before).toBe(await here());
      for (const entriesNow of how === 'committed' ? [1, 2] : [0, 0]) {
        if (how === 'committed')
          expect((await run(testCall())).body).toMatchObject({ tenant: 'a', locked: 1 });
        else await expect(run(testCall())).rejects.toMatchObject({ status: 409 });
        // The server needs a moment to end a session.
        await expect.poll(found).toEqual({ entries: entriesNow, tenant: null, locked: 0 });
      }
      expect(await here()).not.toBe(before);
    },
  );

  test.runIf(options === '')(
    'what a function of the database leaves in its session is cleaned, and the connection is kept',
    async () => {
      const bank = open(1);
      await server.exec(database, remember);
      const found = async () => (await query(bank, testCall(), look))[0];
      const here = async () => (await query(bank, testCall(), session))[0]?.['id'];
      const call = bank.update({ ...site, sql: "select remember('a') as told", runsUnknownCode: true });
      const before = await here();
      for (const round of [1, 2]) {
        await call(testCall(), []);
        expect((await found())?.['tenant'] ?? '', `outside, ${round}`).toBe('');
        const inside = await inTransaction(testCall(), async (inner) => {
          await call(inner, []);
          return reply(200, (await query(bank, inner, look))[0] ?? null);
        });
        expect(inside.body).toMatchObject({ tenant: 'a', locked: 1 });
        const after = await found();
        expect([after?.['tenant'] ?? '', after?.['locked']]).toEqual(['', 0]);
        // The session setting has been restored.
        expect(await query(bank, testCall(), limit)).toEqual([{ limited: 30_000 }]);
        await expect(insert(bank, testCall(), round)).resolves.toBeDefined();
      }
      expect(await here()).toBe(before);
    },
  );

  test('a reply commits: before it nobody else sees anything, afterwards all of it', async () => {
    const bank = open(2);
    const result = await inTransaction(testCall(), async (call) => {
      await insert(bank, call, 1);
      await insert(bank, call, 2);
      expect(await query(bank, call, 'select id from entry order by id')).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await entries()).toEqual([]);
      return reply(404, 'of a response');
    });
    expect(result).toEqual(reply(404, 'of a response'));
    expect(await entries()).toEqual([1, 2]);
  });

  test('an operation without a response commits', async () => {
    const bank = open(1);
    await inTransaction(testCall(), async (call) => {
      await insert(bank, call, 1);
      return undefined;
    });
    expect(await entries()).toEqual([1]);
  });

  test('without a statement no connection is used', async () => {
    open(1);
    const made = proxy.connections();
    expect(await inTransaction(testCall(), () => Promise.resolve(reply(200)))).toEqual(reply(200));
    expect(proxy.connections()).toBe(made);
  });

  test('an exception rolls back, and is passed on', async () => {
    const bank = open(1);
    const result = inTransaction(testCall(), async (call) => {
      await insert(bank, call, 1);
      throw fail(409, 'Not enough');
    });
    await expect(result).rejects.toEqual(fail(409, 'Not enough'));
    expect(await entries()).toEqual([]);
    expect(await query(bank, testCall(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('whatever is thrown rolls back', async () => {
    const bank = open(1);
    const run = inTransaction(testCall(), async (call) => {
      await insert(bank, call, 1);
      throw new TypeError('our own mistake');
    });
    await expect(run).rejects.toThrow('our own mistake');
    expect(await entries()).toEqual([]);
  });

  test('a statement that the database refuses rolls back, and nothing runs after it', async () => {
    const bank = open(1);
    const error = await errorOf(
      inTransaction(testCall(), async (call) => {
        await insert(bank, call, 1);
        await insert(bank, call, 1).catch(() => undefined);
        await insert(bank, call, 2).catch(() => undefined);
        return reply(200);
      }),
    );
    expect(error).toMatchObject({ status: 409, details: { log: { datasource: 'bank' } } });
    expect(await entries()).toEqual([]);
    expect(await query(bank, testCall(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('called operations and transactions inside of it belong to it; one connection is enough', async () => {
    const bank = open(1);
    const inner = (call: Call) =>
      inTransaction(call, async (joined) => {
        await insert(bank, joined, 2);
        return reply(204);
      });
    const run = (response: Reply | Failure) =>
      inTransaction(testCall(), async (call) => {
        await insert(bank, call, 1);
        await callOperation(call, inner, { parameters: { id: 2 } });
        return endWith(response);
      });
    await expect(run(fail(409, 'no'))).rejects.toEqual(fail(409, 'no'));
    expect(await entries()).toEqual([]);
    await run(reply(200));
    expect(await entries()).toEqual([1, 2]);
  });

  test('statements that are sent at the same time run one after the other on one connection', async () => {
    const bank = open(3);
    const ids = await inTransaction(testCall(), async (call) => {
      const statements = [1, 2, 3, 4].map((id) => insert(bank, call, id));
      const sessions = [1, 2].map(() => query(bank, call, session));
      await Promise.all(statements);
      expect(await entries()).toEqual([]);
      const [first, second] = await Promise.all(sessions);
      expect(first).toEqual(second);
      return reply(200, 'done');
    });
    expect(ids.body).toBe('done');
    expect(await entries()).toEqual([1, 2, 3, 4]);
  });

  test('when one of them fails, later ones no longer run', async () => {
    const bank = open(2);
    const run = inTransaction(testCall(), async (call) => {
      await Promise.all([1, 2, 1, 3, 4].map((id) => insert(bank, call, id)));
      return reply(200);
    });
    expect((await errorOf(run)).status).toBe(409);
    expect(await entries()).toEqual([]);
  });

  test('a client that goes away ends it before the next statement, or before the commit', async () => {
    const bank = open(1);
    for (const statementsBefore of [1, 2]) {
      let proceeds = true;
      const outer: Call = {
        ...testCall(),
        proceed: () => {
          if (!proceeds) throw new ServiceError(499, 'gone');
        },
      };
      const run = inTransaction(outer, async (call) => {
        await insert(bank, call, 1);
        if (statementsBefore === 1) proceeds = false;
        await insert(bank, call, 2);
        proceeds = false;
        return reply(200);
      });
      expect((await errorOf(run)).status).toBe(499);
      expect(await entries()).toEqual([]);
    }
  });

  test('the deadline of the call ends it: 504, nothing of it is there, and its connection is not used again', async () => {
    const bank = open(1);
    let before: Row[] = [];
    await query(bank, testCall(), 'select 1 as one');
    const run = inTransaction(testCall(1000), async (call) => {
      before = await query(bank, call, session);
      await insert(bank, call, 1);
      await query(bank, call, sleep(3));
      return reply(200);
    });
    expect((await errorOf(run)).status).toBe(504);
    expect(await query(bank, testCall(), session)).not.toEqual(before);
    await delay(1000);
    expect(await entries()).toEqual([]);
  });

  /** Ends the session, and waits until its client must have noticed. */
  async function kill(id: Json): Promise<void> {
    const ended = proxy.ended();
    await server.exec(database, end(id));
    await expect.poll(() => proxy.ended()).toBeGreaterThan(ended);
    // Wait until the end, which has been sent, arrives in this process.
    await delay(50);
  }

  test('a connection that is killed between two statements: 503, nothing of it is there', async () => {
    const bank = open(2);
    const run = inTransaction(testCall(), async (call) => {
      await insert(bank, call, 1);
      const [row] = await query(bank, call, session);
      await kill(row?.['id'] ?? null);
      await insert(bank, call, 2);
      return reply(200);
    });
    expect((await errorOf(run)).status).toBe(503);
    expect(await entries()).toEqual([]);
  });

  test('a connection that is killed before COMMIT: 503, and it is known that nothing was committed', async () => {
    const bank = open(2);
    const run = inTransaction(testCall(), async (call) => {
      await insert(bank, call, 1);
      const [row] = await query(bank, call, session);
      await kill(row?.['id'] ?? null);
      return reply(200);
    });
    const error = await errorOf(run);
    expect(error.status).toBe(503);
    expect(error.details.log?.['reason']).toContain('nothing was committed');
    expect(await entries()).toEqual([]);
  });

  test.each(['black hole', 'reset'])(
    'a COMMIT without a result (%s): 500, and the log has unknown',
    async (fault) => {
      const bank = open(1);
      await query(bank, testCall(), 'select 1 as one');
      const run = inTransaction(testCall(2500), async (call) => {
        await insert(bank, call, 1);
        if (fault === 'reset') proxy.resetOnUse();
        else proxy.blackHole();
        return reply(200);
      });
      const error = await errorOf(run);
      expect(error).toMatchObject({ status: 500, message: 'It is unknown whether the change was made' });
      expect(error.details.retryAfter).toBeUndefined();
      expect(error.details.log).toMatchObject({ datasource: 'bank' });
      expect(error.details.log?.['reason']).toContain('unknown whether the transaction was committed');
      proxy.heal();
      expect(await query(bank, testCall(), 'select 1 as one')).toEqual([{ one: 1 }]);
    },
  );

  test('connections that died while idle are replaced before anything has happened', async () => {
    const bank = open(2);
    await Promise.all([1, 2].map(() => query(bank, testCall(), sleep(0.05))));
    proxy.reset();
    await inTransaction(testCall(), async (call) => {
      await insert(bank, call, 1);
      return reply(200);
    });
    expect(await entries()).toEqual([1]);
  });

  test('nothing is retried in a transaction, READs neither', async () => {
    const bank = open(2);
    const retried = bank.read({ ...site, sql: 'select 1 as one' });
    const run = inTransaction(testCall(), async (call) => {
      await retried(call, []);
      proxy.reset();
      await retried(call, []);
      return reply(200);
    });
    expect((await errorOf(run)).status).toBe(503);
  });

  test('200 at a time on 5 connections all end, with the result or with 503, and nothing is half done', async () => {
    const bank = open(5, 100_000);
    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        inTransaction(testCall(120_000), async (call) => {
          await insert(bank, call, 2 * index);
          await insert(bank, call, 2 * index + 1);
          return endWith(index % 7 === 0 ? fail(409, 'no') : reply(200));
        }).then(
          ({ status }) => status,
          (error: unknown) => (error instanceof ServiceError || isFailure(error) ? error.status : 0),
        ),
      ),
    );
    expect(statuses.filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(80);
    const there = statuses.flatMap((status, index) => (status === 200 ? [2 * index, 2 * index + 1] : []));
    expect(await entries()).toEqual(there);
    await Promise.all([1, 2, 3, 4, 5].map(() => query(bank, testCall(), 'select 1 as one')));
  });

  test('a deadlock ends one of the two as it does elsewhere, 503 with Retry-After, and leaves nothing of it', async () => {
    const bank = open(2);
    await server.exec(database, 'insert into entry values (1), (2)');
    const change = bank.update({ ...site, sql: sql`update entry set id = id where id = ${value}` });
    const gate = new EventEmitter();
    const both = Promise.all([once(gate, '1'), once(gate, '2')]);
    const run = ([own, other]: readonly [number, number], mark: number) =>
      inTransaction(testCall(), async (call) => {
        await insert(bank, call, mark);
        await change(call, [own]);
        // Each transaction locks its own row before it requests the other one.
        gate.emit(String(own));
        await both;
        await change(call, [other]);
        return reply(200);
      });
    const [first, second] = await Promise.allSettled([run([1, 2], 10), run([2, 1], 20)]);
    const failed = [first, second].filter((result) => result.status === 'rejected');
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toMatchObject({ status: 503, details: { retryAfter: 1 } });
    expect(await entries()).toEqual([1, 2, first.status === 'fulfilled' ? 10 : 20]);
  });
});

describe('PostgreSQL', () => {
  let server: AttachedServer;
  let bank: DatabaseDatasource;

  beforeAll(async () => {
    server = await sharedPostgres();
    await server.createDatabase('transactionspg');
    await server.exec(
      'transactionspg',
      `create table entry (id int primary key);
       create table late (id int, unique (id) deferrable initially deferred)`,
    );
    bank = postgres({ name: 'bank', pool: { max: 1 } });
    bank.open({ url: server.jdbcUrl('transactionspg'), user: server.user, password: server.password });
  });

  afterAll(() => bank.close(performance.now() + 1000));

  test('a COMMIT that the server refuses is its error: 409, nothing is there', async () => {
    const late = bank.update({ ...site, sql: 'insert into late values (1), (1)' });
    const run = inTransaction(testCall(), async (call) => {
      await insert(bank, call, 1);
      await late(call, []);
      return reply(200);
    });
    const error = await errorOf(run);
    expect(error).toMatchObject({ status: 409, details: { log: { datasource: 'bank', code: '23505' } } });
    expect(await query(bank, testCall(), 'select * from entry')).toEqual([]);
  });

  test('MERGE … RETURNING that the server does not know leaves the transaction whole', async () => {
    const merge =
      'merge into entry e using (select $1::int as id) s on e.id = s.id when not matched then insert values (s.id)';
    const statement = bank.update({
      ...site,
      sql: merge,
      returning: 'returning *',
    });
    for (const id of [10, 20]) {
      await inTransaction(testCall(), async (call) => {
        await insert(bank, call, id);
        await statement(call, [id + 1]);
        return reply(200);
      });
    }
    expect(await query(bank, testCall(), 'select id from entry where id >= 10 order by id')).toEqual(
      [10, 11, 20, 21].map((id) => ({ id })),
    );
  });

  test('a table that changes between two transactions harms neither', async () => {
    const all = bank.read({ ...site, sql: 'select * from changing' });
    await server.exec('transactionspg', 'create table changing (a int); insert into changing values (1)');
    const run = () => inTransaction(testCall(), async (call) => reply(200, await all(call, [])));
    expect((await run()).body).toEqual([{ a: 1 }]);
    expect(await all(testCall(), [])).toEqual([{ a: 1 }]);
    await server.exec('transactionspg', 'alter table changing alter a type text, add b int');
    expect((await run()).body).toEqual([{ a: '1', b: null }]);
  });

  test.each(['before a statement', 'before COMMIT'])(
    'a transaction that the server ends because it was idle is 503, and the log has the reason: %s',
    async (when) => {
      const idle = postgres({ name: 'idle' });
      const url = server.jdbcUrl('transactionspg');
      await server.exec(
        'transactionspg',
        "alter database transactionspg set idle_in_transaction_session_timeout = '100ms'",
      );
      idle.open({ url, user: server.user, password: server.password });
      const run = inTransaction(testCall(), async (call) => {
        await insert(idle, call, 77);
        const [row] = await query(idle, call, 'select pg_backend_pid() as id');
        const there = `select 1 from pg_stat_activity where pid = ${Number(row?.['id'])}`;
        await expect.poll(() => server.exec('transactionspg', there)).toEqual([]);
        // Wait until the end, which has been sent, arrives in this process.
        await delay(50);
        if (when === 'before a statement') await insert(idle, call, 78);
        return reply(204);
      });
      const error = await errorOf(run);
      expect(error).toMatchObject({ status: 503, details: { retryAfter: 1, log: { code: '25P03' } } });
      expect(error.details.log?.['reason']).toContain('idle_in_transaction_session_timeout');
      await server.exec(
        'transactionspg',
        'alter database transactionspg reset idle_in_transaction_session_timeout',
      );
      expect(await query(bank, testCall(), 'select id from entry where id in (77, 78)')).toEqual([]);
      await idle.close(performance.now() + 1000);
    },
  );

  test('behind a pooler the server knows the time limit of the statements', async () => {
    const pooled = postgres({ name: 'pooled', timeout: 7 });
    const url = `${server.jdbcUrl('transactionspg')}?prepareThreshold=0`;
    pooled.open({ url, user: server.user, password: server.password });
    const limit = (call: Call) => query(pooled, call, "select current_setting('statement_timeout') as t");
    const inside = await inTransaction(testCall(), async (call) => reply(200, await limit(call)));
    expect(inside.body).toEqual([{ t: '7s' }]);
    expect(await limit(testCall())).toEqual([{ t: '0' }]);
    await pooled.close(performance.now() + 1000);
  });
});

describe('two datasources', () => {
  let servers: { pg: AttachedServer; maria: AttachedServer };
  let one: DatabaseDatasource;
  let two: DatabaseDatasource;

  beforeAll(async () => {
    servers = { pg: await sharedPostgres(), maria: await sharedMariadb() };
    one = mysql({ name: 'one' });
    two = postgres({ name: 'two' });
    for (const [server, datasource] of [
      [servers.maria, one],
      [servers.pg, two],
    ] as const) {
      await server.createDatabase('transactionsboth');
      const late = server === servers.pg ? 'unique (id) deferrable initially deferred' : 'unique (id)';
      await server.exec('transactionsboth', `create table entry (id int, ${late})`);
      const { user, password } = server;
      datasource.open({ url: server.jdbcUrl('transactionsboth'), user, password });
    }
  });

  afterAll(() => Promise.all([one, two].map((datasource) => datasource.close(performance.now() + 1000))));

  const rows = async () => {
    const [maria, pg] = await Promise.all(
      [servers.maria, servers.pg].map((server) =>
        server.exec('transactionsboth', 'select id from entry order by id'),
      ),
    );
    return { one: maria?.map(({ id }) => id), two: pg?.map(({ id }) => id) };
  };

  test('both are rolled back, or both committed', async () => {
    const run = (response: Reply | Failure) =>
      inTransaction(testCall(), async (call) => {
        await insert(one, call, 1);
        await insert(two, call, 2);
        return endWith(response);
      });
    await expect(run(fail(409, 'no'))).rejects.toEqual(fail(409, 'no'));
    expect(await rows()).toEqual({ one: [], two: [] });
    await run(reply(200));
    expect(await rows()).toEqual({ one: [1], two: [2] });
  });

  test('the commits are one after the other: when the second is refused, the log names what is committed', async () => {
    const run = inTransaction(testCall(), async (call) => {
      await insert(one, call, 5);
      await insert(two, call, 2);
      return reply(200);
    });
    expect(await errorOf(run)).toMatchObject({
      status: 500,
      message: 'Only a part of the change is certain to have been made',
      details: { log: { datasource: 'two', code: '23505', committed: 'one' } },
    });
    expect(await rows()).toEqual({ one: [1, 5], two: [2] });
  });

  test('when the first is refused, the second is rolled back', async () => {
    const run = inTransaction(testCall(), async (call) => {
      await insert(two, call, 2);
      await insert(one, call, 6);
      return reply(200);
    });
    expect(await errorOf(run)).toMatchObject({ status: 409, details: { log: { datasource: 'two' } } });
    expect(await rows()).toEqual({ one: [1, 5], two: [2] });
  });
});
