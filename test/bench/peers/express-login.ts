/** A log-in by hand: Express 5, a `pg` pool, and `crypto.scrypt` in the threads of libuv. */
import { createHash, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import express from 'express';
import pg from 'pg';
import { logAddress } from './listening.js';

const scrypted = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const pool = new pg.Pool();
const app = express();
app.use(express.json());

app.post('/accounts/:id/session', async (request, response) => {
  const { password } = request.body as { readonly password: string };
  const found = await pool.query<{ id: number; hash: string }>('SELECT id, hash FROM account WHERE id = $1', [
    request.params.id,
  ]);
  const [user] = found.rows;
  if (user === undefined || !(await isRight(password, user.hash))) {
    response.status(401).json({ message: 'The password is wrong' });
    return;
  }
  const token = randomBytes(32).toString('base64url');
  const digest = createHash('sha256').update(token).digest('hex');
  await pool.query('INSERT INTO session (hash, account) VALUES ($1, $2)', [digest, user.id]);
  response.cookie('session', token, { httpOnly: true, secure: true, sameSite: 'lax' });
  response.json({ id: user.id });
});

/** `hash` is `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`. */
async function isRight(password: string, hash: string): Promise<boolean> {
  const [, ln, salt = '', expected = ''] = /^\$scrypt\$ln=(\d+),r=8,p=1\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  const right = Buffer.from(expected, 'base64');
  const options = { N: 2 ** Number(ln), r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
  return timingSafeEqual(await scrypted(password, Buffer.from(salt, 'base64'), right.length, options), right);
}

const server = app.listen(0, '127.0.0.1', () => {
  logAddress(server.address());
});
