/** HTTP Basic with accounts that an operation finds: what is verified when, and what strangers learn. */
import { expect, test } from 'vitest';
import { accept } from '../../../runtime/authentication/accept.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { fail, type Reply } from '../../../runtime/handler/reply.js';
import type { Json } from '../../../runtime/handler/json.js';
import { foundAccount, hashPassword, verifyPassword } from '../../../runtime/passwords/index.js';
import { HashThreads } from '../../../runtime/passwords/hash-threads.js';
import { withLimits } from '../../../runtime/limits/with-limits.js';
import { reply } from '../../../runtime/responses/reply.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { DatabaseFailure, failureError, type Failure } from '../../../runtime/sql/failure.js';
import { serve } from '../serve.js';

const call = { proceed: () => undefined };
const bcrypt = '$2b$04$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG';

async function opened(find: (user: Json) => Reply) {
  const asked: Json[] = [];
  const staff = foundAccount('staff', {
    operation: (call) => {
      const user = call.param('user');
      asked.push(user);
      return Promise.resolve(find(user));
    },
  });
  const plain = basicAuth('plain');
  const variables = { AUTHENTICATION_PLAIN_USER: 'plain', AUTHENTICATION_PLAIN_PASSWORD: 'plain' };
  readSettings({ variables, authentications: [staff, plain] });
  const access = accept(staff, plain);
  const served = await serve([
    { method: 'GET', path: '/me', handler: ({ caller }) => reply(200, caller), access },
  ]);
  const logIn = async (user: string, password: string): Promise<unknown> => {
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const response = await fetch(`${served.url}/me`, { headers: { authorization } });
    return response.status === 200 ? response.json() : [response.status, await response.text()];
  };
  return { logIn, asked, stop: () => served.stop() };
}

const unauthorized = [401, '{"message":"Unauthorized"}'];

test('the caller has the fields of the response without the hash; the user is NFC', async () => {
  const { logIn, asked, stop } = await opened((user) =>
    reply(200, { sub: user, role: 'admin', passwordHash: bcrypt }),
  );
  expect(await logIn('žluť'.normalize('NFD'), 'lètmein')).toEqual({
    ...{ sub: 'žluť', role: 'admin', authentication: 'staff' },
  });
  expect(asked).toEqual(['žluť']);
  await stop();
});

test('refusals have one response, whatever their reason is', async () => {
  const { logIn, stop } = await opened((user) => {
    if (user === 'locked') throw fail(403, 'Locked', { code: 'locked', header: () => ['X-Locked', 'yes'] });
    if (user === 'unknown') throw fail(404, 'Unknown');
    if (user === 'empty') return reply(200);
    return reply(200, { sub: user, passwordHash: user === 'ada' ? bcrypt : null });
  });
  for (const user of ['locked', 'unknown', 'empty', 'ada', 'without'])
    expect(await logIn(user, 'wrong'), user).toEqual(unauthorized);
  expect(await logIn('ada', '')).toEqual(unauthorized);
  await stop();
});

test('the operation is not called for what cannot be an account', async () => {
  const { logIn, asked, stop } = await opened(() => reply(200, { sub: 'x', passwordHash: bcrypt }));
  for (const [user, password] of [
    ['a\0b', 'x'],
    ['', 'x'],
    ['x'.repeat(1025), 'x'],
    ['ada', 'x'.repeat(1025)],
    ['ada', 'a\0b'],
  ] as const)
    expect(await logIn(user, password)).toEqual(unauthorized);
  expect(asked).toEqual([]);
  await stop();
});

test('another account at the same place is also accepted', async () => {
  const { logIn, stop } = await opened(() => {
    throw fail(404, 'Unknown');
  });
  expect(await logIn('plain', 'plain')).toEqual({ sub: 'plain', authentication: 'plain' });
  await stop();
});

test.each([
  [400, 401],
  [409, 401],
  [423, 401],
  [429, 429],
  [503, 503],
])('an exception %i is %i, and a refusal compares the password', async (status, sent) => {
  const { logIn, stop } = await opened(() => {
    throw fail(status, 'The account', { header: () => ['X-Account', 'yes'] });
  });
  const jobs = await jobsOf(async () => {
    expect(await logIn('ada', 'x')).toEqual(
      sent === 401 ? unauthorized : [sent, '{"message":"The account"}'],
    );
  });
  expect(jobs).toBe(sent === 401 ? 1 : 0);
  await stop();
});

test.each([
  ['a response 423', () => reply(423, { message: 'Locked' })],
  ['a rule of the database', () => raise({ kind: 'raised', code: 'PT423', status: 423 })],
  ['a rule without a status', () => raise({ kind: 'raised', code: 'P0001' })],
])('%s is a refusal, and compares the password', async (_, find) => {
  const { logIn, stop } = await opened(find);
  const jobs = await jobsOf(async () => {
    expect(await logIn('ada', 'x')).toEqual(unauthorized);
  });
  expect(jobs).toBe(1);
  await stop();
});

function raise(failure: Failure): never {
  throw failureError(new DatabaseFailure(failure), { datasource: 'db', operation: 'find account' });
}

/** The networks whose jobs were counted by `jobsOf`. */
const networks: unknown[] = [];

/** Counts the hashes that `run` computes. `isReady`: when the first one begins. */
async function jobsOf(run: () => Promise<unknown>, isReady = () => true): Promise<number> {
  let jobs = 0;
  const original = Object.getOwnPropertyDescriptor(HashThreads.prototype, 'run')?.value as HashThreads['run'];
  HashThreads.prototype.run = async function (job, client) {
    jobs += 1;
    networks.push(client?.network);
    await expect.poll(isReady).toBe(true);
    return original.call(this, job, client);
  };
  try {
    await run();
    return jobs;
  } finally {
    HashThreads.prototype.run = original;
  }
}

test('a password is remembered for its hash alone', async () => {
  let hash = await hashPassword(call, 'first');
  const { logIn, stop } = await opened((user) => reply(200, { sub: user, passwordHash: hash }));
  const caller = { sub: 'ada', authentication: 'staff' };
  const first = await jobsOf(async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => logIn('ada', 'first')));
    expect(all).toEqual(Array.from({ length: 10 }, () => caller));
    expect(await logIn('ada', 'first')).toEqual(caller);
  });
  expect(first).toBe(1);
  hash = await hashPassword(call, 'second');
  const second = await jobsOf(async () => {
    expect(await logIn('ada', 'first')).toEqual(unauthorized);
    expect(await logIn('ada', 'second')).toEqual(caller);
  });
  expect(second).toBe(2);
  await stop();
});

test('hashes are jobs of the network of the client', async () => {
  const { logIn, stop } = await opened((user) => reply(200, { sub: user, passwordHash: null }));
  const served = await serve({
    'GET /hash': async (call) =>
      reply(200, [await hashPassword(call, 'x'), await verifyPassword(call, 'x', null)]),
  });
  networks.length = 0;
  await jobsOf(async () => {
    expect(await logIn('ada', 'x')).toEqual(unauthorized);
    expect((await fetch(`${served.url}/hash`)).status).toBe(200);
  });
  expect(networks).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  await served.stop();
  await stop();
});

test('a limit counts by the user that the client names', async () => {
  const limited = withLimits(
    foundAccount('staff', {
      operation: () => {
        throw fail(404, 'Unknown');
      },
    }),
    [{ by: (credentials) => [credentials.param('user')], times: 2, within: 60 }],
  );
  const served = await serve([
    { method: 'GET', path: '/me', handler: () => reply(204), access: accept(limited) },
  ]);
  const logIn = async (user: string): Promise<number> => {
    const authorization = `Basic ${Buffer.from(`${user}:guessed`).toString('base64')}`;
    return (await fetch(`${served.url}/me`, { headers: { authorization } })).status;
  };
  const statuses = [await logIn('ada'), await logIn(' ADA '), await logIn('ada'), await logIn('eva')];
  expect(statuses).toEqual([401, 401, 429, 401]);
  await served.stop();
});
test.each(['ada', 'nobody', 'without'])(
  'equal requests of %s compute one hash, and others one each',
  async (user) => {
    const { logIn, asked, stop } = await opened((name) => {
      if (name === 'nobody') throw fail(404, 'Unknown');
      return reply(200, { sub: name, passwordHash: name === 'ada' ? bcrypt : null });
    });
    const jobs = (password: (at: number) => string): Promise<number> => {
      asked.length = 0;
      const all = Array.from({ length: 8 }, (_, at) => at);
      return jobsOf(
        () => Promise.all(all.map((at) => logIn(user, password(at)))),
        () => asked.length === 8,
      );
    };
    expect(await jobs(() => 'wrong')).toBe(1);
    expect(await jobs((at) => `wrong ${at}`)).toBe(8);
    await stop();
  },
);
