/** Forwards a request to the third party. */
import { request as sendHttp, type IncomingMessage } from 'node:http';
import { request as sendHttps } from 'node:https';
import type { StubRequest } from './stub-server.js';

/** The response of a third party. */
export interface ForwardedResponse {
  readonly status: number;
  /** Lowercase names; for a repeated header the last value, except for `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Headers that only apply to one connection, and headers of proxies. */
const ofConnection = /^(?:connection|keep-alive|host|te|trailer|transfer-encoding|upgrade|proxy-\w+)$/;

/** Milliseconds; the service itself has a lower limit. */
const timeLimit = 60_000;

/** `origin`: such as `https://api.example.com`. Rejects with the system error. */
export function forwardRequest(origin: string, request: StubRequest): Promise<ForwardedResponse> {
  const { method, path, query, headers, body } = request;
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.test(name));
  const url = `${origin}${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
  const send = url.startsWith('https:') ? sendHttps : sendHttp;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      url,
      {
        method,
        // Recorded responses must not be compressed, because people read them.
        headers: { ...Object.fromEntries(kept), 'accept-encoding': 'identity' },
        agent: false,
        timeout: timeLimit,
      },
      (incoming) => {
        readResponse(incoming).then(resolve, reject);
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function readResponse(incoming: IncomingMessage): Promise<ForwardedResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    value === undefined || ofConnection.test(name) || name === 'content-length'
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return {
    status: incoming.statusCode ?? 502,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  };
}
