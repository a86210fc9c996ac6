/** The ends of credentials: surrounding spaces and tabs are ignored, and every other byte counts. */
import { expect, test } from 'vitest';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import { accept } from '../../../runtime/authentication/accept.js';
import { reply } from '../../../runtime/responses/reply.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { send } from '../raw-http.js';
import { serve } from '../serve.js';

const key = 'k'.repeat(40);

test.each([
  ['Authorization: Key KEY', 200],
  ['Authorization: Key \t KEY \t', 200],
  ['Authorization: Key \u00a0KEY', 401],
  ['Authorization: Key KEY\u00a0', 401],
  ['Cookie: __Host-key=KEY', 200],
  ['Cookie: a=1;\t__Host-key = KEY', 200],
  ['Cookie: \u00a0__Host-key=KEY', 401],
  ['Cookie: __Host-key\u00a0=KEY', 401],
  ['Cookie: __Host-key=KEY\u00a0', 401],
])('%j is %i', async (header, status) => {
  const authentications = [
    apiKey('word', { scheme: 'Key', keys: ['a'] }),
    apiKey('cookie', { cookie: '__Host-key', keys: ['a'] }),
  ];
  const variables = { AUTHENTICATION_WORD_KEY_A: key, AUTHENTICATION_COOKIE_KEY_A: key };
  readSettings({ variables, authentications });
  const access = accept(...authentications);
  const served = await serve([{ method: 'GET', path: '/', handler: () => reply(200, {}), access }]);
  const sent = header.replace('KEY', key);
  const [response] = await send(
    served.port,
    `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${sent}\r\n\r\n`,
  );
  expect(response?.status).toBe(status);
  await served.stop();
});
