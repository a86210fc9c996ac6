/** Key servers that fall silent: a request waits for them for a while, and is 503 then. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accept } from '../../../runtime/authentication/accept.js';
import { reply } from '../../../runtime/handler/reply.js';
import { jwt } from '../../../runtime/jwt/index.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { serve } from '../serve.js';
import { audience, issuerName, KeyServer, sign, signingKey, type SigningKey } from './issuer.js';

const keyServer = new KeyServer();
let key: SigningKey;
let address = '';

beforeAll(async () => {
  address = await keyServer.start();
  key = await signingKey('RS256', 'one');
});

afterAll(() => keyServer.stop());

test.each<[string, KeyServer['behaviour']]>([
  ['never responds', () => undefined],
  ['never ends its response', (_, response) => void response.writeHead(200).write('{"keys":[')],
])('one that %s is 503', async (_, behaviour) => {
  keyServer.behaviour = behaviour;
  const users = jwt('users', {});
  const variables = {
    AUTHENTICATION_USERS_ISSUER: issuerName,
    AUTHENTICATION_USERS_AUDIENCE: audience,
    AUTHENTICATION_USERS_JWKS: address,
  };
  readSettings({ variables, authentications: [users] });
  const handler = (): ReturnType<typeof reply> => reply(200, null);
  const served = await serve([{ method: 'GET', path: '/me', handler, access: accept(users) }]);
  try {
    const headers = { authorization: `Bearer ${await sign(key)}` };
    expect((await fetch(`${served.url}/me`, { headers })).status).toBe(503);
  } finally {
    await served.stop();
  }
});
