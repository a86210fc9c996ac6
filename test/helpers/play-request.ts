/** Plays one request of a fixture against a running service and compares the answer. */
import { request as send, type IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import type { FixtureRequest } from './service-fixture.js';

export async function play(expected: FixtureRequest, url: string): Promise<void> {
  const end = performance.now() + (expected.until ?? 0) * 1000;
  for (;;) {
    try {
      await playOnce(expected, url);
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function playOnce(expected: FixtureRequest, url: string): Promise<void> {
  const answer = await ask(expected, url);
  const shown = `${expected.request}: ${answer.text}`;
  expect(answer.status, shown).toBe(expected.status);
  expect(answer.headers['x-request-id'], 'X-Request-Id').toBeTruthy();
  for (const [name, value] of Object.entries(expected.responseHeader ?? {})) {
    expect(answer.headers[name], name).toBe(value);
  }
  if (expected.text !== undefined) expect(answer.text).toBe(expected.text);
  if (expected.answer !== undefined) expect(JSON.parse(answer.text)).toEqual(expected.answer);
  if (expected.message !== undefined) {
    const body = JSON.parse(answer.text) as { message: string };
    expect(Object.keys(body)).toEqual(['message']);
    expect(body.message).toContain(expected.message);
  }
  if (answer.text !== '') expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Node's own client: unlike fetch it changes nothing in path and headers. */
function ask({ request, header, body, bodyText }: FixtureRequest, url: string): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ');
  const { hostname, port } = new URL(url);
  const content = body === undefined ? bodyText : JSON.stringify(body);
  const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...header };
  return new Promise((resolve, reject) => {
    const outgoing = send({ hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(content);
  });
}
