/** A fast hand-written server: Fastify 5 and named prepared statements on a plain `pg` pool of ten. */
import fastify from 'fastify';
import pg from 'pg';
import { logAddress } from './listening.js';

const pool = new pg.Pool();
const app = fastify();

app.get<{ Params: { id: string } }>('/news/:id', async (request, reply) => {
  const news = await pool.query<{ id: number }>({
    name: 'news',
    text: 'SELECT id, title, body, created FROM news WHERE id = $1',
    values: [request.params.id],
  });
  const [first] = news.rows;
  if (first === undefined) return reply.code(404).send({ message: 'No such news' });
  const comments = await pool.query<Record<string, unknown>>({
    name: 'comments',
    text: 'SELECT id, body FROM comment WHERE news_id = $1',
    values: [first.id],
  });
  return { ...first, comments: comments.rows };
});

app.get('/slow', async () => {
  const slow = await pool.query<{ awake: number }>({
    name: 'slow',
    text: 'SELECT 1 AS awake FROM pg_sleep(0.2)',
  });
  return { awake: slow.rows[0]?.awake };
});

await app.listen({ port: 0, host: '127.0.0.1' });
logAddress(app.server.address());
