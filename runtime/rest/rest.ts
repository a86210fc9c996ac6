/** REST datasources: calls of third-party HTTP APIs. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { afterChanges, noteChange, type Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import type { CallOutcome, Observer } from '../server/contracts.js';
import type { Environment } from '../server/environment.js';
import type { DatasourceSettings } from '../server/settings.js';
import { ServiceError } from '../handler/reply.js';
import { abortableBy, NotNeeded } from './abortable-call.js';
import type { RestResponse } from './rest-response.js';
import { isJsonType, parseResponseBody } from './parse-response-body.js';
import { parseBaseUrl, resolveUrl, type BaseUrl } from './base-url.js';
import { badResponse, tookTooLong, unreachable, type CallSite } from './failure.js';
import { isHeaderText } from './header-text.js';
import { contentOf, mergeHeaders, type Content, type Message } from './message.js';
import { cutOff, isNoHttp, RedirectError, send, type Incoming, type Outgoing } from './http-exchange.js';
import type { Identity, RateLimit, Signer } from './parts.js';
import { TimeLimit } from './time-limit.js';
import { acceptEncoding, PackingError, SizeError } from './unpack.js';

/** The configuration of a REST datasource, except the URL. */
export interface RestDefinition {
  readonly name: string;
  /** False if every request has an absolute URL; true by default. */
  readonly needsUrl?: boolean;
  /** The names of headers that are added to every request. Their values are settings of the service. */
  readonly header?: readonly string[];
  /** Time limit of a request including its redirects, in seconds; 30 by default. */
  readonly timeout?: number;
  /** The default for requests without `response`. */
  readonly response?: ResponseForm;
  /** The default for requests without `retry`. */
  readonly retry?: Retry;
  /** Authenticates requests: `oauth2({ scope: 'orders' })`. */
  readonly oauth2?: Identity;
  /** Signs requests to the API of the datasource: `signer('github')`. */
  readonly signature?: Signer;
  /** Limits the rate of requests: `rateLimit({ perSecond: 10 })`. */
  readonly limit?: RateLimit;
}

/** The configuration of a request, without the values of a call. */
export interface RequestDefinition {
  /** The names of the operation and the fulfillment, for logs. */
  readonly operation: string;
  readonly fulfillment: string;
  /** The HTTP method, in upper case. */
  readonly method: string;
  /**
   * False for a GET or HEAD that changes data and must not be resent. Other GETs and HEADs are resent immediately if a reused
   * connection turns out to be closed.
   */
  readonly resend?: false;
  /** The form of the body, regardless of its content type. */
  readonly response?: ResponseForm;
  /** Whether the operation reads parts of the body. If the body is then a string, which does not have parts, this is logged. */
  readonly readsParts?: true;
  /** Retries after failures: `retry({ times: 3 })`. */
  readonly retry?: Retry;
  /** Requests all pages of a list: `allPages({ next: 'link', max: 10 })`. */
  readonly pages?: Pages;
  /** Logs mismatches between responses and the API description: `describedResponses({ 200: … })`. */
  readonly described?: Described;
}

/** The form of a body: a JSON value or a string. */
export type ResponseForm = 'json' | 'text';

/** Compares a response with the API description, and warns of mismatches. */
export type Described = (response: RestResponse, warn: (contradiction: string) => void) => void;

/** Requests one page after another. */
export type Pages = (paged: PagedRequest) => Promise<RestResponse>;

/** The request for the first page, which is repeated for further pages. */
export interface PagedRequest {
  readonly call: Call;
  /** The URL of the first page. */
  readonly url: URL;
  readonly callSite: CallSite;
  /** Sends the request to the URL of a page. */
  readonly ask: (page: URL) => Promise<RestResponse>;
}

/** A request with the values of a call. */
interface Asked {
  readonly call: Call;
  readonly message: Message;
  readonly definition: RequestDefinition;
  readonly callSite: CallSite;
  /** Decides from the status whether the body is read. */
  readonly isRead: (status: number) => boolean;
}

/** Sends a request, with retries, and returns the final response. */
export type Retry = (tries: Tries) => Promise<Incoming>;

/** A request that can be sent several times with the same bytes. */
export interface Tries {
  readonly call: Call;
  readonly outgoing: Outgoing;
  /** True if the method may be repeated even though the API has received the first request. */
  readonly isRepeatable: boolean;
  /** Sends the request once. Throws a RequestFailure for a missing or unusable response. */
  readonly send: () => Promise<Incoming>;
  /** Replaces the pause before a retry; returns false if there is not enough time. */
  readonly pause: Pause | undefined;
  /** Whether the service is stopping. */
  readonly isStopping: () => boolean;
  /** Called with the reason if a retry is needed but not possible. */
  readonly ended: (reason: string) => void;
}

/** Waits for the given milliseconds; `left` is the remaining time of the call. Returns false if the retry must not start. */
export type Pause = (milliseconds: number, left: number) => Promise<boolean>;

/**
 * Sends a request; `signal` aborts it if its result is no longer needed. Throws a ServiceError: 400 for values that cannot be sent, 502 without a usable response, 504 after the timeout.
 */
export type Request<Result> = (call: Call, message: Message, signal?: AbortSignal) => Promise<Result>;

/** Milliseconds before an idle connection is closed. Many servers close idle connections after five seconds. */
const idleTimeout = 4_000;
const agentOptions = { keepAlive: true, maxSockets: 256, maxFreeSockets: 64, timeout: idleTimeout };

/** Default headers of every request. */
const common = {
  Accept: 'application/json, */*;q=0.8',
  'Accept-Encoding': acceptEncoding,
  'User-Agent': 'apikiln',
};

/** Creates a REST datasource. */
export function rest(definition: RestDefinition): RestDatasource {
  return new RestDatasource(definition);
}

export class RestDatasource {
  readonly name: string;
  readonly needsUrl: boolean;
  readonly header: readonly string[];
  /** The time limit of a request, in milliseconds. */
  readonly timeout: number;
  private readonly response: ResponseForm | undefined;
  private readonly retry: Retry | undefined;
  private readonly oauth2: Identity | undefined;
  private readonly signature: Signer | undefined;
  private readonly limit: RateLimit | undefined;
  private readonly httpAgent = new HttpAgent(agentOptions);
  private readonly httpsAgent = new HttpsAgent(agentOptions);
  private base: BaseUrl | undefined;
  private defaults: Readonly<Record<string, string>> = {};
  private responseLimit = 0;
  private observer: Observer | undefined;
  private isStopping = false;
  /** Requests for which a string body without parts was logged. */
  readonly #logged = new WeakSet<RequestDefinition>();
  private warn: (warning: string) => void = () => undefined;
  protected readonly pause: Pause | undefined;

  constructor(definition: RestDefinition) {
    const { name, needsUrl = true, header = [], timeout = 30 } = definition;
    this.name = name;
    this.needsUrl = needsUrl;
    this.header = header;
    this.timeout = timeout * 1000;
    this.response = definition.response;
    this.retry = definition.retry;
    this.oauth2 = definition.oauth2;
    this.signature = definition.signature;
    this.limit = definition.limit;
  }

  /** Reads the settings of optional parts. Errors are added to the problems of the environment. */
  readSettings(environment: Environment): void {
    this.oauth2?.readSettings(this.name, environment);
    this.signature?.readSettings(this.name, environment);
  }

  /** Applies the settings without connecting. Throws an Error whose message does not contain secrets. */
  open(
    { url, user, password, header, responseLimit }: DatasourceSettings,
    warn: (warning: string) => void = () => undefined,
  ): readonly string[] {
    this.responseLimit = responseLimit;
    this.warn = warn;
    const base = url === '' ? undefined : parseBaseUrl(url);
    if (typeof base === 'string') throw new Error(`its url cannot be used: ${base}`);
    this.base = base;
    const account = { user: user ?? base?.user, password: password ?? base?.password };
    this.defaults = { ...authorization(account), ...header };
    for (const [name, value] of Object.entries(this.defaults)) {
      if (!isHeaderText(value)) throw new Error(`the header ${name} has characters that no header can carry`);
    }
    return [];
  }

  /** Reports every call to the observer from now on. */
  observe(observer: Observer): void {
    this.observer = observer;
  }

  /** Stops retries, because the service is stopping. */
  stop(): void {
    this.isStopping = true;
  }

  close(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  /** Creates a request whose result is the response body. A status outside 2xx ends the operation with 502. */
  request(definition: RequestDefinition): Request<Json> {
    const callSite = this.callSiteOf(definition);
    return async (call, message, signal) =>
      successful(
        await this.ask({ call: abortableBy(signal, call), message, definition, callSite, isRead: isSuccess }),
        callSite,
      ).body;
  }

  /** Creates a request whose STATUS is read: the body is returned for any status. */
  requestWithStatus(definition: RequestDefinition): Request<RestResponse> {
    const callSite = this.callSiteOf(definition);
    return (call, message, signal) =>
      this.ask({ call: abortableBy(signal, call), message, definition, callSite, isRead: () => true });
  }

  /** Creates a request whose response headers are read. A status outside 2xx ends the operation with 502. */
  requestWithHeaders(definition: RequestDefinition): Request<RestResponse> {
    const callSite = this.callSiteOf(definition);
    return async (call, message, signal) =>
      successful(
        await this.ask({ call: abortableBy(signal, call), message, definition, callSite, isRead: isSuccess }),
        callSite,
      );
  }

  private callSiteOf({ operation, fulfillment }: RequestDefinition): CallSite {
    return { datasource: this.name, operation, fulfillment };
  }

  private ask(asked: Asked): Promise<RestResponse> {
    const { call, message, definition, callSite } = asked;
    const { url } = message;
    const { pages } = definition;
    if (pages === undefined) return this.askOnce(asked, url);
    // A URL that was written as a string is sent with the credentials of the datasource.
    const ask = (page: URL): Promise<RestResponse> =>
      this.askOnce(asked, typeof url === 'string' ? page.href : page);
    return pages({ call, url: this.urlOf(url), callSite, ask });
  }

  private async askOnce(
    { call, message, definition, callSite, isRead }: Asked,
    url: string | URL,
  ): Promise<RestResponse> {
    const { method, resend, retry = this.retry } = definition;
    call.proceed();
    const isSafeMethod = method === 'GET' || method === 'HEAD';
    const content = contentOf(call, message);
    const outgoing = this.outgoing(
      method,
      url,
      message,
      content instanceof Promise ? await content : content,
    );
    const isResent = isSafeMethod && resend !== false;
    const send = async (one: Outgoing): Promise<Incoming> => {
      const end = await this.limit?.turn(call, callSite);
      if (!isSafeMethod) noteChange(call);
      return this.observed(message, () => this.sendWithin(call, one, isResent, callSite)).finally(end);
    };
    const { oauth2 } = this;
    const sendOnce = (): Promise<Incoming> =>
      oauth2 === undefined || !outgoing.isOwn
        ? send(outgoing)
        : oauth2.send({ call, callSite, outgoing, send });
    const { status, headers, bytes } =
      retry === undefined
        ? await sendOnce()
        : await retry({
            ...{ call, outgoing, send: sendOnce, pause: this.pause },
            isRepeatable: isResent || method === 'PUT' || method === 'DELETE',
            isStopping: () => this.isStopping,
            ended: (reason) => {
              this.ended(message, reason);
            },
          });
    if (!isRead(status)) return { status, headers, body: null };
    const form = definition.response ?? this.response;
    const body = bodyOf(bytes, headers, { callSite, status, form });
    const isText = form === 'text' || (form === undefined && !isJsonType(headers['content-type'] ?? ''));
    const hasNoParts =
      definition.readsParts === true && isText && typeof body === 'string' && isSuccess(status);
    if (hasNoParts) this.noteString(definition, callSite, headers['content-type']);
    const response = { status, headers, body, ...(hasNoParts && { hasNoParts }) };
    definition.described?.(response, (contradiction) => {
      this.warn(`${callSite.operation}, ${callSite.fulfillment}: ${contradiction}`);
    });
    return response;
  }

  /** Logs a string body without parts, once for each request. */
  private noteString(
    definition: RequestDefinition,
    { operation, fulfillment }: CallSite,
    contentType = 'no content type',
  ): void {
    if (this.#logged.has(definition)) return;
    this.#logged.add(definition);
    const type = contentType.length > 60 ? `${contentType.slice(0, 60)}…` : contentType;
    this.warn(
      `${operation}, ${fulfillment}: a response is a string (${type}), so that the parts of it which the operation reads are null. If it is JSON, write 'response: json'`,
    );
  }

  protected outgoing(
    method: string,
    written: string | URL,
    { header, sign }: Pick<Message, 'header' | 'sign'>,
    content: Content | undefined,
  ): Outgoing {
    const url = this.urlOf(written);
    // Credentials are only sent to the API of the datasource.
    const isOwn = this.base === undefined ? typeof written === 'string' : url.origin === this.base.origin;
    return {
      method,
      url,
      headers: mergeHeaders(common, isOwn ? this.defaults : undefined, content?.headers, header),
      content: content?.chunks,
      isOwn,
      sign: sign ?? (isOwn ? this.signature?.ofMessage() : undefined),
    };
  }

  private urlOf(url: string | URL): URL {
    return typeof url === 'string' ? this.checkedUrl(url) : url;
  }

  /**
   * Parses the URL. All values are encoded, so the parser must not change anything: a change would mean that a value has altered the
   * URL structure.
   */
  private checkedUrl(relative: string): URL {
    const text = resolveUrl(relative, this.base);
    const url = new URL(text);
    if (url.href !== text) throw new Error('the URL of a request is not what was configured');
    return url;
  }

  /** Records why there are no more retries, for traces. */
  protected ended(_message: Message, _reason: string): void {
    // Only traces need the reason.
  }

  /** Sends one attempt, and reports it to the observer. */
  protected async observed(_message: Message, sending: () => Promise<Incoming>): Promise<Incoming> {
    if (this.observer === undefined) return sending();
    const start = performance.now();
    let outcome: CallOutcome = 'failed';
    try {
      const incoming = await sending();
      outcome = classOf(incoming.status);
      return incoming;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 504) outcome = 'timeout';
      if (error instanceof NotNeeded) outcome = 'aborted';
      throw error;
    } finally {
      this.observer.thirdPartyCalled(this.name, outcome, (performance.now() - start) / 1000);
    }
  }

  private async sendWithin(
    call: Call,
    outgoing: Outgoing,
    isResent: boolean,
    callSite: CallSite,
  ): Promise<Incoming> {
    const { httpAgent, httpsAgent, responseLimit, timeout } = this;
    const timeOfCall = call.deadline - performance.now();
    const { signal } = call;
    if (signal?.aborted === true) call.proceed();
    const limit = new TimeLimit(Math.min(timeOfCall, timeout));
    signal?.addEventListener('abort', limit.cancel);
    const hold = (bytes: number): void => (call.root ?? call).hold?.(bytes);
    const transport = { httpAgent, httpsAgent, responseLimit, limit, hold };
    try {
      try {
        return await send(outgoing, transport);
      } catch (error) {
        if (!isResent || limit.isOver || !diedIdle(error)) throw error;
        return await send(outgoing, transport);
      }
    } catch (error) {
      if (signal?.aborted === true) call.proceed();
      if (error instanceof ServiceError) throw afterChanges(call, error);
      if (limit.isOver) throw tookTooLong(callSite, timeOfCall <= timeout, isUnsent(error));
      throw failureOf(error, callSite);
    } finally {
      limit.clear();
      signal?.removeEventListener('abort', limit.cancel);
    }
  }
}

/** Parses the body. Throws a RequestFailure for invalid JSON. Proxy error pages, with a status outside 2xx, stay strings. */
function bodyOf(
  bytes: Buffer,
  headers: Incoming['headers'],
  {
    callSite,
    status,
    form,
  }: { readonly callSite: CallSite; readonly status: number; readonly form: ResponseForm | undefined },
): Json {
  const type = headers['content-type'] ?? '';
  try {
    return parseResponseBody(bytes, type, form);
  } catch (error) {
    if (error instanceof SyntaxError && !isSuccess(status) && !isJsonType(type))
      return parseResponseBody(bytes, type);
    if (error instanceof SyntaxError) throw badResponse(callSite, 'JSON that does not parse', { status });
    throw error;
  }
}

/** The class of a status. Three-digit statuses outside the known classes are unusable. */
function classOf(status: number): CallOutcome {
  return classes[Math.floor(status / 100) - 1] ?? 'failed';
}

const classes: readonly CallOutcome[] = ['1xx', '2xx', '3xx', '4xx', '5xx'];

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns the response. Throws a ServiceError for a status outside 2xx. */
function successful(response: RestResponse, callSite: CallSite): RestResponse {
  const { status } = response;
  if (!isSuccess(status)) throw badResponse(callSite, 'a status outside 2xx', { status });
  return response;
}

function authorization({
  user,
  password,
}: {
  readonly user: string | undefined;
  readonly password: string | undefined;
}): Record<string, string> {
  // Empty environment variables disable the credentials in the URL.
  if ((user ?? '') === '' && (password ?? '') === '') return {};
  return { Authorization: `Basic ${Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64')}` };
}

/** Whether a reused connection turned out to be closed by the server, before any response. */
function diedIdle(error: unknown): boolean {
  const request: unknown = property(error, 'request');
  const code = property(error, 'code');
  const isUnanswered = (property(request, 'res') ?? null) === null;
  const isReused = property(request, 'reusedSocket') === true;
  return isUnanswered && isReused && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** Whether the request was never sent because it did not get a connection. */
function isUnsent(error: unknown): boolean {
  const socket = property(property(error, 'request'), 'socket') ?? null;
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  const call = property(first, 'syscall');
  const isConnecting =
    property(socket, 'connecting') === true || property(socket, 'secureConnecting') === true;
  return socket === null || isConnecting || call === 'connect' || call === 'getaddrinfo';
}

/** Codes of axios and Node for errors of this service. */
const ours = /^ERR_(?:INVALID|UNESCAPED|HTTP_INVALID|BAD_OPTION|FR_|NOT_SUPPORT|HTTP_HEADERS)/;

function failureOf(error: unknown, callSite: CallSite): unknown {
  if (error instanceof ServiceError) return error;
  if (error instanceof SizeError) return badResponse(callSite, error.message, { kind: 'tooLarge' });
  if (error instanceof RedirectError || error instanceof PackingError)
    return badResponse(callSite, error.message);
  const code = property(error, 'code');
  if (!(error instanceof Error) || typeof code !== 'string' || ours.test(code)) return error;
  if (code === cutOff || isNoHttp(code)) {
    const kind = code === cutOff ? 'unreachable' : 'unreadable';
    return badResponse(callSite, `a response that cannot be read: ${code}`, { kind });
  }
  return unreachable(callSite, code, isUnsent(error));
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
