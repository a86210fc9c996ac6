/** Sends one request of a fixture to a running service and compares the response. */
import { request as send, type IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import type { TestCredentials } from '../../compiler/tools/testing/test-credentials.js';
import type { FixtureRun } from './fixture-run.js';
import type { FixturePart, FixtureRequest } from './service-fixture.js';
import type { ThirdParty } from './third-party.js';

/** `thirdParty` has recorded the requests sent by the service. */
export async function play(
  expected: FixtureRequest,
  { service: { url }, thirdParty, credentials, kept }: FixtureRun,
): Promise<void> {
  const end = performance.now() + (expected.until ?? 0) * 1000;
  for (;;) {
    try {
      thirdParty.take();
      await playOnce(expected, url, credentials, kept);
      await compareReceived(expected, thirdParty);
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function playOnce(
  written: FixtureRequest,
  url: string,
  credentials: TestCredentials,
  kept: Map<string, string>,
): Promise<void> {
  compareResponse(written, await ask(await signed(filled(written, kept), credentials), url), kept);
}

/** Compares the response with that of the fixture, and keeps the parts that later requests send. */
export function compareResponse(
  written: FixtureRequest,
  response: PlayedResponse,
  kept: Map<string, string>,
): void {
  for (const [name, { header, pattern }] of Object.entries(written.keep ?? {})) {
    const text = header === undefined ? response.text : String(response.headers[header]);
    const found = new RegExp(pattern).exec(text)?.[1];
    expect(found, `${pattern} in ${text}`).toBeDefined();
    kept.set(name, found ?? '');
  }
  const expected = filled(written, kept);
  const shown = `${expected.request}: ${response.text}`;
  expect(response.status, shown).toBe(expected.status);
  expect(response.headers['x-request-id'], 'X-Request-Id').toBeTruthy();
  for (const [name, value] of Object.entries(expected.responseHeader ?? {})) {
    expect(response.headers[name] ?? null, name).toEqual(value);
  }
  if (expected.text !== undefined) expect(response.text).toBe(expected.text);
  if (expected.response !== undefined) expect(JSON.parse(response.text)).toEqual(expected.response);
  if (expected.message !== undefined) {
    const body = JSON.parse(response.text) as { message: string };
    expect(Object.keys(body)).toEqual(['message']);
    expect(body.message).toContain(expected.message);
  }
  const type = expected.responseHeader?.['content-type'] ?? 'application/json; charset=utf-8';
  if (response.text !== '') expect(response.headers['content-type']).toBe(type);
}

/** The request with kept parts in place of `:[name]`. */
export function filled(request: FixtureRequest, kept: ReadonlyMap<string, string>): FixtureRequest {
  if (kept.size === 0) return request;
  const text = JSON.stringify(request).replaceAll(
    /:\[(\w+)\]/g,
    (all, name: string) => kept.get(name) ?? all,
  );
  return JSON.parse(text) as FixtureRequest;
}

/** Waits for the requests that the third party must receive, and compares them. */
export async function compareReceived(
  { receives, request }: FixtureRequest,
  thirdParty: ThirdParty,
): Promise<void> {
  if (receives === undefined) return;
  const all = thirdParty.take();
  // Requests sent after a commit may arrive after the response.
  const end = performance.now() + 10_000;
  while (all.length < receives.length && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    all.push(...thirdParty.take());
  }
  // Concurrent iterations are not ordered.
  const received = sorted(all);
  expect(
    received.map((one) => one.request),
    request,
  ).toEqual(sorted(receives).map((one) => one.request));
  for (const [index, { header = {}, body }] of sorted(receives).entries()) {
    const one = received[index];
    for (const [name, value] of Object.entries(header)) {
      const actual = one?.headers[name]?.toString().replace(/(?<=boundary=).*/, 'BOUNDARY') ?? null;
      expect(actual, name).toBe(value);
    }
    if (body !== undefined) expect(one?.body).toBe(body);
  }
}

function sorted<Request extends { readonly request: string }>(requests: readonly Request[]): Request[] {
  return [...requests].sort((a, b) => (a.request < b.request ? -1 : 1));
}

/** A response, with names of headers in lower case. */
export interface PlayedResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Adds the credentials of the request's authentication. */
async function signed(request: FixtureRequest, credentials: TestCredentials): Promise<FixtureRequest> {
  const { authentication, claims = {}, key, header } = request;
  if (authentication === undefined) return request;
  const content = Buffer.from(contentOf(request) ?? '');
  const { headers } = await credentials.of({ authentication, claims, key }, content);
  return { ...request, header: { ...headers, ...header } };
}

/** The body of a request. */
export function contentOf({ body, bodyText, parts }: FixtureRequest): string | undefined {
  if (parts !== undefined) return parts.map(partText).concat('--parts--\r\n').join('');
  return body === undefined ? bodyText : JSON.stringify(body);
}

/** Uses Node's HTTP client: unlike fetch, it does not change paths and headers. */
function ask(expected: FixtureRequest, url: string): Promise<PlayedResponse> {
  const { request, header, body, parts } = expected;
  const [method = '', path = ''] = request.split(' ');
  const { hostname, port } = new URL(url);
  const type =
    parts === undefined
      ? body === undefined
        ? {}
        : { 'content-type': 'application/json' }
      : { 'content-type': 'multipart/form-data; boundary=parts' };
  const headers = { ...type, ...header };
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
    outgoing.end(contentOf(expected));
  });
}

function partText({ name, filename, type, text }: FixturePart): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  const contentType = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  return `--parts\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${contentType}\r\n${text}\r\n`;
}
