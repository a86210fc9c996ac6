/** The promises of a database that services rely on, each tested with the connections that services use. */
import type { Json } from '../../../runtime/handler/json.js';
import { Differs, expectFailure, expectSame, type Bench, type Probe } from './probe.js';
import type { Session } from './session.js';

export const probes: readonly Probe[] = [
  {
    promise: 'A connection keeps its session',
    otherwise:
      'there is a pooler in between: statements are prepared for each run, and reads do not share connections',
    need: 'optional',
    alsoOnReplica: true,
    run: async (bench) => {
      const session = await bench.open();
      const ids = new Set<string>();
      for (let count = 0; count < 5; count += 1)
        ids.add(JSON.stringify((await session.read(`SELECT ${sessionId[bench.dialect]} AS id`))[0]?.id));
      if (ids.size > 1) throw new Differs('its statements run in several sessions');
    },
  },
  {
    promise: 'The time zone of a session is UTC',
    otherwise: 'timestamps are stored and read with another offset',
    need: 'required',
    alsoOnReplica: true,
    run: async (bench) => {
      const session = await bench.open();
      const [row] = await session.read(`SELECT ${timeZone[bench.dialect]} AS zone`);
      const zone = JSON.stringify(row?.zone);
      if (!/^"(?:UTC|Etc\/UTC|GMT|\+00:00)"$/.test(zone)) throw new Differs(`it is ${zone}`);
    },
  },
  {
    promise: 'Values come back as they were stored',
    otherwise: 'responses have other values than the tables',
    need: 'required',
    run: async (bench) => {
      const session = await bench.open();
      const values: Json[] = [
        ...[7, 2147483647, '9007199254740993', '12345678901.0123456789012345', 'Zoë 🦊 \\ \' "'],
        ...['2026-02-03T04:05:06.123456', true, { list: [1, null, 'é'] }],
      ];
      await insert(bench, session, values);
      const [row] = await session.read(`SELECT ${columns.join(', ')} FROM ${bench.table}`);
      columns.forEach((column, index) => {
        expectSame(`'${column}'`, row?.[column], values[index]);
      });
    },
  },
  {
    promise: 'A statement is prepared once and run with many values, on several connections',
    otherwise: 'statements fail under load',
    need: 'required',
    run: async (bench) => {
      const text = `SELECT amount, name FROM ${bench.table} WHERE id = ${bench.marker(1)}`;
      const writer = await bench.open();
      for (const id of [1, 2, 3]) await insert(bench, writer, [id, id * 10, null, null, `n${id}`]);
      const sessions = [await bench.open(), await bench.open(), await bench.open()];
      for (const id of [1, 2, 3, 1, 2, 3]) {
        const rows = await Promise.all(sessions.map((session) => session.read(text, [id])));
        for (const [row] of rows) expectSame(`row ${id}`, row, { amount: id * 10, name: `n${id}` });
      }
    },
  },
  {
    promise: 'Several reads are sent without waiting, and their results arrive in order',
    otherwise: 'a service needs more connections for the same reads',
    need: 'optional',
    alsoOnReplica: true,
    run: async (bench) => {
      if (bench.driver.shared === 0) throw new Differs('connections are not shared with these settings');
      const session = await bench.open(true);
      const text = `SELECT ${bench.dialect === 'postgresql' ? '$1::integer' : 'CAST(? AS SIGNED)'} AS number`;
      const numbers = Array.from({ length: 50 }, (_, index) => index);
      const rows = await Promise.all(numbers.map((number) => session.read(text, [number])));
      expectSame(
        'the list of results',
        rows.map(([row]) => row?.number),
        numbers,
      );
    },
  },
  {
    promise: 'A shared connection refuses changes',
    otherwise: 'a change that is hidden in a function is not detected and may be made twice',
    need: 'required',
    run: async (bench) => {
      if (bench.driver.shared === 0) return;
      const session = await bench.open(true);
      const error = await insert(bench, session, [1]).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (error === undefined) throw new Differs('an INSERT on it succeeds');
      if (!bench.driver.isWrite(error))
        throw new Differs('an INSERT on it fails with an error that services do not recognise');
    },
  },
  {
    promise: 'A running statement can be cancelled, and its connection stays usable',
    otherwise: 'statements of clients that have left keep running',
    need: 'required',
    alsoOnReplica: true,
    run: async (bench) => {
      const session = await bench.open();
      const running = session.read(`SELECT ${sleep[bench.dialect]} AS slept`).then(
        () => undefined,
        (error: unknown) => error,
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
      const since = performance.now();
      await session.cancel();
      // MySQL returns an interrupted sleep as a result instead of an error.
      const error = await running;
      if (performance.now() - since > 5000) throw new Differs('it keeps running for seconds');
      if (error === undefined && bench.dialect === 'postgresql')
        throw new Differs('it ends as if nothing had happened');
      expectSame('the next result', (await session.read('SELECT 1 AS one'))[0], { one: 1 });
    },
  },
  {
    promise: 'A transaction is committed as a whole, and is not visible before',
    otherwise: 'transaction: true guarantees nothing',
    need: 'required',
    run: async (bench) => {
      const [own, other] = [await bench.open(), await bench.open()];
      const count = async (session: Session): Promise<Json | undefined> =>
        (await session.read(`SELECT count(*) AS count FROM ${bench.table}`))[0]?.count;
      await own.command('begin');
      await insert(bench, own, [1]);
      expectSame('the number of rows that others see before COMMIT', await count(other), 0);
      await own.command('savepoint');
      await insert(bench, own, [2]);
      await own.command('rollback to savepoint');
      await own.command('commit');
      expectSame('the number of rows after COMMIT', await count(other), 1);
      await own.command('begin');
      await insert(bench, own, [3]);
      await own.command('rollback');
      expectSame('the number of rows after ROLLBACK', await count(other), 1);
    },
  },
  {
    promise: 'A row that violates a key is refused, with a code',
    otherwise: 'services respond with 500 instead of 409',
    need: 'required',
    run: async (bench) => {
      const session = await bench.open();
      await insert(bench, session, [1]);
      await expectFailure('a second row with one key', bench, 'integrity', insert(bench, session, [1]));
    },
  },
  {
    promise: 'A value that a column cannot hold is refused, with a code',
    otherwise: 'services respond with 500 instead of 400, or another value is stored',
    need: 'required',
    run: async (bench) => {
      const session = await bench.open();
      await expectFailure(
        "the string 'many' for a number",
        bench,
        'bad-value',
        insert(bench, session, [1, 'many']),
      );
      await expectFailure(
        'a number that is too large',
        bench,
        'bad-value',
        insert(bench, session, [1, 2 ** 40]),
      );
    },
  },
  {
    promise: 'If two transactions wait for each other, one of them is rolled back, with a code',
    otherwise: 'such transactions are not repeated, or wait until they time out',
    need: 'required',
    run: async (bench) => {
      const [one, other] = [await bench.open(), await bench.open()];
      for (const id of [1, 2]) await insert(bench, one, [id, 0]);
      const add = (session: Session, id: number): Promise<unknown> =>
        session.change(`UPDATE ${bench.table} SET amount = amount + 1 WHERE id = ${id}`);
      for (const session of [one, other]) await session.command('begin');
      await add(one, 1);
      await add(other, 2);
      const results = await Promise.allSettled([add(one, 2), add(other, 1)]);
      const refused = results.filter((result) => result.status === 'rejected');
      expectSame('the number of transactions that are rolled back', refused.length, 1);
      for (const { reason } of refused)
        await expectFailure('it', bench, 'conflict', Promise.reject(reason as Error));
      for (const session of [one, other]) await session.command('rollback').catch(() => undefined);
    },
  },
  {
    promise: 'FOR UPDATE SKIP LOCKED skips rows that others have locked',
    otherwise: 'several instances of a service do the same work, or wait for each other',
    need: 'optional',
    run: async (bench) => {
      const [one, other] = [await bench.open(), await bench.open()];
      for (const id of [1, 2]) await insert(bench, one, [id]);
      const take = (session: Session): Promise<unknown> =>
        session.read(`SELECT id FROM ${bench.table} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`);
      for (const session of [one, other]) await session.command('begin');
      expectSame('the row of the first session', await take(one), [{ id: 1 }]);
      expectSame('the row of the second session', await take(other), [{ id: 2 }]);
      for (const session of [one, other]) await session.command('rollback');
    },
  },
  {
    promise: 'INSERT … RETURNING returns what it stored',
    otherwise: 'statements with RETURNING are refused; MySQL has insert_id instead',
    need: 'optional',
    run: async (bench) => {
      const session = await bench.open();
      const text = `INSERT INTO ${bench.table} (id, amount) VALUES (${bench.marker(1)}, 5) RETURNING id, amount`;
      expectSame('its row', (await session.change(text, [4]))[0], { id: 4, amount: 5 });
    },
  },
  {
    promise: 'State that a statement leaves in its session is reset',
    otherwise: 'a function that changes the settings of its session changes them for other requests, too',
    need: 'optional',
    run: async (bench) => {
      const session = await bench.open();
      const { leave, look } = leftover[bench.dialect];
      await session.read(leave, [], { changesSession: true });
      await session.reset();
      const [row] = await session.read(look);
      if (row?.found !== null && row?.found !== '')
        throw new Differs(`it still has ${JSON.stringify(row?.found)}`);
    },
  },
  {
    promise: 'The settings of a context apply only to their own statement',
    otherwise: 'the policies of tables see no caller, or another caller',
    need: 'required',
    dialect: 'postgresql',
    run: async (bench) => {
      const session = await bench.open();
      const look = "SELECT current_setting('apikiln.doctor', true) AS found";
      const context = { text: "SELECT set_config('apikiln.doctor', $1, true)", values: ['caller'] };
      expectSame('the setting', (await session.read(look, [], { context }))[0], { found: 'caller' });
      const [row] = await session.read(look);
      if (row?.found !== null && row?.found !== '')
        throw new Differs('the next statement still has the setting');
    },
  },
];

const columns = ['id', 'amount', 'whole', 'price', 'name', 'at', 'flag', 'doc'] as const;

/** Column types per database. */
export const columnTypes = {
  postgresql:
    'id integer PRIMARY KEY, amount integer, whole bigint, price numeric(40, 16), name text, at timestamp(6), flag boolean, doc jsonb',
  mysql:
    'id integer PRIMARY KEY, amount integer, whole bigint, price decimal(40, 16), name varchar(100) CHARACTER SET utf8mb4, at datetime(6), flag boolean, doc json',
} as const;

/** Inserts a row with these values in the first columns. */
function insert({ table, marker }: Bench, session: Session, values: readonly Json[]): Promise<unknown> {
  const names = columns.slice(0, values.length).join(', ');
  const markers = values.map((_, index) => marker(index + 1)).join(', ');
  return session.change(`INSERT INTO ${table} (${names}) VALUES (${markers})`, values);
}

const sessionId = { postgresql: 'pg_backend_pid()', mysql: 'CONNECTION_ID()' } as const;
const timeZone = { postgresql: "current_setting('TimeZone')", mysql: '@@session.time_zone' } as const;
const sleep = { postgresql: 'pg_sleep(20)', mysql: 'SLEEP(20)' } as const;

/** A statement that leaves state in the session, and one that detects it. */
const leftover = {
  postgresql: {
    leave: "SELECT set_config('apikiln.left', 'left', false) AS done",
    look: "SELECT current_setting('apikiln.left', true) AS found",
  },
  mysql: { leave: "SELECT @apikiln_left := 'left' AS done", look: 'SELECT @apikiln_left AS found' },
} as const;
