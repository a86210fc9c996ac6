/** The embedded PostgreSQL (PGlite) behind a socket, with the same code and a single connection. */
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { expect, test } from 'vitest';
import { fail, isFailure } from '../../../runtime/handler/reply.js';
import { reply } from '../../../runtime/responses/reply.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { freePort } from '../../helpers/free-port.js';
import { testCall } from '../../helpers/test-call.js';
import { read, update } from './open-datasource.js';

test('PGlite responds like a server, with one connection for all calls', async () => {
  const database = await PGlite.create();
  const port = await freePort();
  const server = new PGLiteSocketServer({ db: database, port, host: '127.0.0.1' });
  await server.start();
  const datasource = postgres({ name: 'embedded', pool: { max: 1 } });
  datasource.open({ url: `jdbc:postgresql://127.0.0.1:${port}/postgres`, user: 'postgres', password: '' });
  try {
    await update(datasource, 'create table news (id serial primary key, at timestamptz, tags text[])');
    const insert = "insert into news (at, tags) values ($1, '{a,b}') returning *";
    const first = { id: 1, at: '2024-03-31T00:30:00Z', tags: ['a', 'b'] };
    expect(await update(datasource, insert, ['2024-03-31 02:30:00+02'])).toEqual([first]);
    const responses = await Promise.all(
      Array.from({ length: 15 }, (_, index) => read(datasource, 'select $1::int as n', [index])),
    );
    expect(responses).toEqual(Array.from({ length: 15 }, (_, index) => [{ n: index }]));
    await expect(read(datasource, 'select $1::int', ['x'])).rejects.toMatchObject({ status: 400 });
    await expect(read(datasource, 'select nope')).rejects.toMatchObject({ status: 500 });
    expect(await read(datasource, 'select * from news')).toEqual([first]);
    const remove = datasource.update({
      operation: 'DELETE /news',
      fulfillment: 'gone',
      sql: 'delete from news',
    });
    for (const response of [fail(409, 'no'), reply(204)]) {
      const run = inTransaction(testCall(), async (call) => {
        await remove(call, []);
        if (isFailure(response)) throw response;
        return response;
      });
      await run.catch((error: unknown) => {
        expect(error).toBe(response);
      });
      expect(await read(datasource, 'select * from news')).toEqual(response.status === 409 ? [first] : []);
    }
  } finally {
    await datasource.close(performance.now() + 1000);
    await server.stop();
    await database.close();
  }
});
