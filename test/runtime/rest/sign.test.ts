/** Signed requests: the authentication that verifies signatures accepts everything that is sent with one. */
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UploadedFile } from '../../../runtime/handler/call.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { offeredBodies } from '../../../runtime/http/body-bytes.js';
import type { AccessRequest } from '../../../runtime/http/route.js';
import type { Message } from '../../../runtime/rest/message.js';
import { rest, RestDatasource, type Pause } from '../../../runtime/rest/rest.js';
import { retry } from '../../../runtime/rest/retry.js';
import { signed, signer } from '../../../runtime/rest/sign.js';
import { Environment } from '../../../runtime/server/environment.js';
import { RefusedCredentials } from '../../../runtime/authentication/refusal.js';
import { signature } from '../../../runtime/signature/signature.js';
import type { SchemeName } from '../../../runtime/signature/schemes.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty, type Behaviour } from '../../helpers/third-party.js';

const secrets: Readonly<Record<SchemeName, string>> = {
  github: 'geheim',
  stripe: 'whsec_geheim',
  slack: 'geheim',
  'standard-webhooks': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};
const schemes = Object.keys(secrets) as SchemeName[];

/** The receiver's result for each request: the message id, or null if the request is not signed. */
const found: (string | null)[] = [];
let scheme: SchemeName = 'github';
let behaviour: Behaviour;
let api: ThirdParty;
const done: Behaviour = (_request, response) => response.end();
beforeAll(async () => {
  api = await ThirdParty.start((request, response, body) => {
    const receiver = signature('shop', { scheme });
    receiver.readSettings(new Environment({ AUTHENTICATION_SHOP_SECRET: secrets[scheme] }, ''));
    // Services refuse signed multipart/form-data, so the type is removed; the body has already been read.
    const signedRequest = { headers: { ...request.headers, 'content-type': '' } } as IncomingMessage;
    offeredBodies.set(signedRequest, { read: () => Promise.resolve(body), bytes: Promise.resolve(body) });
    const access = { request: signedRequest } as AccessRequest;
    void Promise.resolve(receiver.identify(access)).then((caller) => {
      const id =
        typeof caller === 'string' || caller instanceof RefusedCredentials ? 'unsigned' : caller['id'];
      found.push(typeof id === 'string' ? id : 'signed');
      behaviour(request, response, body);
    });
  });
  behaviour = done;
});
afterAll(() => api.stop());

class Unhurried extends RestDatasource {
  protected override readonly pause: Pause = () => Promise.resolve(true);
}

function datasource(): RestDatasource {
  const made = new Unhurried({ name: 'api', signature: signer(scheme) });
  const environment = new Environment({ DATASOURCE_API_SIGNATURE_SECRET: secrets[scheme] }, '');
  made.readSettings(environment);
  expect(environment.problems).toEqual([]);
  made.open({ url: api.url, responseLimit: 1000 });
  return made;
}

async function receivedAs(
  of: RestDatasource,
  message: Omit<Message, 'url'> & { url?: string | URL },
  method = 'POST',
): Promise<(string | null)[]> {
  found.length = 0;
  const definition = { operation: 'test', fulfillment: 'x', method, retry: retry({ times: 2 }) };
  await of.requestWithStatus(definition)(testCall(), { url: '/', ...message });
  return [...found];
}

const large = Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'é"\n' }));

test.each(schemes)('%s: what is sent is what is signed', async (name) => {
  scheme = name;
  const of = datasource();
  const bodies: Omit<Message, 'url'>[] = [
    { body: { text: 'é', n: 1 } },
    { body: null },
    { body: large },
    { form: { a: 'ü&=', b: ['1', '2'] } },
    {
      multipart: {
        text: 'x',
        file: new UploadedFile('a.png', 'image/png', [Buffer.from([0, 255]), Buffer.from('z')]),
      },
    },
    {},
  ];
  for (const body of bodies) {
    const [one, ...others] = await receivedAs(of, body);
    expect(others).toEqual([]);
    expect(one).not.toBe('unsigned');
  }
  expect(await receivedAs(of, {}, 'GET')).not.toContain('unsigned');
  // Without a signature or with a different secret, the receiver refuses the request.
  const plain = rest({ name: 'api' });
  plain.open({ url: api.url, responseLimit: 1000 });
  expect(await receivedAs(plain, { body: 1 })).toEqual(['unsigned']);
  const other = signed(name, 'whsec_b3RoZXJvdGhlcm90aGVyb3RoZXI=');
  expect(await receivedAs(of, { body: 1, sign: other })).toEqual(['unsigned']);
  expect(await receivedAs(plain, { body: 1, sign: signed(name, secrets[name]) })).not.toContain('unsigned');
  of.close();
  plain.close();
});

test('a redirect that becomes a GET has a signature of its own', async () => {
  scheme = 'stripe';
  const of = datasource();
  behaviour = ({ url }, response) =>
    response.writeHead(url === '/' ? 303 : 200, url === '/' ? { location: '/seen' } : {}).end();
  expect(await receivedAs(of, { body: { a: 1 } })).toEqual(['signed', 'signed']);
  behaviour = done;
  of.close();
});

test('all tries of a message have one id: that of its idempotency key', async () => {
  scheme = 'standard-webhooks';
  const of = datasource();
  let count = 0;
  behaviour = (_request, response) => {
    count += 1;
    response.writeHead(count % 2 === 1 ? 503 : 200).end();
  };
  const [first, second] = await receivedAs(of, { body: 1 }, 'PUT');
  expect(first).toMatch(/^msg_[\da-f-]{36}$/);
  expect(second).toBe(first);
  const [next] = await receivedAs(of, { body: 1 }, 'PUT');
  expect(next).not.toBe(first);
  const withKey = (key: string): Promise<(string | null)[]> =>
    receivedAs(of, { body: 1, header: { 'Idempotency-Key': key } });
  expect(await withKey('order-7')).toEqual(['order-7', 'order-7']);
  const [dotted, again] = await withKey('a.b');
  expect(dotted).toMatch(/^msg_[\da-f]{64}$/);
  expect(again).toBe(dotted);
  expect((await withKey('a.c'))[0]).not.toBe(dotted);
  behaviour = done;
  of.close();
});

test('a signature of the datasource goes to the origin of its url only', async () => {
  scheme = 'github';
  const made = rest({ name: 'api', signature: signer('github') });
  made.readSettings(new Environment({ DATASOURCE_API_SIGNATURE_SECRET: secrets.github }, ''));
  made.open({ url: 'http://127.0.0.1:9', responseLimit: 1000 });
  expect(await receivedAs(made, { url: new URL(api.url), body: 1 })).toEqual(['unsigned']);
  const own = signed('github', secrets.github);
  expect(await receivedAs(made, { url: new URL(api.url), body: 1, sign: own })).toEqual(['signed']);
  made.close();
});

test('what is no secret of the scheme is refused', () => {
  for (const value of [null, '', 7, {}]) expect(() => signed('github', value)).toThrow(ServiceError);
  expect(() => signed('standard-webhooks', 'whsec_short')).toThrow(/not a secret for signatures/);
  const environment = new Environment({ DATASOURCE_API_SIGNATURE_SECRET: 'geheim' }, '');
  signer('standard-webhooks').readSettings('api', environment);
  expect(environment.problems).toEqual([
    'DATASOURCE_API_SIGNATURE_SECRET is not a secret of this scheme: it is the field signature.secret of the datasource api',
  ]);
});
