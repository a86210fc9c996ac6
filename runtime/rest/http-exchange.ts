/** Sends HTTP requests with axios, through an adapter for Node's HTTP client. Follows redirects only within the same origin. */
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Axios, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { uncounted } from '../handler/memory.js';
import { asError } from '../handler/reply.js';
import { isJsonType } from './parse-response-body.js';
import type { TimeLimit } from './time-limit.js';
import { SizeError, unpack } from './unpack.js';

/** A request that is ready to be sent. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, in pieces to avoid copying large bodies; undefined if there is no body. */
  readonly content: readonly Buffer[] | undefined;
  /** Whether the request is sent to the API of the datasource, with its credentials. */
  readonly isOwn: boolean;
  /** Creates signature headers each time the request is sent. */
  readonly sign?: Sign | undefined;
}

/** Returns signed headers for a request. */
export type Sign = (outgoing: Outgoing) => Readonly<Record<string, string>>;

/** The agents that hold connections. */
interface Connections {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/** Limits of one exchange. */
export interface Transport extends Connections {
  /** Maximum bytes of a response body, compressed and decompressed. */
  readonly responseLimit: number;
  /** Counts the memory of a large response. Throws a ServiceError 503 if the process does not have enough memory. */
  readonly hold?: (bytes: number) => void;
  /** Ends the exchange, even if a body is arriving slowly. */
  readonly limit: TimeLimit;
}

/** A response with any status. Compressed as returned by `exchange`, and decompressed as returned by `send`. */
export interface Incoming {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A redirect to another origin or to an invalid URL. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError';
}

const maxRedirects = 5;

/** Memory of a response and its value, relative to the bytes of the response. */
const growth = 2;

/** Created without axios's defaults, which would be merged into every request; `exchange` sets everything. */
const client = new Axios({ headers: {} });

/**
 * Sends a request and follows redirects. Throws a RedirectError, a PackingError, or an axios error, which contains the request and must
 * not be logged.
 */
export async function send(first: Outgoing, transport: Transport): Promise<Incoming> {
  let outgoing = first;
  let connections: Connections = transport;
  for (let redirects = 0; ; redirects += 1) {
    const { status, headers, bytes: data } = await exchange(signed(outgoing), transport, connections);
    const { location } = headers;
    if (!isRedirect(status) || location === undefined) {
      const bytes = await unpack(data, headers['content-encoding'] ?? '', transport.responseLimit);
      return { status, headers, bytes };
    }
    if (redirects === maxRedirects) throw new RedirectError(`more than ${maxRedirects} redirects`);
    outgoing = follow(outgoing, status, location);
    connections = freshConnections();
  }
}

function signed(outgoing: Outgoing): Outgoing {
  const { sign, headers } = outgoing;
  return sign === undefined ? outgoing : { ...outgoing, headers: { ...headers, ...sign(outgoing) } };
}

/** New agents for a redirect, because servers often close the connection afterwards without announcing it. */
function freshConnections(): Connections {
  return { httpAgent: new HttpAgent(), httpsAgent: new HttpsAgent() };
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** Follows a redirect as browsers do: 303, and 301 or 302 of a POST, become a GET without a body. */
function follow(outgoing: Outgoing, status: number, location: string): Outgoing {
  const { method, headers } = outgoing;
  const { href } = outgoing.url;
  const url = URL.canParse(location, href) ? new URL(location, href) : undefined;
  if (url?.origin !== outgoing.url.origin) throw new RedirectError('a redirect to another origin');
  url.username = '';
  url.password = '';
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) return { ...outgoing, url };
  const kept = Object.entries(headers).filter(([name]) => !/^content-/i.test(name));
  return { ...outgoing, method: 'GET', url, headers: Object.fromEntries(kept), content: undefined };
}

/**
 * Sends a request with an axios instance and a custom adapter. The adapters of axios accept truncated bodies, silently change headers,
 * hang after protocol upgrades, and take 50 % more CPU time. Headers bypass axios, which would copy and check each header several
 * times.
 */
export async function exchange(
  outgoing: Outgoing,
  transport: Transport,
  connections: Connections,
): Promise<Incoming> {
  const { data } = await client.request<Incoming>({
    method: outgoing.method,
    url: outgoing.url.href,
    adapter: (config) => converse(config, outgoing, transport, connections),
  });
  return data;
}

/** An axios adapter: sends a request and receives its response with Node's HTTP client. */
function converse(
  config: InternalAxiosRequestConfig,
  { method, url, headers, content }: Outgoing,
  { responseLimit, limit, hold }: Transport,
  { httpAgent, httpsAgent }: Connections,
): Promise<AxiosResponse<Incoming>> {
  const isSecure = url.protocol === 'https:';
  const options = { method, headers, agent: isSecure ? httpsAgent : httpAgent };
  const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      // The request is attached because the meaning of the error depends on whether the connection was reused.
      reject(Object.assign(error, { request }));
      request.destroy();
    };
    // This also covers requests that wait for a connection, which Node would not report.
    limit.onEnd(() => {
      fail(new Error('its time is over'));
    });
    request.on('error', fail);
    // Protocol upgrades are never requested.
    request.once('upgrade', () => {
      fail(garbled('a switch of protocols'));
    });
    request.once('response', (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let held = 0;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > responseLimit) fail(new SizeError(responseLimit));
        if (growth * size < held + uncounted) return;
        try {
          hold?.(growth * size - held);
          held = growth * size;
        } catch (error) {
          reject(asError(error));
          request.destroy();
        }
      });
      incoming.once('end', () => {
        if (size === 0 && method !== 'HEAD' && mustHaveBody(incoming)) {
          fail(garbled('a response that is cut off', cutOff));
          return;
        }
        const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
        const { statusCode: status = 0, statusMessage: statusText = '' } = incoming;
        const data = { status, headers: incoming.headers, bytes };
        resolve({ data, status, statusText, headers: {}, config });
      });
      incoming.once('aborted', () => {
        fail(garbled('a response that is cut off', cutOff));
      });
      incoming.on('error', fail);
    });
    for (const chunk of content ?? []) request.write(chunk);
    request.end();
  });
}

/**
 * Whether the response is JSON whose end is only marked by the end of the connection. JSON cannot be empty, so an empty body means that
 * the connection was cut.
 */
function mustHaveBody({ statusCode = 0, headers }: IncomingMessage): boolean {
  const isOpenEnded = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  return isOpenEnded && statusCode !== 204 && statusCode !== 304 && isJsonType(headers['content-type'] ?? '');
}

/** The error code for a response whose connection was lost. */
export const cutOff = 'ERR_BAD_RESPONSE_CUT_OFF';

/** Whether Node's error code means that the response is not HTTP. A truncated response counts as a lost connection instead. */
export function isNoHttp(code: string): boolean {
  return code !== cutOff && /^(?:HPE_|ERR_BAD_RESPONSE)/.test(code);
}

function garbled(message: string, code = 'ERR_BAD_RESPONSE'): Error {
  return Object.assign(new Error(message), { code });
}
