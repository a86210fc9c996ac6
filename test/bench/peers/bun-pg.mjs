/** A straightforward server on Bun: `Bun.serve` with its routes, and `Bun.sql` with ten connections. */
import { serve, SQL } from 'bun';

const { Response } = globalThis;
const { PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PORT } = process.env;
const sql = new SQL({
  ...{ adapter: 'postgres', hostname: PGHOST, port: Number(PGPORT), username: PGUSER, password: PGPASSWORD },
  ...{ database: PGDATABASE, max: 10 },
});

const server = serve({
  port: Number(PORT),
  hostname: '127.0.0.1',
  routes: {
    '/news/:id': async ({ params }) => {
      const [first] = await sql`SELECT id, title, body, created FROM news WHERE id = ${params.id}`;
      if (first === undefined) return Response.json({ message: 'No such news' }, { status: 404 });
      const comments = await sql`SELECT id, body FROM comment WHERE news_id = ${first.id}`;
      return Response.json({ ...first, comments });
    },
    '/news/:id/notes': {
      POST: async (request) => {
        const { text } = await request.json();
        await sql`INSERT INTO note (news_id, text) VALUES (${request.params.id}, ${text})`;
        return Response.json({ text }, { status: 201 });
      },
    },
    '/news/:id/orders': {
      POST: async (request) => {
        const { id } = request.params;
        const { text } = await request.json();
        await sql.begin(async (transaction) => {
          await transaction`UPDATE stock SET ordered = ordered + 1 WHERE news_id = ${id}`;
          await transaction`INSERT INTO ordered (news_id, text) VALUES (${id}, ${text})`;
          await transaction`INSERT INTO note (news_id, text) VALUES (${id}, ${text})`;
        });
        return Response.json({ text }, { status: 201 });
      },
    },
    '/books': async () =>
      Response.json(await sql`SELECT id, title, author, price, published, created FROM book ORDER BY id`),
  },
  fetch: () => Response.json({ message: 'Not found' }, { status: 404 }),
});
console.log(`listening on http://127.0.0.1:${server.port}`);
