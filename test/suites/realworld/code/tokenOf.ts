/** Issues a user's token, which the authentication `people` accepts for an hour. */
import { createHmac } from 'node:crypto';
import type { TokenOfInput, TokenOfResult } from '../functions.js';

export function tokenOf(id: TokenOfInput): TokenOfResult {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'conduit', aud: 'conduit', sub: id, iat: now, exp: now + 3600 };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = createHmac('sha256', process.env['TOKEN_KEY'] ?? '')
    .update(signed)
    .digest('base64url');
  return `${signed}.${signature}`;
}
