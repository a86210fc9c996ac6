/** Key servers that stop responding: requests wait for a limited time, and then get 503. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accept } from '../../../runtime/authentication/accept.js';
import { reply } from '../../../runtime/responses/reply.js';
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
  expect(await statuses(1)).toEqual([503]);
});

test('it is 503 also where memory is collected meanwhile', async () => {
  keyServer.behaviour = (_, response) => void response.writeHead(200).write('{"keys":[');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const collecting = setInterval(collect, 50);
  try {
    expect(new Set(await statuses(200))).toEqual(new Set([503]));
  } finally {
    clearInterval(collecting);
  }
});

/** The statuses of simultaneous requests to `count` services, each of which fetches its keys. */
async function statuses(count: number): Promise<number[]> {
  const token = await sign(key);
  return Promise.all(Array.from({ length: count }, () => statusOf(token)));
}

async function statusOf(token: string): Promise<number> {
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
    return (await fetch(`${served.url}/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  } finally {
    await served.stop();
  }
}
