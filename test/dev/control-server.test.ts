/** The port on which `dev` is asked for credentials refuses pages, other hosts, and everybody without its secret. */
import { request, type OutgoingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ControlServer } from '../../compiler/tools/dev/control-server.js';
import { NoCredentials, type CredentialsQuestion } from '../../compiler/tools/dev/dev-credentials.js';

const secret = 's'.repeat(64);
let asked: CredentialsQuestion[];
let control: ControlServer;

beforeEach(async () => {
  asked = [];
  control = await ControlServer.start(secret, (question) => {
    asked.push(question);
    if (question.authentication === 'early') return Promise.resolve(undefined);
    if (question.authentication === 'wrong') return Promise.reject(new NoCredentials('Unknown.'));
    if (question.authentication === 'bug') return Promise.reject(new Error('about a token'));
    return Promise.resolve({ text: 'a token' });
  });
});
afterEach(() => control.close());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

const question = JSON.stringify({ authentication: 'users' });

function send({ method = 'POST', path = '/credentials', headers = {}, body = question }: Sent = {}): Promise<{
  status: number | undefined;
  text: string;
}> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${secret}`, ...headers };
    const outgoing = request(
      { host: '127.0.0.1', port: control.port, method, path, headers: all },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => {
          resolve({ status: response.statusCode, text });
        });
      },
    );
    outgoing.on('error', reject).end(body);
  });
}

test('a question with the secret is answered, and a refusal has its reason', async () => {
  expect(await send()).toEqual({ status: 200, text: '{"text":"a token"}' });
  expect(asked).toEqual([{ authentication: 'users' }]);
  expect(await send({ body: '{"authentication":"early"}' })).toMatchObject({ status: 503 });
  expect(await send({ body: '{"authentication":"wrong"}' })).toEqual({
    status: 422,
    text: '{"message":"Unknown."}',
  });
  expect(await send({ body: '{"authentication":"bug"}' })).toEqual({
    status: 500,
    text: '{"message":"The question could not be answered"}',
  });
});

test.each<[string, Sent, number]>([
  ['no secret', { headers: { authorization: '' } }, 403],
  ['another secret', { headers: { authorization: `Bearer ${'t'.repeat(64)}` } }, 403],
  ['a name that was pointed to this machine', { headers: { host: 'attacker.example' } }, 403],
  ['its name with the port', { headers: { host: 'attacker.example:80' } }, 403],
  ['localhost, which a browser would send', { headers: { host: 'localhost' } }, 403],
  ['a page of another origin', { headers: { origin: 'https://attacker.example' } }, 403],
  ['a page of the same origin', { headers: { 'sec-fetch-site': 'same-origin' } }, 403],
  ['another path', { path: '/' }, 404],
  ['a preflight request', { method: 'OPTIONS' }, 404],
  ['a GET', { method: 'GET' }, 404],
  ['no JSON', { body: 'authentication=users' }, 400],
  ['no question', { body: '[]' }, 400],
])('%s', async (_, sent, status) => {
  const { status: received, text } = await send(sent);
  expect(received).toBe(status);
  expect(text).not.toContain('token');
  expect(asked).toEqual([]);
});
