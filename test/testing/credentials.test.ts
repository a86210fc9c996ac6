/** Credentials created by the test runner, for the fixtures with authentications and for other kinds of keys of the same service. */
import { afterEach, expect, test } from 'vitest';
import { everyOf } from '../helpers/runs.js';
import type { Workspace } from '../commands/workspace.js';
import { fixtureFile, fixtureSpace, verdicts } from './workspace-tests.js';

let space: Workspace | undefined;

afterEach(() => {
  space?.remove();
  space = undefined;
});

async function expectPassed(count: number): Promise<void> {
  const { status, stdout } = (await space?.run('test', '--workers', '1')) ?? { status: -1, stdout: '' };
  expect(verdicts(stdout).filter((line) => !line.startsWith('✓'))).toEqual([]);
  expect(verdicts(stdout).length).toBe(count);
  expect(status).toBe(0);
}

test.each([
  ['tokens', 5],
  ['api-keys', 6],
  ['webhooks', 3],
  ['saas', 8],
])('the tests of %s pass', async (name, count) => {
  space = fixtureSpace(name);
  await expectPassed(count);
});

/** Selects some cases, because each builds and starts a service. */
function some<T>(cases: readonly T[]): readonly T[] {
  return cases.filter((_, index) => index % everyOf(3) === 0);
}

const kinds = [
  ['keys that the issuer publishes', 'jwks: https://id.example/keys'],
  ['published keys of RSA', "jwks: 'https://${ID}/keys'\n    algorithms: [RS256]"],
  ['a public key', 'key: ${TOKEN_KEY}\n    algorithms: [EdDSA]'],
  ['a secret that is longer', 'key: ${TOKEN_KEY}\n    algorithms: [HS512]'],
  ['a cookie', 'key: ${TOKEN_KEY}\n    cookie: session'],
  ['another word, and an issuer of the environment', 'key: ${TOKEN_KEY}\n    scheme: Token'],
] as const;

test.each(some(kinds))('tokens with %s', async (_, key) => {
  space = fixtureSpace('tokens');
  const config = fixtureFile('tokens', 'config.yaml').replace('key: ${TOKEN_KEY}', key);
  space.write('config.yaml', config.replace('https://id.example\n', '${ISSUER}\n'));
  await expectPassed(5);
});

const accounts = [
  ['a password of the configuration', 'user: staff\n    password: written-in-the-file'],
  ['the hash of a password', 'user: staff\n    passwordHash: ${STAFF_HASH}'],
] as const;

test.each(some(accounts))('an account with %s', async (_, account) => {
  space = fixtureSpace('api-keys');
  const config = fixtureFile('api-keys', 'config.yaml');
  space.write('config.yaml', config.replace('user: staff\n    password: ${STAFF_PASSWORD}', account));
  await expectPassed(6);
});

test.each(some(['github', 'stripe', 'slack', 'standard-webhooks']))('signatures of %s', async (scheme) => {
  space = fixtureSpace('webhooks');
  const config = fixtureFile('webhooks', 'config.yaml').replace('scheme: github', `scheme: ${scheme}`);
  space.write('config.yaml', config);
  await expectPassed(3);
});

test('a failed test names the reason of refused credentials', async () => {
  space = fixtureSpace('tokens');
  space.write(
    'config.test.yaml',
    `tests:
  - name: another audience
    request: GET /notes
    authentication: users
    claims: { tenant: 1, aud: orders }
  - name: a missing scope
    request: DELETE /notes/1
    authentication: users
    claims: { tenant: 1, scope: notes:write }
    response: { statuscode: 204 }
  - name: another status
    request: GET /notes
    response: { statuscode: 403 }
  - name: as expected
    request: GET /notes
    response: { statuscode: 401 }
`,
  );
  const { status, stdout } = await space.run('test', '--workers', '1');
  expect(status).toBe(1);
  expect([...stdout.matchAll(/expected the status .*\)/g)].map(([line]) => line)).toEqual([
    'expected the status of a success, but it is 401 (credentials refused: audience)',
    'expected the status 204, but it is 403 (credentials refused: scope)',
    'expected the status 403, but it is 401 (credentials refused: missing)',
  ]);
});

test('a test file that sets the key of tokens itself', async () => {
  space = fixtureSpace('tokens');
  const tests = fixtureFile('tokens', 'config.test.yaml');
  const environment = 'environment: { TOKEN_KEY: another-secret-of-32-bytes-and-more }\n';
  space.write('config.test.yaml', environment + tests);
  await expectPassed(5);
});
