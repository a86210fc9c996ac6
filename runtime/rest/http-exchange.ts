/** Sends one HTTP request with axios, through an adapter over Node's client. It follows redirects within the origin only. */
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

/** A request that can be sent. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined without a body. In pieces, so that a large body is never copied. */
  readonly content: readonly Buffer[] | undefined;
  /** Whether it goes to the API of the datasource, with its credentials. */
  readonly isOwn: boolean;
  /** Adds headers with a signature, each time it is sent. */
  readonly sign?: Sign | undefined;
}

/** The headers with the signature of a request. */
export type Sign = (outgoing: Outgoing) => Readonly<Record<string, string>>;

/** The agents of its connections. */
interface Connections {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/** Limits of one exchange. */
export interface Transport extends Connections {
  /** Maximum bytes of a response body, compressed and decompressed. */
  readonly responseLimit: number;
  /** Counts bytes of a large response. Throws a ServiceError (503) if the process has no memory for them. */
  readonly hold?: (bytes: number) => void;
  /** Ends the exchange, also while a body arrives slowly. */
  readonly limit: TimeLimit;
}

/** A response, whatever its status; in an exchange as it arrived, then decompressed. */
export interface Incoming {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The response redirects to another origin, or to an invalid URL. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError';
}

const maxRedirects = 5;

/** The bytes of a response and its value, for each byte. */
const growth = 2;

/** Without the defaults of axios, which it merges into every request: `exchange` sets everything. */
const client = new Axios({ headers: {} });

/** Throws a RedirectError, a PackingError, or an error of axios, which must not be logged because it contains the request. */
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

/** Servers often close a connection after a redirect without saying so. */
function freshConnections(): Connections {
  return { httpAgent: new HttpAgent(), httpsAgent: new HttpsAgent() };
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** Like browsers: 303, and 301 or 302 of a POST, become a GET without a body. */
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
 * An axios instance with our adapter. The adapters of axios accept truncated bodies, change headers silently, wait after a switch of
 * protocols, and take half as much processor time again. Headers do not pass through axios: it would copy and check each one several times.
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

/** An adapter of axios: one request and its response with Node's own client. */
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
      // The meaning of the error depends on whether the connection was reused.
      reject(Object.assign(error, { request }));
      request.destroy();
    };
    // Also for a request that waits for a connection; Node would not report it.
    limit.onEnd(() => {
      fail(new Error('its time is over'));
    });
    request.on('error', fail);
    // No other protocol was requested.
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
 * Whether the response is JSON whose end is only marked by the end of the connection. Valid JSON is not empty, so an empty body means that
 * the connection was cut.
 */
function mustHaveBody({ statusCode = 0, headers }: IncomingMessage): boolean {
  const isOpenEnded = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  return isOpenEnded && statusCode !== 204 && statusCode !== 304 && isJsonType(headers['content-type'] ?? '');
}

/** The code of the error for a response whose connection was lost. */
export const cutOff = 'ERR_BAD_RESPONSE_CUT_OFF';

/** Whether Node's code means that the response is not HTTP. A response that was cut off is a lost connection instead. */
export function isNoHttp(code: string): boolean {
  return code !== cutOff && /^(?:HPE_|ERR_BAD_RESPONSE)/.test(code);
}

function garbled(message: string, code = 'ERR_BAD_RESPONSE'): Error {
  return Object.assign(new Error(message), { code });
}
