/** A straightforward server that validates a body: Express 5, `express.json()`, ajv with its formats, and a `pg` pool of ten. */
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import express from 'express';
import pg from 'pg';
import { logAddress } from './listening.js';

const line = {
  type: 'object',
  required: ['article', 'count'],
  properties: {
    article: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4}$' },
    count: { type: 'integer', minimum: 1, maximum: 1000 },
  },
};
const order = {
  type: 'object',
  required: ['id', 'customer', 'status', 'price', 'lines'],
  properties: {
    id: { type: 'integer', minimum: 1 },
    customer: { type: 'string', minLength: 1, maxLength: 80 },
    status: { type: 'string', enum: ['open', 'paid', 'sent'] },
    price: { type: 'number', minimum: 0 },
    express: { type: 'boolean' },
    ordered: { type: 'string', format: 'date-time' },
    lines: { type: 'array', items: line },
  },
};

const ajv = new Ajv({ allErrors: true });
formats.default(ajv);
const validate = ajv.compile<{ readonly orders: readonly { readonly id: number }[] }>({
  type: 'object',
  required: ['orders'],
  properties: { orders: { type: 'array', minItems: 1, maxItems: 10_000, items: order } },
});

const pool = new pg.Pool();
const app = express();
app.use(express.json({ limit: '1mb' }));

app.post('/orders', async (request, response) => {
  const body: unknown = request.body;
  if (!validate(body)) {
    response.status(400).json({ message: ajv.errorsText(validate.errors) });
    return;
  }
  const { orders } = body;
  const known = await pool.query<{ title: string }>('SELECT title FROM news WHERE id = $1', [orders[0]?.id]);
  response.json({ orders: orders.length, title: known.rows[0]?.title });
});

const server = app.listen(0, '127.0.0.1', () => {
  logAddress(server.address());
});
