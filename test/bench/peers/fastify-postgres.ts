/** A fast hand-written server with porsager's driver: Fastify 5 and `postgres`, which prepares its tagged templates and pipelines them. */
import fastify from 'fastify';
import postgres from 'postgres';
import { logAddress } from './listening.js';

const sql = postgres();
const app = fastify();

app.get<{ Params: { id: string } }>('/news/:id', async (request, reply) => {
  const [first] = await sql<
    { id: number }[]
  >`SELECT id, title, body, created FROM news WHERE id = ${request.params.id}`;
  if (first === undefined) return reply.code(404).send({ message: 'No such news' });
  const comments = await sql`SELECT id, body FROM comment WHERE news_id = ${first.id}`;
  return { ...first, comments };
});

await app.listen({ port: 0, host: '127.0.0.1' });
logAddress(app.server.address());
