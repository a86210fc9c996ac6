/** A straightforward server for MySQL: Express 5, `express.json()`, and `query` of a `mysql2` pool of ten. */
import express from 'express';
import mysql, { type RowDataPacket } from 'mysql2';
import { logAddress } from './listening.js';

const { MYSQL_HOST, MYSQL_PORT, MYSQL_USER, MYSQL_PASSWORD, MYSQL_DATABASE } = process.env;
const plain = mysql.createPool({
  host: MYSQL_HOST ?? '127.0.0.1',
  port: Number(MYSQL_PORT),
  user: MYSQL_USER ?? '',
  password: MYSQL_PASSWORD ?? '',
  database: MYSQL_DATABASE ?? '',
  timezone: 'Z',
});
// Otherwise timestamps would be in the server's time zone.
plain.on('connection', (connection) => {
  connection.query("SET time_zone = '+00:00'");
});
const pool = plain.promise();
const app = express();
app.use(express.json());

app.get('/news/:id', async (request, response) => {
  const [news] = await pool.query<RowDataPacket[]>('SELECT id, title, body, created FROM news WHERE id = ?', [
    request.params.id,
  ]);
  const [first] = news;
  if (first === undefined) {
    response.status(404).json({ message: 'No such news' });
    return;
  }
  const [comments] = await pool.query<RowDataPacket[]>('SELECT id, body FROM comment WHERE news_id = ?', [
    first['id'],
  ]);
  response.json({ ...first, comments });
});

app.post('/news/:id/notes', async (request, response) => {
  const { text } = request.body as { readonly text: string };
  await pool.query('INSERT INTO note (news_id, text) VALUES (?, ?)', [request.params.id, text]);
  response.status(201).json({ text });
});

app.post('/news/:id/orders', async (request, response) => {
  const { id } = request.params;
  const { text } = request.body as { readonly text: string };
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    await connection.query('UPDATE stock SET ordered = ordered + 1 WHERE news_id = ?', [id]);
    await connection.query('INSERT INTO ordered (news_id, text) VALUES (?, ?)', [id, text]);
    await connection.query('INSERT INTO note (news_id, text) VALUES (?, ?)', [id, text]);
    await connection.commit();
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
  response.status(201).json({ text });
});

app.get('/loop/:after', async (request, response) => {
  const [page] = await pool.query<RowDataPacket[]>(
    'SELECT id, title FROM news WHERE id > ? ORDER BY id LIMIT 100',
    [request.params.after],
  );
  const news = [];
  for (const { id, title } of page as { id: number; title: string }[]) {
    const [[first]] = await pool.query<RowDataPacket[]>(
      'SELECT body FROM comment WHERE news_id = ? ORDER BY id LIMIT 1',
      [id],
    );
    news.push({ id, title, first: (first?.['body'] as string | undefined) ?? null });
  }
  response.json({ news });
});

interface Book extends RowDataPacket {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly price: number;
  readonly published: number;
  readonly created: Date;
}

app.get('/books', async (_request, response) => {
  const [books] = await pool.query<Book[]>(
    'SELECT id, title, author, price, published, created FROM book ORDER BY id',
  );
  response.json(books.map((book) => ({ ...book, published: book.published === 1 })));
});

const server = app.listen(0, '127.0.0.1', () => {
  logAddress(server.address());
});
