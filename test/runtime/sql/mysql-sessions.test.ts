/** MySQL and MariaDB: how server settings and init_connect change a session, and how the service restores it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { violates } from '../../../runtime/sql/violates.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { testCall } from '../../helpers/test-call.js';
import { open, read, update } from './open-datasource.js';

let server: DatabaseServer;

beforeAll(async () => {
  server = await startMariadb([
    ...['--autocommit=0', '--completion-type=RELEASE', '--max-prepared-stmt-count=6'],
    ...['--skip-character-set-client-handshake', '--character-set-server=latin1', '--lc-messages=de_DE'],
  ]);
  await server.createDatabase('lab');
  await server.exec(
    'lab',
    'create table note (id int auto_increment primary key, title varchar(100) character set utf8mb4); commit',
  );
});

afterAll(() => server.stop());

const insert = 'INSERT INTO note (title) VALUES (?)';

test('changes stay without autocommit, COMMIT keeps the connection, and no character is lost', async () => {
  const datasource = open(mysql({ name: 'testdb', pool: { max: 1 } }), server, 'lab');
  const save = datasource.update({ operation: 'POST /notes', fulfillment: 'saved', sql: insert });
  try {
    await update(datasource, insert, ['žluťoučký € 😀']);
    const [first] = await read(datasource, 'SELECT CONNECTION_ID() AS id');
    await inTransaction(testCall(), (call) => save(call, ['in a transaction']));
    const [second] = await read(datasource, 'SELECT CONNECTION_ID() AS id');
    expect(second).toEqual(first);
    expect(await read(datasource, 'SELECT title FROM note ORDER BY id')).toEqual([
      { title: 'žluťoučký € 😀' },
      { title: 'in a transaction' },
    ]);
  } finally {
    await datasource.close(performance.now() + 1000);
  }
  expect(await server.exec('lab', 'select hex(title) as title from note order by id limit 1')).toEqual([
    { title: Buffer.from('žluťoučký € 😀').toString('hex').toUpperCase() },
  ]);
});

test('the violated constraint is known, although the messages of the server are in German', async () => {
  const datasource = open(mysql({ name: 'testdb', pool: { max: 1 } }), server, 'lab');
  try {
    const again = update(datasource, 'INSERT INTO note (id, title) VALUES (1, ?)', ['again']);
    const error: unknown = await again.catch((reason: unknown) => reason);
    expect(violates(error, 'PRIMARY')).toBe(true);
  } finally {
    await datasource.close(performance.now() + 1000);
  }
  // Another session has the language of the server.
  await expect(server.exec('lab', 'insert into note (id) values (1)')).rejects.toThrow('Doppelter Eintrag');
});

interface Prepared {
  readonly id: number;
  close(): void;
}

interface Preparing {
  prepare(sql: string, done: (error: Error | null, statement: Prepared) => void): void;
}

/** Closes all statements of the connection without the driver's knowledge. */
function closeStatements(client: unknown): Promise<[]> {
  return new Promise((resolve, reject) => {
    (client as Preparing).prepare('SELECT 1', (error, statement) => {
      if (error !== null) {
        reject(error);
        return;
      }
      for (let id = 1; id <= statement.id; id += 1)
        Object.assign(Object.create(statement) as Prepared, { id }).close();
      resolve([]);
    });
  });
}

test('a statement that the server does not know any more is prepared again, and runs once', async () => {
  const datasource = open(mysql({ name: 'testdb', pool: { max: 1 } }), server, 'lab');
  const titles = (): Promise<unknown> =>
    server.exec('lab', "select title from note where title like 'again %'");
  try {
    await update(datasource, insert, ['again 1']);
    const { connections } = datasource.use();
    const connection = await connections.lease(performance.now() + 5000);
    await connection.session.passOn(closeStatements);
    connections.release(connection);
    await update(datasource, insert, ['again 2']);
    await update(datasource, insert, ['again 3']);
    expect(await titles()).toEqual([{ title: 'again 1' }, { title: 'again 2' }, { title: 'again 3' }]);
  } finally {
    await datasource.close(performance.now() + 1000);
  }
});

test('a server without capacity for another prepared statement gets that of the others back', async () => {
  const datasource = open(mysql({ name: 'testdb', pool: { max: 1 } }), server, 'lab');
  try {
    for (let n = 0; n < 20; n += 1)
      expect(await read(datasource, `SELECT ${n} AS n, ? AS v`, ['x'])).toEqual([{ n, v: 'x' }]);
    expect(await read(datasource, 'SELECT 0 AS n, ? AS v', ['y'])).toEqual([{ n: 0, v: 'y' }]);
  } finally {
    await datasource.close(performance.now() + 1000);
  }
});

test('types of columns in another current database are those of that connection alone', async () => {
  await server.createDatabase('other');
  await server.exec(
    'lab',
    "create table event (at varchar(30)); create table other.event (at datetime); create procedure move() execute immediate 'use other'; commit",
  );
  const datasource = open(mysql({ name: 'testdb', pool: { max: 1 } }), server, 'lab');
  const names = { operation: 'POST /events', fulfillment: 'saved' };
  const move = datasource.update({ ...names, sql: 'CALL move()', runsUnknownCode: true, atomic: false });
  const save = datasource.update({
    ...names,
    sql: 'INSERT INTO event (at) VALUES (?)',
    parameterTypes: 'SELECT at FROM event',
  });
  try {
    await inTransaction(testCall(), async (call) => {
      await move(call);
      await save(call, ['2030-01-02T03:04:05Z']);
    });
    await save(testCall(), ['2030-01-02T03:04:05Z']);
    await save(testCall(), ['soon']);
  } finally {
    await datasource.close(performance.now() + 1000);
  }
  expect(await server.exec('lab', 'select at from event union all select at from other.event')).toEqual([
    { at: '2030-01-02T03:04:05Z' },
    { at: 'soon' },
    { at: '2030-01-02 03:04:05' },
  ]);
});
