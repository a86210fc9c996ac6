/** The undocumented members of mysql2 in use (`runtime/mysql/driver-internals.ts`): this test fails if another version changes them. */
import { createConnection, type Connection } from 'mysql2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute } from '../../../runtime/mysql/execution.js';
import {
  checkDriver,
  executeClass,
  forgetStatements,
  prepare,
  rowsOf,
  sendAtOnce,
  socketOf,
  type Mysql2Connection,
  type Prepared,
} from '../../../runtime/mysql/driver-internals.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { sharedMariadb } from '../../helpers/shared-servers.js';

let server: AttachedServer;
let connection: Connection;

beforeAll(async () => {
  server = await sharedMariadb();
  const { host, port, user, password } = server;
  connection = createConnection({ host, port, user, password });
  forgetStatements(connection);
  await new Promise<void>((resolve) => {
    connection.on('connect', () => {
      resolve();
    });
  });
});

afterAll(() => {
  connection.destroy();
});

function prepared(text: string): Promise<Prepared> {
  return new Promise((resolve, reject) => {
    prepare(connection, text, (error, statement) => {
      if (statement === undefined) reject(error ?? new Error('nothing'));
      else resolve(statement);
    });
  });
}

const inside = () => connection as unknown as Mysql2Connection;

test('everything is there, and what is not is named', () => {
  expect(() => {
    checkDriver(connection);
  }).not.toThrow();
  expect(() => {
    checkDriver({ addCommand: undefined, handlePacket: undefined, prepare: undefined });
  }).toThrow('mysql2 is not the version that this service was made for: a connection has no query');
});

test('a connection remembers no statement, and one that is closed is the server’s no more', async () => {
  const count = async () => {
    const [row] = await server.exec('mysql', "show session status like 'Prepared_stmt_count'");
    return Number(row?.['Value']);
  };
  const [one, two] = [await prepared('select 1 as n'), await prepared('select 1 as n')];
  expect(one).not.toBe(two);
  const before = await count();
  one.close();
  two.close();
  await prepared('select 2 as n').then((statement) => {
    statement.close();
  });
  await expect.poll(count).toBeLessThanOrEqual(before - 2);
});

test('its class for executions is found, and one that is made to find it sends nothing', async () => {
  const statement = await prepared('select 1 as n');
  const { bytesWritten } = socketOf(connection);
  expect(executeClass(statement).name).toBe('Execute');
  expect(socketOf(connection).bytesWritten).toBe(bytesWritten);
  statement.close();
});

test('a column has the encoding of its texts, and the number of digits of its fraction', async () => {
  const statement = await prepared(
    "select 'é' as text, cast('2020-01-01' as datetime(3)) as three, cast('2020-01-01' as datetime) as none, x'00' as bytes",
  );
  const [text, three, none, bytes] = statement.columns;
  expect(text).toMatchObject({ encoding: 'utf8' });
  expect(three).toMatchObject({ decimals: 3 });
  expect(none).toMatchObject({ decimals: 0 });
  expect(bytes).toMatchObject({ characterSet: 63 });
  statement.close();
});

test('executions are sent together, have results in their order, and are visible to tracing tools', async () => {
  sendAtOnce(connection);
  const statement = await prepared('select seq, ? as given from mysql.seq_1_to_20 limit 3');
  const traced: string[] = [];
  const query = connection.query.bind(connection) as (command: { readonly sql: string }) => unknown;
  Object.assign(connection, {
    query: (command: { readonly sql: string }) => {
      traced.push(command.sql);
      return query(command);
    },
  });
  const order: number[] = [];
  const run = (given: number) =>
    new Promise<unknown>((resolve, reject) => {
      execute(connection, statement, { text: 'the text' }, [String(given)], (error, result) => {
        order.push(given);
        if (result === undefined) reject(error instanceof Error ? error : new Error(String(error)));
        else resolve(result.rows);
      });
    });
  const { bytesWritten } = socketOf(connection);
  const runs = [1, 2, 3].map(run);
  // Three packets of 20 bytes before the first response.
  expect(socketOf(connection).bytesWritten - bytesWritten).toBe(3 * 20);
  expect(inside()._command?.next).toBeTypeOf('function');
  const rows = await Promise.all(runs);
  expect(rows).toEqual([1, 2, 3].map((given) => [1, 2, 3].map((seq) => ({ seq, given: String(given) }))));
  expect(order).toEqual([1, 2, 3]);
  expect(traced).toEqual(['the text', 'the text', 'the text']);
  expect(inside()._command ?? undefined).toBe(undefined);
  expect(rowsOf(connection)).toBe(0);
});
