/**
 * Errors in the operation that looks up the caller of an API key: the client is not authenticated yet, so errors do not reveal anything
 * about the request.
 */
import { createHash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { accept } from '../../../runtime/authentication/accept.js';
import { RefusedCredentials } from '../../../runtime/authentication/refusal.js';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import type { Json } from '../../../runtime/handler/json.js';
import { fail, isFailure, ServiceError, type Reply } from '../../../runtime/handler/reply.js';
import { reply } from '../../../runtime/responses/reply.js';
import { createLog } from '../../../runtime/server/log.js';
import { serve } from '../serve.js';
import { DatabaseFailure, failureError, type Failure } from '../../../runtime/sql/failure.js';

/** The caller; or the reason of the refusal; or status, message and logged reason. */
async function outcomeOf(end: () => Reply): Promise<unknown> {
  const key = apiKey('robots', { header: 'X-Key', operation: () => Promise.resolve().then(end) });
  const request = new IncomingMessage(new Socket());
  request.headersDistinct['x-key'] = ['k'.repeat(40)];
  const log = createLog('silent');
  try {
    const caller = await key.identify({
      ...{ request, query: '', deadline: Infinity, log },
      ...{
        limits: { bodyLimit: 0 },
        accept: () => undefined,
        decided: () => undefined,
        counted: () => undefined,
      },
    });
    return caller instanceof RefusedCredentials ? caller.refusal : caller;
  } catch (error) {
    if (isFailure(error)) return [error.status, error.message, error.code];
    if (!(error instanceof ServiceError)) throw error;
    return [error.status, error.message, error.details.log?.['code']];
  }
}

const database = (failure: Failure) => (): Reply => {
  throw failureError(new DatabaseFailure(failure), { datasource: 'db', operation: 'find key' });
};
const internal = 'Internal server error';
const caller = { sub: 'ada' };
const refused = 'unknown-api-key';

test.each<[string, () => Reply, unknown]>([
  ['a caller', () => reply<Json>(200, caller), caller],
  ['an exception 404', () => raise(fail(404, 'No such key')), refused],
  ['an exception 403', () => raise(fail(403, 'Locked')), refused],
  [
    'an exception 403 with a code',
    () => raise(fail(403, 'Locked', { code: 'locked' })),
    [403, 'Locked', 'locked'],
  ],
  ['an exception 401 with a code', () => raise(fail(401, 'No', { code: 'no' })), refused],
  ['an exception 429', () => raise(fail(429, 'Later')), [429, 'Later', undefined]],
  // A division by zero, a key too long for its column, a constraint violation, and a privilege missing from the role.
  ['22012', database({ kind: 'bad-value', code: '22012' }), [500, internal, '22012']],
  ['1406', database({ kind: 'bad-value', code: 1406 }), [500, internal, 1406]],
  ['23505', database({ kind: 'integrity', code: '23505' }), [500, internal, '23505']],
  ['42501', database({ kind: 'forbidden', code: '42501' }), [500, internal, '42501']],
  ['a value of another type', () => raise(new ServiceError(400, 'A value')), [500, internal, undefined]],
  ['a context without a value', () => raise(new ServiceError(403, 'Forbidden')), [500, internal, undefined]],
  ['a timeout', () => raise(new ServiceError(504, 'Too long')), [504, 'Too long', undefined]],
  // Errors raised on purpose.
  ['P0001', database({ kind: 'raised', code: 'P0001' }), [400, 'The database refuses the request', 'P0001']],
  ['PT403', database({ kind: 'raised', code: 'PT403', status: 403 }), refused],
  ['SIGNAL', database({ kind: 'raised', code: 1644, status: 401 }), refused],
  [
    'PT429',
    database({ kind: 'raised', code: 'PT429', status: 429 }),
    [429, 'The database refuses the request', 'PT429'],
  ],
  // The usual response to a busy database.
  ['busy', database({ kind: 'busy' }), [503, 'The service is busy', undefined]],
])('%s', async (_, end, outcome) => {
  expect(await outcomeOf(end)).toEqual(outcome);
});

test.each([
  [true, 'no-store'],
  [false, null],
])('a refusal with a header whose secrecy is %s: Cache-Control is %s', async (secret, stored) => {
  const key = apiKey('robots', {
    header: 'X-Key',
    operation: () => raise(fail(401, 'No', { header: () => ['Set-Cookie', 'visit=1'], secret })),
  });
  const { url, ...served } = await serve([
    { method: 'GET', path: '/', handler: () => reply(204), access: accept(key) },
  ]);
  const { status, headers } = await fetch(url, { headers: { 'x-key': 'k'.repeat(40) } });
  expect([status, headers.get('set-cookie'), headers.get('cache-control')]).toEqual([401, 'visit=1', stored]);
  await served.stop();
});

describe('keys after the word Bearer', () => {
  /** The questions to the operation, and the identities of the values. */
  async function identitiesOf(prefix: string | undefined, ...values: readonly string[]) {
    const asked: Json[] = [];
    const key = apiKey('robots', {
      scheme: 'Bearer',
      ...(prefix !== undefined && { prefix }),
      operation: (call) => {
        asked.push(call.param('key'));
        return Promise.resolve(reply<Json>(200, caller));
      },
    });
    const identities: unknown[] = [];
    for (const value of values) {
      const request = new IncomingMessage(new Socket());
      request.headers.authorization = `bearer ${value}`;
      const access = { request, query: '', deadline: Infinity, log: createLog('silent') };
      identities.push(
        await key.identify({
          ...access,
          ...{
            limits: { bodyLimit: 0 },
            accept: () => undefined,
            decided: () => undefined,
            counted: () => undefined,
          },
        }),
      );
    }
    return { asked, identities };
  }
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

  test('the operation gets the digest of the text after the word', async () => {
    const { asked, identities } = await identitiesOf(undefined, 'one', 'a.b');
    expect(identities).toEqual([caller, caller]);
    expect(asked).toEqual([digest('one'), digest('a.b')]);
  });

  test('tokens and other prefixes never reach the operation', async () => {
    const { asked, identities } = await identitiesOf(
      'tk_',
      'tk_one',
      'TK_one',
      'one',
      '',
      'tk_a.b.c',
      'a.b.c',
    );
    expect(identities).toEqual([caller, ...Array.from({ length: 5 }, () => 'malformed')]);
    expect(asked).toEqual([digest('tk_one')]);
  });
});

function raise(error: Error): never {
  throw error;
}
