/** REST datasources: calls of third-party HTTP APIs. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { afterChanges, noteChange, type Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import type { CallOutcome, Observer } from '../server/contracts.js';
import type { Environment } from '../server/environment.js';
import type { DatasourceSettings } from '../server/settings.js';
import { ServiceError } from '../handler/reply.js';
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

/** The configuration of a REST datasource, without its URL. */
export interface RestDefinition {
  readonly name: string;
  /** False if every request has an absolute URL. The default is true. */
  readonly needsUrl?: boolean;
  /** The names of the headers of every request. Their values are settings of the service. */
  readonly header?: readonly string[];
  /** Seconds for a request with its redirects. The default is 30. */
  readonly timeout?: number;
  /** The default of requests that do not set it. */
  readonly response?: ResponseForm;
  /** The default of requests that do not set it. */
  readonly retry?: Retry;
  /** Logs in: `oauth2({ scope: 'orders' })`. */
  readonly oauth2?: Identity;
  /** Signs requests to the API of the datasource: `signer('github')`. */
  readonly signature?: Signer;
  /** Limits its requests: `rateLimit({ perSecond: 10 })`. */
  readonly limit?: RateLimit;
}

/** A request of the configuration, without the values of a call. */
export interface RequestDefinition {
  /** The operation and the fulfillment, for logs. */
  readonly operation: string;
  readonly fulfillment: string;
  /** In upper case. */
  readonly method: string;
  /**
   * False for a GET or HEAD that changes data, which is not resent. Other GETs and HEADs are resent immediately if a kept connection turns
   * out to be closed.
   */
  readonly resend?: false;
  /** The type of the body, whatever its content type. */
  readonly response?: ResponseForm;
  /** Whether the operation reads parts of the body. A string does not have parts, so it is logged. */
  readonly readsParts?: true;
  /** Sends it again after failures: `retry({ times: 3 })`. */
  readonly retry?: Retry;
  /** Asks for all pages of a list: `allPages({ next: 'link', max: 10 })`. */
  readonly pages?: Pages;
  /** Logs differences between responses and their API description: `describedResponses({ 200: … })`. */
  readonly described?: Described;
}

/** A body that is a JSON value, or a string. */
export type ResponseForm = 'json' | 'text';

/** Compares a response with the description of its API, and warns of contradictions. */
export type Described = (response: RestResponse, warn: (contradiction: string) => void) => void;

/** Asks for page after page. */
export type Pages = (paged: PagedRequest) => Promise<RestResponse>;

/** The request for the first page, which can be repeated for the others. */
export interface PagedRequest {
  readonly call: Call;
  /** The URL of the first page. */
  readonly url: URL;
  readonly callSite: CallSite;
  /** Sends the request, to another URL. */
  readonly ask: (page: URL) => Promise<RestResponse>;
}

/** A request of the configuration with the values of a call. */
interface Asked {
  readonly call: Call;
  readonly message: Message;
  readonly definition: RequestDefinition;
  readonly callSite: CallSite;
  /** Decides by the status whether the body is read. */
  readonly isRead: (status: number) => boolean;
}

/** Sends a request until its result counts. */
export type Retry = (tries: Tries) => Promise<Incoming>;

/** A request that can be sent several times, always with the same bytes. */
export interface Tries {
  readonly call: Call;
  readonly outgoing: Outgoing;
  /** True for a method that may be repeated although the first request has arrived. */
  readonly isRepeatable: boolean;
  /** Throws a RequestFailure without a usable response. */
  readonly send: () => Promise<Incoming>;
  /** Replaces the pause before the next try; false if there is not enough time for it. */
  readonly pause: Pause | undefined;
  /** Whether the service is stopping. */
  readonly isStopping: () => boolean;
  /** Called with the reason if there is no further try although the result calls for one. */
  readonly ended: (reason: string) => void;
}

/** Waits that many milliseconds; `left` is the remaining time of the call. False if the next try must not begin. */
export type Pause = (milliseconds: number, left: number) => Promise<boolean>;

/**
 * Sends a request. Throws a ServiceError: 400 for values that cannot be sent, 502 without a usable response, 504 after the timeout.
 */
export type Request<Result> = (call: Call, message: Message) => Promise<Result>;

/** Milliseconds for which an idle connection is kept. Many servers close it after five seconds. */
const idleTimeout = 4_000;
const agentOptions = { keepAlive: true, maxSockets: 256, maxFreeSockets: 64, timeout: idleTimeout };

/** Default headers of every request. */
const common = {
  Accept: 'application/json, */*;q=0.8',
  'Accept-Encoding': acceptEncoding,
  'User-Agent': 'apikiln',
};

/** Creates the REST datasource of that name. */
export function rest(definition: RestDefinition): RestDatasource {
  return new RestDatasource(definition);
}

export class RestDatasource {
  readonly name: string;
  readonly needsUrl: boolean;
  readonly header: readonly string[];
  /** Milliseconds. */
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
  /** Requests for which a string without parts was logged. */
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

  /** Reads the settings of its parts. Errors are added to the problems of the environment. */
  readSettings(environment: Environment): void {
    this.oauth2?.readSettings(this.name, environment);
    this.signature?.readSettings(this.name, environment);
  }

  /** Reads the settings, without connecting. Throws an Error whose message does not contain secrets. */
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

  /** The service is stopping: no request waits for its next try any more. */
  stop(): void {
    this.isStopping = true;
  }

  close(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  /** A request whose result is the body of the response. A status outside 2xx ends the operation with 502. */
  request(definition: RequestDefinition): Request<Json> {
    const callSite = this.callSiteOf(definition);
    return async (call, message) =>
      successful(await this.ask({ call, message, definition, callSite, isRead: isSuccess }), callSite).body;
  }

  /** A request whose STATUS is read: the body is the result for any status. */
  requestWithStatus(definition: RequestDefinition): Request<RestResponse> {
    const callSite = this.callSiteOf(definition);
    return (call, message) => this.ask({ call, message, definition, callSite, isRead: () => true });
  }

  /** A request whose response headers are read. A status outside 2xx ends the operation with 502. */
  requestWithHeaders(definition: RequestDefinition): Request<RestResponse> {
    const callSite = this.callSiteOf(definition);
    return async (call, message) =>
      successful(await this.ask({ call, message, definition, callSite, isRead: isSuccess }), callSite);
  }

  private callSiteOf({ operation, fulfillment }: RequestDefinition): CallSite {
    return { datasource: this.name, operation, fulfillment };
  }

  private ask(asked: Asked): Promise<RestResponse> {
    const { call, message, definition, callSite } = asked;
    const { url } = message;
    const { pages } = definition;
    if (pages === undefined) return this.askOnce(asked, url);
    // A URL from a string gets the credentials of the datasource.
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

  /** Once for each request. */
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
    // Credentials are sent only to the API of the datasource.
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

  /** All values are encoded, so the URL parser changes nothing. If it did, a value would have changed the structure. */
  private checkedUrl(relative: string): URL {
    const text = resolveUrl(relative, this.base);
    const url = new URL(text);
    if (url.href !== text) throw new Error('the URL of a request is not what was configured');
    return url;
  }

  /** Records why there is no further try, for traces. */
  protected ended(_message: Message, _reason: string): void {
    // Without traces, the reason is not needed.
  }

  /** Every try. */
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
    const limit = new TimeLimit(Math.min(timeOfCall, timeout));
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
      if (error instanceof ServiceError) throw afterChanges(call, error);
      if (limit.isOver) throw tookTooLong(callSite, timeOfCall <= timeout, isUnsent(error));
      throw failureOf(error, callSite);
    } finally {
      limit.clear();
    }
  }
}

/** Throws a RequestFailure for invalid JSON. Error pages of proxies, whose status is not a success, stay strings. */
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

/** A status of three digits without a known class is not usable. */
function classOf(status: number): CallOutcome {
  return classes[Math.floor(status / 100) - 1] ?? 'failed';
}

const classes: readonly CallOutcome[] = ['1xx', '2xx', '3xx', '4xx', '5xx'];

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Throws a ServiceError for a status outside 2xx. */
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
  // Empty values in the environment disable the credentials of the URL.
  if ((user ?? '') === '' && (password ?? '') === '') return {};
  return { Authorization: `Basic ${Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64')}` };
}

/** Whether the other side closed a kept connection when it was used again, before any response. */
function diedIdle(error: unknown): boolean {
  const request: unknown = property(error, 'request');
  const code = property(error, 'code');
  const isUnanswered = (property(request, 'res') ?? null) === null;
  const isReused = property(request, 'reusedSocket') === true;
  return isUnanswered && isReused && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** Whether the request was never sent: it waited for a connection, or did not get one. */
function isUnsent(error: unknown): boolean {
  const socket = property(property(error, 'request'), 'socket') ?? null;
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  const call = property(first, 'syscall');
  const isConnecting =
    property(socket, 'connecting') === true || property(socket, 'secureConnecting') === true;
  return socket === null || isConnecting || call === 'connect' || call === 'getaddrinfo';
}

/** Codes of axios and Node that mean an error of this service. */
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
