/** Reads that share a MySQL or MariaDB connection: each gets its own result, whatever other reads, the network and proxies do. */
import { connect as connectSocket, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { readEach, startRead } from '../../../runtime/sql/reads-ahead.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startHaproxy } from '../../helpers/haproxy.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { testCall } from '../../helpers/test-call.js';
import { isShared, quickRead, statusOf, statusOfError } from './shared-reads.js';

let server: DatabaseServer;
let proxy: Proxy;
let datasource: DatabaseDatasource;
let opened: DatabaseDatasource[] = [];

beforeAll(async () => {
  // Threads are not bound to connections, so commands that have already arrived must not be overlooked.
  server = await startMariadb(['--thread-handling=pool-of-threads']);
  proxy = await startProxy(server.port);
  await server.createDatabase('pipelines');
  await server.exec('pipelines', 'create table thing (id int primary key, name text)');
  await server.exec('pipelines', "insert into thing select seq, concat('thing ', seq) from seq_1_to_500");
});

beforeEach(() => {
  datasource = open();
});

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close(performance.now())));
  await proxy.close();
  await server.stop();
});

function open(options = '', port = proxy.port, warn?: (warning: string) => void): DatabaseDatasource {
  const made = mysql({ name: 'shared' });
  const url = server.jdbcUrl('pipelines').replace(/:\d+/, `:${port}`) + options;
  made.open({ url, user: server.user, password: server.password }, warn);
  opened = [...opened, made];
  return made;
}

function reading(sql: string): Statement {
  return datasource.read({ operation: 'GET /x', fulfillment: 'x', sql });
}

/** A statement that always uses an exclusive connection. */
function alone(sql: string): Statement {
  return datasource.update({ operation: 'GET /x', fulfillment: 'x', sql });
}

function quick(sql: string, values: readonly (string | number)[]): Promise<Statement> {
  return quickRead(datasource, sql, values);
}

const byId = 'select id, name from thing where id = ?';
const sleeping = 'select id, sleep(? / 1000) as slept from thing where id = 1';

const rowOf = (id: number) => [{ id, name: `thing ${id}` }];
const first = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The sessions of shared connections. */
async function sharedSessions(): Promise<string[]> {
  const rows = await server.exec(
    'pipelines',
    "select id from information_schema.processlist where db = 'pipelines' and id <> connection_id()",
  );
  return rows.map(({ id }) => String(id));
}

test('each of many reads at a time gets its own result, over no more connections than the pool has', async () => {
  const made = proxy.connections();
  const statement = await quick(byId, [1]);
  const rows = await Promise.all(first(120).map((id) => statement(testCall(), [id])));
  expect(rows).toEqual(first(120).map(rowOf));
  expect(proxy.connections() - made).toBeLessThanOrEqual(10);
});

test('statements of all lengths, with many rows, none, and long values among each other', async () => {
  const statement = await quick(byId, [1]);
  const list = await quick('select id from thing where id <= ? order by id', [1]);
  const long = await quick("select repeat('x', ?) as text, ? as given", [1, 'y']);
  const runs = first(30).map(async (id) => {
    const given = 'é'.repeat(id * 1000);
    const responses = await Promise.all([
      statement(testCall(), [id]),
      list(testCall(), [id * 10]),
      long(testCall(), [id * 3000, given]),
      statement(testCall(), [id + 1000]),
    ]);
    expect(responses).toEqual([
      rowOf(id),
      first(id * 10).map((row) => ({ id: row })),
      [{ text: 'x'.repeat(id * 3000), given }],
      [],
    ]);
  });
  await Promise.all(runs);
});

test('one that fails fails alone, before or after its first row', async () => {
  const statement = await quick('select id from thing where id = (select id from thing where id <= ?)', [1]);
  const late = await quick(
    'select id, (select id from thing as other where other.id <= if(thing.id < ?, 1, 9)) as one from thing where id < 5 order by id',
    [5],
  );
  const results = await Promise.allSettled([
    ...[1, 9, 1].map((value) => statement(testCall(), [value])),
    ...[5, 3, 5].map((value) => late(testCall(), [value]).then((rows) => rows.length)),
    ...[1, 9, 1].map((value) => statement(testCall(), [value])),
  ]);
  expect(
    results.map((result) => (result.status === 'fulfilled' ? result.value : statusOfError(result.reason))),
  ).toEqual([[{ id: 1 }], 500, [{ id: 1 }], 4, 500, 4, [{ id: 1 }], 500, [{ id: 1 }]]);
});

test('a value that cannot be bound fails the one that has it', async () => {
  const statement = await quick(byId, [1]);
  const runs = [1, '\ud800', 2].map((value) => statement(testCall(), [value]));
  const results = await Promise.allSettled(runs);
  expect(
    results.map((result) => (result.status === 'fulfilled' ? result.value : statusOfError(result.reason))),
  ).toEqual([rowOf(1), 400, rowOf(2)]);
});

test('one that turns out slow holds nobody up for long, and is not trusted again soon', async () => {
  const attempt = async () => {
    const statement = await quick(byId, [1]);
    const sleepy = await quick(sleeping, [0]);
    const ended: string[] = [];
    const note = async (name: string, run: Promise<unknown>) => {
      await run;
      ended.push(name);
    };
    const slow = note('slow', sleepy(testCall(), [1500]));
    await delay(100);
    await note('other', statement(testCall(), [2]));
    await slow;
    return { ended, trusted: [sleepy, statement].map(isShared) };
  };
  // On a busy machine, the other statement may be slow as well.
  await expect.poll(attempt).toEqual({ ended: ['other', 'slow'], trusted: [false, true] });
});

describe('deadlines', () => {
  const running = () =>
    server.exec(
      'pipelines',
      "select id from information_schema.processlist where info like '%sleep(%1000)%' and info not like '%processlist%'",
    );

  test('one ends a slow statement, and statements queued after it run elsewhere', async () => {
    const statement = await quick(byId, [1]);
    const sleepy = await quick(sleeping, [0]);
    const slow = statusOf(sleepy(testCall(400), [20_000]));
    const behind = Promise.all([3, 4, 5].map((id) => statement(testCall(), [id])));
    expect(await slow).toBe(504);
    expect(await behind).toEqual([3, 4, 5].map(rowOf));
    await expect.poll(running).toEqual([]);
  });

  test('whatever is ended, it is never a neighbour: each gets its own result', async () => {
    const statement = await quick(byId, [1]);
    for (let round = 0; round < 15; round += 1) {
      const sleepy = await quick(sleeping, [0]);
      // The deadline passes at about the time when the statement ends, so the request to cancel it may arrive too late.
      const slow = statusOf(sleepy(testCall(20 + round), [20 + round]));
      const neighbours = first(25).map((id) => statement(testCall(), [id]));
      expect(await Promise.all(neighbours)).toEqual(first(25).map(rowOf));
      // 503 if the statement waited for an exclusive connection.
      expect([200, 503, 504]).toContain(await slow);
    }
    await expect.poll(running).toEqual([]);
  });

  test('one whose time is over while it waits for another is 504, and the other gets its result', async () => {
    const statement = await quick(byId, [1]);
    const sleepy = await quick(sleeping, [0]);
    const slow = sleepy(testCall(), [600]);
    const behind = [6, 7, 8, 9].map((id) => statusOf(statement(testCall(30), [id])));
    expect(await Promise.all(behind)).toContain(504);
    expect(await slow).toEqual([{ id: 1, slept: 0 }]);
  });
});

test('statements sent after one that waits for a lock run elsewhere long before it ends', async () => {
  await server.exec('pipelines', 'create table locked (id int); insert into locked values (1)');
  const locked = await quick('select id from locked where id = ?', [1]);
  const statement = await quick(byId, [1]);
  const lock = server
    .exec('pipelines', 'lock tables locked write; select sleep(60); unlock tables')
    .catch(() => []);
  await expect
    .poll(() =>
      server.exec(
        'pipelines',
        "select 1 from information_schema.processlist where info like 'select sleep(60)%'",
      ),
    )
    .toHaveLength(1);
  const ended: string[] = [];
  const waiting = locked(testCall(60_000), [1]).then(() => ended.push('locked'));
  const others = first(40).map((id) => statement(testCall(), [id]));
  await Promise.all(others).then(() => ended.push('others'));
  const [session] = await server.exec(
    'pipelines',
    "select id from information_schema.processlist where info like 'select sleep(60)%'",
  );
  await server.exec('pipelines', `kill ${Number(session?.['id'])}`);
  await Promise.all([waiting, lock]);
  expect(ended).toEqual(['others', 'locked']);
});

describe('the network and the server', () => {
  test('all that is under way when the connections are cut runs again, and is right', async () => {
    const statement = await quick(byId, [1]);
    const runs = first(60).map((id) => statement(testCall(), [id]));
    proxy.reset();
    expect(await Promise.all(runs)).toEqual(first(60).map(rowOf));
  });

  test.each([1, 30, 200, 700, 3000])(
    'a connection that is cut %i bytes later loses no read',
    async (bytes) => {
      const statement = await quick(byId, [1]);
      // All connections are open: if one is cut while it is opened, statements that wait for it get 503.
      const slow = alone('select sleep(0.1) as slept');
      for (const direction of ['to server', 'to client'] as const) {
        await Promise.all(first(8).map(() => slow(testCall(), [])));
        const cuts = proxy.cuts();
        proxy.cutAfter(bytes, direction);
        const rows = await Promise.all(first(40).map((id) => statement(testCall(), [id])));
        expect(rows).toEqual(first(40).map(rowOf));
        // A second cut could hit a read that was already hit by this one.
        while (proxy.cuts() === cuts) expect(await statement(testCall(), [1])).toEqual(rowOf(1));
        await quick(byId, [1]);
      }
    },
  );

  test('a session that is killed with 16 statements under way loses no read', async () => {
    const statement = await quick(byId, [1]);
    const slower = await quick('select id, name, sleep(0.002) as slept from thing where id = ?', [1]);
    for (const command of ['kill', 'kill query']) {
      const runs = first(16).map((id) => (id % 4 === 0 ? slower : statement)(testCall(), [id]));
      // Only one connection is killed: a read whose second connection is killed as well ends with 503.
      const [id = ''] = await sharedSessions();
      await server.exec('pipelines', `${command} ${id}`).catch(() => []);
      const rows = await Promise.allSettled(runs);
      for (const [index, result] of rows.entries()) {
        // If the administrator kills only a statement but not its connection, the statement fails with that error.
        if (result.status === 'rejected')
          expect([command, statusOfError(result.reason), String(result.reason)]).toEqual([
            'kill query',
            504,
            expect.anything(),
          ]);
        else expect(result.value).toMatchObject(rowOf(index + 1));
      }
    }
  });

  test('an unexpected packet of the server ends the connection, and no read', async () => {
    const statement = await quick(byId, [1]);
    // Like MySQL after a session was idle for too long.
    const farewell = Buffer.from('#HY000The client was disconnected');
    const packet = Buffer.concat([Buffer.from([farewell.length + 3, 0, 0, 0, 0xff, 0xbf, 0x0f]), farewell]);
    for (let round = 0; round < 5; round += 1) {
      const runs = first(30).map((id) => statement(testCall(), [id]));
      proxy.inject(packet);
      expect(await Promise.all(runs)).toEqual(first(30).map(rowOf));
      await quick(byId, [1]);
    }
  });

  test('a black hole: 504 or 503 within the deadline, and all is well as soon as the network is', async () => {
    const statement = await quick(byId, [1]);
    // A connection attempt would not notice the end of the black hole, so the exclusive connection is opened first.
    await alone('select 1 as one')(testCall(), []);
    proxy.blackHole();
    const statuses = await Promise.all(first(30).map(() => statusOf(statement(testCall(400), [1]))));
    proxy.heal();
    expect(statuses.every((status) => status === 503 || status === 504)).toBe(true);
    for (let times = 0; times < 10; times += 1) expect(await statement(testCall(), [7])).toHaveLength(1);
  });

  test('a restart of the server fails no read, and the reads share connections again', async () => {
    const statement = await quick(byId, [1]);
    await server.restart('immediate');
    const runs = first(40).map(() => statusOf(statement(testCall(), [1])));
    expect(new Set(await Promise.all(runs))).toEqual(new Set([200]));
    await quick(byId, [1]);
  });
});

describe('prepared statements', () => {
  const count = async (): Promise<number> => {
    const [row] = await server.exec('mysql', "show global status like 'Prepared_stmt_count'");
    return Number(row?.['Value']);
  };

  test('a table that has changed returns its new columns', async () => {
    await server.exec('pipelines', 'create table moving (id int); insert into moving values (1)');
    const statement = await quick('select * from moving where id = ?', [1]);
    const ask = () => Promise.all([1, 1, 1].map((id) => statement(testCall(), [id])));
    const change = (sql: string) => server.exec('pipelines', `alter table moving ${sql}`);
    await change("add column added text default 'new'");
    expect(await ask()).toEqual(first(3).map(() => [{ id: 1, added: 'new' }]));
    await change('modify column id varchar(10)');
    expect(await ask()).toEqual(first(3).map(() => [{ id: '1', added: 'new' }]));
    await change('drop column added');
    expect(await ask()).toEqual(first(3).map(() => [{ id: '1' }]));
  });

  test('no more than 256 are kept on each connection', async () => {
    await quick(byId, [1]);
    const before = await count();
    const statements = first(600).map((n) => reading(`select ${n} as n, ? as v`));
    for (let round = 0; round < 6; round += 1) {
      for (const [index, statement] of statements.entries())
        expect(await statement(testCall(), ['x'])).toEqual([{ n: index + 1, v: 'x' }]);
    }
    const rows = await Promise.all(statements.map((statement) => statement(testCall(), ['y'])));
    expect(rows).toEqual(first(600).map((n) => [{ n, v: 'y' }]));
    expect((await count()) - before).toBeLessThanOrEqual(10 * 256);
  });

  test('a server without capacity for another one gets that of the others back', async () => {
    const statement = await quick(byId, [1]);
    await server.exec('mysql', `set global max_prepared_stmt_count = ${(await count()) + 1}`);
    try {
      for (const n of first(30)) {
        const other = reading(`select ${n} as room, ? as v`);
        for (let times = 0; times < 5; times += 1)
          expect(await other(testCall(), ['x'])).toEqual([{ room: n, v: 'x' }]);
        expect(await statement(testCall(), [n])).toEqual(rowOf(n));
      }
    } finally {
      await server.exec('mysql', 'set global max_prepared_stmt_count = 16382');
    }
  });

  test('one that the server has lost is prepared again', async () => {
    const statement = await quick(byId, [1]);
    // FLUSH TABLES makes the server prepare all statements again.
    await server.exec('pipelines', 'flush tables');
    const runs = first(20).map((id) => statement(testCall(), [id]));
    expect(await Promise.all(runs)).toEqual(first(20).map(rowOf));
  });
});

test('reads that are started next to each other go together, and return their rows in their order', async () => {
  const made = [
    byId,
    'select name from thing where id = ?',
    'select count(*) as n from thing where id <= ?',
  ].map((sql) => datasource.read({ operation: 'GET /x', fulfillment: 'x', sql }));
  for (const statement of made) await quickRead(datasource, byId, [1]).then(() => statement(testCall(), [1]));
  for (let round = 1; round < 20; round += 1) {
    const call = testCall();
    const started = made.map((statement) => startRead(statement, call, [round]));
    const rows = [];
    for (const read of started) rows.push(await read);
    expect(rows).toEqual([rowOf(round), [{ name: `thing ${round}` }], [{ n: round }]]);
  }
});

describe('reads of a loop, which are sent ahead', () => {
  /** A READ that is sent ahead from now on. */
  const loopRead = async (sql: string, columns?: string) => {
    const statement = datasource.read({
      operation: 'GET /x',
      fulfillment: 'x',
      sql,
      ...(columns === undefined ? {} : { columns }),
    });
    // Open the connections before running the statement.
    await quick(byId, [1]);
    await expect
      .poll(async () => {
        await Promise.all(first(4).map(() => statement(testCall(), [1])));
        return isShared(statement);
      })
      .toBe(true);
    return statement;
  };
  const hundred = first(100);

  async function looped(statement: Statement, call = testCall(), ids: readonly Json[] = hundred) {
    const found: unknown[] = [];
    for await (const [element, rows] of readEach(statement, call, ids, (id) => [id]))
      found.push([element, rows]);
    return found;
  }

  test('each element has its own rows, in the order of the loop, whatever else runs', async () => {
    const statement = await loopRead(byId);
    const loops = await Promise.all(first(8).map(() => looped(statement)));
    for (const found of loops) expect(found).toEqual(hundred.map((id) => [id, rowOf(id)]));
  });

  test('one that fails ends the loop there, and the next call gets its result', async () => {
    const statement = await loopRead('select 9223372036854775800 + cast(? as signed) as n');
    const found: unknown[] = [];
    const loop = async () => {
      for await (const [id] of readEach(statement, testCall(), hundred, (id) => [id])) found.push(id);
    };
    expect(await statusOf(loop())).toBe(400);
    expect(found).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await statement(testCall(), [3])).toEqual([{ n: '9223372036854775803' }]);
  });

  test('a loop whose time is over is 504, and leaves its connection to others', async () => {
    const statement = await loopRead('select id, sleep(? / 10000) as slept from thing where id = 1');
    expect(await statusOf(looped(statement, testCall(60)))).toBe(504);
    const other = await quick(byId, [1]);
    expect(await Promise.all(first(20).map((id) => other(testCall(), [id])))).toEqual(first(20).map(rowOf));
  });

  test('the reads of a loop see what was changed before it', async () => {
    await server.exec('pipelines', 'create table counter (n int); insert into counter values (0)');
    const statement = await loopRead('select n, ? as id from counter');
    const update = datasource.update({
      ...{ operation: 'PUT /x', fulfillment: 'x' },
      sql: 'update counter set n = n + 1',
    });
    for (let round = 1; round <= 30; round += 1) {
      const call = testCall();
      await update(call, []);
      const found = await looped(statement, call, [1, 2, 3]);
      expect(found).toEqual([1, 2, 3].map((id) => [id, [{ n: round, id: String(id) }]]));
    }
  });

  test('all that is under way when the connections are cut runs again, and is right', async () => {
    const statement = await loopRead(byId);
    const slow = alone('select sleep(0.1) as slept');
    for (let round = 0; round < 5; round += 1) {
      // All connections are open: if one is cut while it is opened, statements that wait for it get 503.
      await Promise.all(first(8).map(() => slow(testCall(), [])));
      await quick(byId, [1]);
      const loop = looped(statement);
      proxy.reset();
      expect(await loop).toEqual(hundred.map((id) => [id, rowOf(id)]));
    }
  });

  test('a statement with types to look up is not overtaken by later ones', async () => {
    const statement = await loopRead(byId, 'select id from thing');
    expect(await looped(statement)).toEqual(hundred.map((id) => [id, rowOf(id)]));
  });
});

test('closing lets what is under way finish, and takes nothing more', async () => {
  const statement = await quick(byId, [1]);
  const runs = first(30).map(() => statusOf(statement(testCall(), [1])));
  await datasource.close(performance.now() + 5000);
  expect(new Set(await Promise.all(runs))).toEqual(new Set([200]));
  expect(await statusOf(statement(testCall(), [1]))).toBe(503);
  await expect.poll(() => datasource.connections()).toEqual({ used: 0, free: 0, waiting: 0 });
});

describe('what changes data', () => {
  test('an UPDATE, and a READ that may do something, never share a connection', () => {
    const definition = { operation: 'PUT /x', fulfillment: 'x' };
    const update = datasource.update({ ...definition, sql: 'update thing set name = name where id = ?' });
    const careful = datasource.read({ ...definition, sql: "select get_lock('x', 0)", retry: false });
    expect([update, careful].map((statement) => isShared(statement))).toEqual([false, false]);
  });

  test.each(['innodb', 'aria', 'myisam'])(
    'a READ that turns out to change data (%s) does so once each time, and shares no connection from then on',
    async (engine) => {
      await server.exec(
        'pipelines',
        `create table audit_${engine} (at int) engine = ${engine};
         create function noted_${engine}() returns int modifies sql data begin insert into audit_${engine} values (1); return 1; end;
         create view audited_${engine} as select noted_${engine}() as at`,
      );
      const statement = reading(`select at from audited_${engine}`);
      for (let times = 1; times <= 20; times += 1) {
        expect(await statement(testCall(), [])).toEqual([{ at: 1 }]);
        expect(await server.exec('pipelines', `select count(*) as n from audit_${engine}`)).toEqual([
          { n: times },
        ]);
      }
      expect(isShared(statement)).toBe(false);
    },
  );
});

describe('proxies', () => {
  const warnings: string[] = [];
  const warn = (warning: string) => warnings.push(warning);
  const proxies: Server[] = [];

  beforeEach(() => {
    warnings.length = 0;
  });

  afterAll(() => {
    for (const one of proxies) one.close();
  });

  /** A protocol-aware proxy: `read` receives data from the client, and forwards it. */
  async function between(
    read: (data: Buffer, server: Socket, client: Socket) => void,
    greet = (data: Buffer) => data,
  ): Promise<number> {
    const own = createServer((client) => {
      const upstream = connectSocket(server.port, '127.0.0.1');
      let isFirst = true;
      upstream.on('data', (data) => {
        client.write(isFirst ? greet(data) : data);
        isFirst = false;
      });
      client.on('data', (data) => {
        read(data, upstream, client);
      });
      for (const [one, two] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        one.on('error', () => undefined);
        one.on('close', () => two.destroy());
      }
    });
    proxies.push(own);
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    return (own.address() as AddressInfo).port;
  }

  /** Whether the data contains more than one packet. */
  const areSeveral = (data: Buffer) => data.length > 4 + data.readUIntLE(0, 3);

  async function readsAreRight(): Promise<boolean> {
    const statement = reading(byId);
    for (let round = 0; round < 12; round += 1) {
      const rows = await Promise.all(first(20).map((id) => statement(testCall(), [id])));
      expect(rows).toEqual(first(20).map(rowOf));
      await delay(20);
    }
    return isShared(statement);
  }

  test('a proxy that ends a connection after a statement that arrives early, as ProxySQL does', async () => {
    const port = await between((data, upstream, client) => {
      if (areSeveral(data)) client.destroy();
      else upstream.write(data);
    });
    datasource = open('', port, warn);
    expect(await readsAreRight()).toBe(false);
    await expect
      .poll(async () => ((await readsAreRight()) ? ['shared'] : warnings))
      .toEqual([expect.stringContaining('Write pipelining=false')]);
  });

  test('one that loses a statement that arrives early', async () => {
    const port = await between((data, upstream) => {
      upstream.write(data.subarray(0, 4 + data.readUIntLE(0, 3)));
    });
    datasource = open('', port, warn);
    expect(await readsAreRight()).toBe(false);
  });

  test('one whose sessions are not those of the server, as those of MaxScale', async () => {
    const port = await between(
      (data, upstream) => upstream.write(data),
      (data) => {
        // The session number after the server version.
        data.writeUInt32LE(4_000_000, data.indexOf(0, 5) + 1);
        return data;
      },
    );
    datasource = open('', port, warn);
    expect(await readsAreRight()).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('a proxy before it')]);
  });

  test('a balancer of connections is none of these', async () => {
    const balancer = await startHaproxy([server.port]);
    try {
      datasource = open('', balancer.port, warn);
      await quick(byId, [1]);
      await readsAreRight();
      expect(warnings).toEqual([]);
    } finally {
      await datasource.close(performance.now() + 1000);
      await balancer.stop();
    }
  });

  test('pipelining=false: nothing is shared, and nobody asks why', async () => {
    datasource = open('?pipelining=false', undefined, warn);
    expect(await readsAreRight()).toBe(false);
    expect(warnings).toEqual([]);
  });
});
