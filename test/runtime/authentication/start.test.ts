/** Problems of authentications that stop the start of a service. */
import { afterEach, expect, test } from 'vitest';
import { createRouter } from '../../../runtime/http/router.js';
import { jwtOfKey } from '../../../runtime/jwt/index.js';
import { apiVersion } from '../../../runtime/server/api-version.js';
import { StartError } from '../../../runtime/server/environment.js';
import { prepare } from '../../../runtime/server/service.js';

const variables = {
  AUTHENTICATION_USERS_ISSUER: 'https://members.example',
  AUTHENTICATION_USERS_AUDIENCE: 'members',
  AUTHENTICATION_USERS_KEY: 'a-secret-of-at-least-32-bytes-for-tests',
  AUTHENTICATION_LEGACY_KEY: 'a-secret-of-at-least-32-bytes-for-tests',
  LOG_LEVEL: 'silent',
};

afterEach(() => {
  for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
});

test('two authentications that accept the tokens of each other', async () => {
  Object.assign(process.env, variables);
  const users = jwtOfKey('users', { issue: { lifetime: 900 } });
  const legacy = jwtOfKey('legacy', { issuer: 'none', audience: 'none', cookie: 'old' });
  const starting = (...authentications: (typeof users)[]): Promise<unknown> =>
    prepare({ api: apiVersion, router: createRouter([]), authentications }, false);
  await expect(starting(users)).resolves.toBeDefined();
  const error: unknown = await starting(users, legacy).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  expect(error).toMatchObject({
    problems: [expect.stringContaining('users and legacy have a key in common')],
  });
});
