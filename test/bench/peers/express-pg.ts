/** A straightforward server: Express 5, `express.json()`, and `pool.query` of a `pg` pool of ten. */
import express from 'express';
import pg from 'pg';
import { logAddress } from './listening.js';

interface NewsRow {
  readonly id: number;
  readonly title: string;
}

interface CommentRow {
  readonly id: number;
  readonly news_id: number;
  readonly body: string;
}

const pool = new pg.Pool();
const app = express();
app.use(express.json());

app.get('/news/:id', async (request, response) => {
  const news = await pool.query('SELECT id, title, body, created FROM news WHERE id = $1', [
    request.params.id,
  ]);
  if (news.rows.length === 0) {
    response.status(404).json({ message: 'No such news' });
    return;
  }
  const [first] = news.rows as { id: number }[];
  const comments = await pool.query('SELECT id, body FROM comment WHERE news_id = $1', [first?.id]);
  response.json({ ...first, comments: comments.rows as unknown[] });
});

app.post('/news/:id/notes', async (request, response) => {
  const { text } = request.body as { readonly text: string };
  await pool.query('INSERT INTO note (news_id, text) VALUES ($1, $2)', [request.params.id, text]);
  response.status(201).json({ text });
});

app.post('/news/:id/orders', async (request, response) => {
  const { id } = request.params;
  const { text } = request.body as { readonly text: string };
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('UPDATE stock SET ordered = ordered + 1 WHERE news_id = $1', [id]);
    await client.query('INSERT INTO ordered (news_id, text) VALUES ($1, $2)', [id, text]);
    await client.query('INSERT INTO note (news_id, text) VALUES ($1, $2)', [id, text]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
  response.status(201).json({ text });
});

app.get('/loop/:after', async (request, response) => {
  const page = await pool.query<NewsRow>('SELECT id, title FROM news WHERE id > $1 ORDER BY id LIMIT 100', [
    request.params.after,
  ]);
  const news = [];
  for (const { id, title } of page.rows) {
    const first = await pool.query<{ body: string }>(
      'SELECT body FROM comment WHERE news_id = $1 ORDER BY id LIMIT 1',
      [id],
    );
    news.push({ id, title, first: first.rows[0]?.body ?? null });
  }
  response.json({ news });
});

app.get('/books', async (_request, response) => {
  const books = await pool.query('SELECT id, title, author, price, published, created FROM book ORDER BY id');
  response.json(books.rows);
});

app.get('/tree/:size', async (request, response) => {
  const { size } = request.params;
  const news = await pool.query<NewsRow>('SELECT id, title FROM news WHERE id <= $1 ORDER BY id', [size]);
  const comments = await pool.query<CommentRow>(
    'SELECT id, news_id, body FROM comment WHERE id <= $1 ORDER BY id',
    [size],
  );
  const byNews = new Map<number, { id: number; body: string }[]>();
  for (const { id, news_id, body } of comments.rows) {
    const list = byNews.get(news_id);
    if (list) list.push({ id, body });
    else byNews.set(news_id, [{ id, body }]);
  }
  response.json(news.rows.map(({ id, title }) => ({ id, title, comments: byNews.get(id) ?? [] })));
});

const server = app.listen(0, '127.0.0.1', () => {
  logAddress(server.address());
});
