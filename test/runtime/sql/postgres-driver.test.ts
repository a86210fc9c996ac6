/** The undocumented members of pg in use (`runtime/postgres/driver-internals.ts`): this test fails if another version changes them. */
import pg, { type Client, type Connection, type Submittable } from 'pg';
import { afterEach, beforeAll, expect, test } from 'vitest';
import {
  activeQuery,
  cancelStatement,
  countReaders,
  createClient,
  isInTransaction,
  listenToMessages,
  markAsQuery,
  pipeline,
  readResults,
  socketOf,
  watchSettings,
  wireOf,
  type Startup,
} from '../../../runtime/postgres/driver-internals.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { sharedPostgres } from '../../helpers/shared-servers.js';

let server: AttachedServer;
let opened: Client[] = [];

beforeAll(async () => {
  server = await sharedPostgres();
});

afterEach(async () => {
  await Promise.all(opened.map((client) => client.end().catch(() => undefined)));
  opened = [];
});

function make(startup: Startup = {}, more: Readonly<Record<string, unknown>> = {}): Client {
  const { host, port, user, password } = server;
  const settings = { host, port, user, password, database: 'postgres', ssl: false, ...more };
  const client = createClient(settings, startup);
  client.on('error', () => undefined);
  opened.push(client);
  return client;
}

async function connect(startup?: Startup, more?: Readonly<Record<string, unknown>>): Promise<Client> {
  const client = make(startup, more);
  await client.connect();
  return client;
}

/** A custom query that prepares and runs a statement with one parameter. */
class OwnQuery implements Submittable {
  /** Not named `rows`, which the driver treats as a limit. */
  readonly found: unknown[] = [];
  active: unknown;
  /** The number of times the driver has reported completion. */
  completed = 0;
  readonly ended: Promise<unknown>;
  private end: (error: unknown) => void = () => undefined;
  readonly callback = () => undefined;

  constructor(
    private readonly client: Client,
    readonly text: string,
    readonly values: readonly string[],
  ) {
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  submit(connection: Connection): void {
    const wire = wireOf(connection);
    wire.stream.cork();
    wire.close({ type: 'S', name: 'own' });
    wire.parse({ text: this.text, name: 'own', types: [23] });
    wire.describe({ type: 'S', name: 'own' });
    wire.bind({ statement: 'own', values: this.values });
    wire.execute({});
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription(): void {
    this.active = activeQuery(this.client);
  }

  handleDataRow({ fields }: { readonly fields: readonly unknown[] }): void {
    this.found.push(...fields);
  }

  handleCommandComplete(): void {
    this.completed += 1;
  }

  handleReadyForQuery(): void {
    this.end(undefined);
  }

  handleError(error: unknown): void {
    this.end(error);
  }
}

markAsQuery(OwnQuery);

test('what is sent while connecting is set in the session', async () => {
  const client = await connect({ options: '-c apikiln.driver=here' });
  const { rows } = await client.query("select current_setting('apikiln.driver') as set");
  expect(rows).toEqual([{ set: 'here' }]);
});

test('the socket is that of the server', async () => {
  const client = await connect();
  expect(socketOf(client).remotePort).toBe(server.port);
});

test('data that the driver cannot read ends the connection, and nothing else', async () => {
  const client = await connect();
  const running = client.query('select pg_sleep(20)');
  // A message with a two-byte body: its length field, which counts itself, is 6.
  socketOf(client).emit('data', Buffer.from([0x54, 0, 0, 0, 6, 0, 9]));
  await expect(running).rejects.toThrow(/^Connection terminated/);
  expect(socketOf(client).destroyed).toBe(true);
});

test('whether a transaction is open', async () => {
  const client = make();
  expect(isInTransaction(client)).toBeUndefined();
  await client.connect();
  expect(isInTransaction(client)).toBe(false);
  await client.query('begin');
  expect(isInTransaction(client)).toBe(true);
  await client.query('select 1 / 0').catch(() => undefined);
  expect(isInTransaction(client)).toBe(true);
  await client.query('rollback');
  expect(isInTransaction(client)).toBe(false);
});

test('settings that have changed since, until they are as they were', async () => {
  const client = make({ TimeZone: 'UTC' });
  const changed = watchSettings(client);
  await client.connect();
  changed.isOpen = true;
  await client.query("set time zone 'Asia/Tokyo'");
  expect([...changed.names]).toEqual(['TimeZone']);
  await client.query("set time zone 'UTC'");
  expect([...changed.names]).toEqual([]);
});

test('a statement is cancelled by the key of its connection', async () => {
  const client = await connect();
  const running = client.query('select pg_sleep(20.1)');
  const ended = expect(running).rejects.toMatchObject({ code: '57014' });
  const active = "select 1 from pg_stat_activity where query = 'select pg_sleep(20.1)' and state = 'active'";
  await expect.poll(() => server.exec('postgres', active)).toHaveLength(1);
  await cancelStatement(client, false);
  await ended;
});

test('a query of one’s own sends its messages, and hears of those that the driver ignores', async () => {
  const client = await connect();
  const heard: unknown[] = [];
  listenToMessages(
    client,
    () => heard.push('bound'),
    (types) => heard.push(types),
  );
  const query = client.query(new OwnQuery(client, 'select $1 + 1 as next', ['41']));
  expect(await query.ended).toBeUndefined();
  expect([query.found, heard]).toEqual([['42'], [[23], 'bound']]);
  expect(query.active).toBe(query);
});

test('messages of a result go as bytes to their reader and not through the driver, while a query counts as one that reads them', async () => {
  const client = await connect();
  const taken: string[] = [];
  const heard: string[] = [];
  listenToMessages(
    client,
    () => heard.push('the driver: bound'),
    () => undefined,
  );
  class Reading extends OwnQuery {
    constructor(
      private readonly counts: boolean,
      value: string,
    ) {
      super(client, 'select $1 + n as next, null from generate_series(1, 3) n', [value]);
    }

    override submit(connection: Connection): void {
      if (this.counts) {
        countReaders(connection, 1);
        void this.ended.then(() => {
          countReaders(connection, -1);
        });
      }
      super.submit(connection);
    }
  }
  readResults(client, () => {
    if (!(activeQuery(client) instanceof Reading)) return undefined;
    return {
      takeRow: (bytes, from, to) => {
        // The driver parses the second row.
        if (bytes.includes('12', from) && bytes.indexOf('12', from) < to) return false;
        taken.push(bytes.toString('latin1', from, to));
        return true;
      },
      handleBindComplete: () => heard.push('bound'),
      handleCommandComplete: () => heard.push('complete'),
    };
  });
  const query = client.query(new Reading(true, '10'));
  expect(await query.ended).toBeUndefined();
  expect(taken).toEqual(['11', '13'].map((next) => `\0\u0002\0\0\0\u0002${next}\u00ff\u00ff\u00ff\u00ff`));
  expect([query.found, query.completed]).toEqual([['12', null], 0]);
  const others = client.query(new Reading(false, '20'));
  await others.ended;
  expect([others.found, others.completed]).toEqual([['21', null, '22', null, '23', null], 1]);
  expect(heard).toEqual(['bound', 'complete', 'the driver: bound']);
});

test('a query of one’s own that wants to copy from the client fails, and the connection goes on', async () => {
  const client = await connect();
  await client.query('create temp table copied (id int)');
  class Copying extends OwnQuery {
    override submit(connection: Connection): void {
      const wire = wireOf(connection);
      wire.parse({ text: 'copy copied from stdin', name: undefined, types: [] });
      wire.bind({ statement: undefined, values: [] });
      wire.execute({});
      wire.sync();
    }

    handleCopyInResponse(connection: Connection): void {
      const wire = wireOf(connection);
      wire.sendCopyFail('nothing to copy from');
      // The server has ignored the previous Sync.
      wire.sync();
    }
  }
  const query = client.query(new Copying(client, '', []));
  expect(await query.ended).toMatchObject({ code: '57014' });
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

test('queries of one’s own are pipelined: the next one is sent before the first has ended', async () => {
  const client = await connect({}, { pipeline: true });
  const slow = client.query(new OwnQuery(client, 'select $1 + 0 * length(pg_sleep(0.3)::text) as n', ['1']));
  let isEnded = false;
  void slow.ended.then(() => {
    isEnded = true;
  });
  let sentBefore: boolean | undefined;
  class Watched extends OwnQuery {
    override submit(connection: Connection): void {
      sentBefore = !isEnded;
      super.submit(connection);
    }
  }
  const next = client.query(new Watched(client, 'select $1::int as n', ['2']));
  expect(await Promise.all([slow.ended, next.ended])).toEqual([undefined, undefined]);
  expect([slow.found, next.found, sentBefore]).toEqual([['1'], ['2'], true]);
});

test('a client pipelines for a while', async () => {
  const client = await connect();
  const run = async (): Promise<unknown[]> => {
    const first = new OwnQuery(client, 'select $1 + (select 0 from pg_sleep(0.1))', ['1']);
    const second = new OwnQuery(client, 'select $1', ['x']);
    const third = new OwnQuery(client, 'select $1', ['3']);
    let isSent = false;
    const submit = second.submit.bind(second);
    second.submit = (connection) => {
      isSent = first.completed === 0;
      submit(connection);
    };
    for (const query of [first, second, third]) client.query(query);
    const errors = await Promise.all([first.ended, second.ended, third.ended]);
    return [isSent, first.found, errors.map((error) => error instanceof Error), third.found];
  };
  pipeline(client, true);
  expect(await run()).toEqual([true, ['1'], [false, true, false], ['3']]);
  pipeline(client, false);
  expect((await client.query('select 4 as four')).rows).toEqual([{ four: 4 }]);
});

test('the driver looks for no other environment: its class of queries is there', () => {
  expect(Object.getPrototypeOf(OwnQuery.prototype)).toBe(pg.Query.prototype);
});
