/**
 * Random behaviour of a third party, compared with a model of requests, waits and results: statuses, lost connections, bodies cut at any
 * byte, wrong content, redirects, `Retry-After`, pages, and tokens from a token server that also fails. `FAILURES=2000` tries that many
 * sequences.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { FailureKind } from '../../../runtime/rest/failure.js';
import { allPages } from '../../../runtime/rest/all-pages.js';
import { oauth2 } from '../../../runtime/rest/oauth2.js';
import { orFailure } from '../../../runtime/rest/or-failure.js';
import { RestDatasource, type Pause } from '../../../runtime/rest/rest.js';
import { retry } from '../../../runtime/rest/retry.js';
import { Environment } from '../../../runtime/server/environment.js';
import { Random } from '../../helpers/random.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty } from '../../helpers/third-party.js';
import {
  behaveAsTokenServer,
  drawLogin,
  TokenModel,
  tokenOf,
  wellToken,
  type Login,
  type NoToken,
  type TokenBehaviour,
} from './random-tokens.js';

const sequences = Number(process.env['FAILURES'] ?? 200);

/** A response of the third party. */
type Behaviour =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly content: Content;
      readonly after?: RetryAfter;
    }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 303 | 307 | 308; readonly isOwn: boolean }
  | { readonly kind: 'cut'; readonly bytes: number }
  | { readonly kind: 'reset' | 'garbage' | 'silence' | 'large' | 'packed' };

type Content = 'json' | 'text' | 'empty' | 'broken' | Page;

/** A page followed by another, the last page, a page whose next page is itself, and one whose next page is on another host. */
type Page = 'more' | 'last' | 'again' | 'elsewhere';

interface RetryAfter {
  readonly seconds: number;
  readonly form: 'seconds' | 'date' | 'nonsense';
}

interface Sequence {
  readonly behaviours: readonly Behaviour[];
  readonly method: 'GET' | 'PUT' | 'DELETE' | 'POST' | 'PATCH';
  /** True for a GET that makes changes and therefore is sent only once. */
  readonly isOnce: boolean;
  readonly key: string | undefined;
  readonly rule: { readonly times: number; readonly on?: (number | FailureKind)[]; readonly maxWait: number };
  readonly mode: 'body' | 'status' | 'headers' | 'continue';
  /** The time limit of the whole call, in seconds. */
  readonly time: number;
  /** The maximum number of pages of a list. */
  readonly pages: number | undefined;
  readonly login: Login | undefined;
}

interface Outcome {
  readonly sent: readonly string[];
  /** Minimum and maximum length of each pause, in milliseconds. */
  readonly pauses: readonly (readonly [number, number])[];
  /** One result for each call. */
  readonly results: readonly Json[];
}

const wholeBody = '{"n":12345678901234}';
const pageKinds: readonly Page[] = ['more', 'more', 'more', 'more', 'last', 'again', 'elsewhere'];

function isPage(content: Content): content is Page {
  return pageKinds.some((kind) => kind === content);
}

/** The body of the page with the given number. */
function pageBody(kind: Page, number: number): Json {
  const next = {
    more: `?page=${number + 1}`,
    last: null,
    again: `?page=${number}`,
    elsewhere: '//example.com/',
  };
  return { items: [number, kind], next: next[kind] };
}

const contents: Readonly<
  Record<Exclude<Content, Page>, { readonly type: string; readonly text: string; readonly value: Json }>
> = {
  json: { type: 'application/json', text: wholeBody, value: { n: 12345678901234 } },
  text: { type: 'text/plain', text: 'plain', value: 'plain' },
  empty: { type: 'application/json', text: '', value: null },
  broken: { type: 'application/problem+json', text: '{"n":', value: null },
};
const statuses = [200, 200, 201, 400, 401, 404, 409, 429, 429, 500, 502, 503, 503, 504];

function drawSequence(random: Random): Sequence {
  const method = random.pick(['GET', 'GET', 'GET', 'PUT', 'DELETE', 'POST', 'POST', 'PATCH'] as const);
  const login = random.chance(50) ? drawLogin(random) : undefined;
  const isCrowded = login?.isCrowded === true;
  const pages = method === 'GET' && !isCrowded && random.chance(60) ? 1 + random.below(5) : undefined;
  const behaviours = random.some(1 + random.below(8), () => drawBehaviour(random, pages !== undefined));
  return {
    login,
    // The assignment of behaviours to concurrent calls would be random.
    behaviours: isCrowded ? [] : behaviours,
    method,
    pages,
    isOnce: method === 'GET' && random.chance(15),
    key: random.chance(40) ? `key-${random.below(1000)}` : undefined,
    rule: {
      times: isCrowded ? 0 : random.below(4),
      maxWait: random.pick([1, 300]),
      ...(random.chance(30)
        ? { on: [random.pick(statuses), random.pick(['unreachable', 'unreadable', 'timeout'] as const)] }
        : {}),
    },
    mode: random.pick(['body', 'status', 'headers', 'continue', 'continue'] as const),
    time: random.pick([90, 3600]),
  };
}

function drawBehaviour(random: Random, isPaged: boolean): Behaviour {
  if (isPaged && random.chance(70)) return { kind: 'response', status: 200, content: random.pick(pageKinds) };
  const drawn = random.below(100);
  if (drawn < 55) {
    const status = random.pick(statuses);
    const content = random.pick(['json', 'json', 'text', 'empty', 'broken'] as const);
    if (!random.chance(40)) return { kind: 'response', status, content };
    const form = random.pick(['seconds', 'date', 'nonsense'] as const);
    return { kind: 'response', status, content, after: { seconds: random.pick([0, 5, 100, 3600]), form } };
  }
  if (drawn < 72)
    return {
      kind: 'redirect',
      status: random.pick([301, 302, 303, 307, 308] as const),
      isOwn: random.chance(85),
    };
  if (drawn < 80) return { kind: 'cut', bytes: random.below(wholeBody.length) };
  if (drawn < 82) return { kind: 'silence' };
  return { kind: random.pick(['reset', 'reset', 'garbage', 'large', 'packed'] as const) };
}

/** The API's response to a token that was revoked early. */
const refusal: Answer = { kind: 'response', status: 401, content: 'json' };
/** The third party responds normally after the sequence. */
const well: Behaviour = { kind: 'response', status: 200, content: 'json' };

/** The state of a sequence in the model. */
interface Played {
  readonly sequence: Sequence;
  readonly queue: Behaviour[];
  readonly sent: string[];
  readonly pauses: (readonly [number, number])[];
  /** The actual pauses, whose length is random. */
  readonly made: readonly number[];
  readonly tokens: TokenModel | undefined;
  /** The clock, in milliseconds. */
  now: number;
  /** The end of the call. */
  deadline: number;
  /** Whether the call may have made a change. */
  isChanged: boolean;
}

/** Computes the expected outcome. */
function model(sequence: Sequence, made: readonly number[]): Outcome {
  const { login, time } = sequence;
  const sent: string[] = [];
  const tokens = login && new TokenModel(login, sent);
  const played: Played = {
    ...{ sequence, queue: [...sequence.behaviours], sent, pauses: [], made, tokens },
    ...{ now: start, deadline: 0, isChanged: false },
  };
  const results = usesOf(login).flatMap(({ wait, atOnce }) => {
    played.now += wait * 1000;
    played.deadline = played.now + time * 1000;
    played.isChanged = false;
    const first = sent.length;
    const result = resultOfCall(played);
    // All concurrent calls have the same outcome, and share the token requests.
    const own = sent.slice(first).filter((one) => !one.startsWith('POST grant_type'));
    for (let count = 1; count < atOnce; count += 1) sent.push(...own);
    return Array.from({ length: atOnce }, () => result);
  });
  return { sent, pauses: played.pauses, results };
}

const usesOf = (login: Login | undefined): Login['uses'] => login?.uses ?? [{ wait: 0, atOnce: 1 }];

/** The clock at the start of each sequence, in milliseconds. */
const start = 1_000_000;

function resultOfCall(played: Played): Json {
  const { pages, mode } = played.sequence;
  if (pages === undefined) return resultOf(lastOf(played), mode);
  const elements: Json[] = [];
  for (let number = 1; ; number += 1) {
    const last = lastOf(played, number);
    const isRead = isAnswer(last) && last.status < 300;
    if (!isRead || last.content === 'broken') return resultOf(last, mode);
    const { content } = last;
    if (!isPage(content)) return resultOf('unreadable', mode);
    elements.push(number, content);
    if (content === 'last') return resultOf(last, mode, elements);
    if (content !== 'more' || number === pages) return resultOf('unreadable', mode);
  }
}

/** The final response or failure of a request, after all attempts. */
function lastOf(played: Played, page = 1): Last {
  const { method, isOnce, key, rule } = played.sequence;
  const on: readonly (number | string)[] = rule.on ?? [429, 502, 503, 504, 'unreachable', 'timeout'];
  const isRepeatable =
    key !== undefined || (method === 'GET' ? !isOnce : method === 'PUT' || method === 'DELETE');
  for (let count = 0; ; count += 1) {
    const last = loggedIn(played, page);
    const reason = typeof last === 'string' ? last : isAnswer(last) ? last.status : last.kind;
    if (count < rule.times && on.includes(reason) && (isRepeatable || isWithoutToken(last))) {
      const asked = askedOf(last);
      const longest = Math.min(0.5 * 2 ** count, rule.maxWait);
      const [from, to] =
        asked === undefined
          ? [0, longest]
          : [asked.form === 'date' ? asked.seconds - 10 : asked.seconds, asked.seconds];
      const left = (played.deadline - played.now) / 1000;
      if (asked === undefined || (asked.seconds <= rule.maxWait && asked.seconds < left)) {
        played.now += played.made[played.pauses.length] ?? 0;
        played.pauses.push([Math.max(0, from * 1000), to * 1000]);
        continue;
      }
    }
    return last;
  }
}

function askedOf(last: Last): RetryAfter | undefined {
  if (typeof last === 'string') return undefined;
  if (isWithoutToken(last)) return { seconds: last.after, form: 'seconds' };
  return last.after?.form === 'nonsense' ? undefined : last.after;
}

/** One attempt, with a token if the datasource logs in: after a 401, it is repeated once with a new token. */
function loggedIn(played: Played, page: number): Last {
  const { tokens } = played;
  if (tokens === undefined) return exchange(played, page);
  for (let count = 0; ; count += 1) {
    const token = tokens.token(played.now);
    if ('kind' in token) return { ...token, isChanged: played.isChanged };
    const last = exchange(played, page, token);
    if (count === 1 || !isAnswer(last) || last.status !== 401) return last;
    tokens.refused(token);
  }
}

/** A request that was not sent, because there was no token. */
interface WithoutToken extends NoToken {
  readonly isChanged: boolean;
}

type Last = Answer | WithoutToken | FailureKind;

function isAnswer(last: Last): last is Answer {
  return typeof last !== 'string' && 'status' in last;
}

function isWithoutToken(last: Last): last is WithoutToken {
  return typeof last !== 'string' && 'isChanged' in last;
}

type Answer = Extract<Behaviour, { readonly kind: 'response' }>;

/** One request, including followed redirects. */
function exchange(
  played: Played,
  page: number,
  token?: { readonly number: number; readonly isRefused: boolean },
): Answer | FailureKind {
  const { sequence, sent, queue } = played;
  const { method: first, key } = sequence;
  if (first !== 'GET') played.isChanged = true;
  let [method, hasBody] = [first as string, first !== 'GET'];
  for (let redirects = 0; ; redirects += 1) {
    sent.push(shown(method, hasBody ? bodyText : '', key, page, String(token?.number ?? '-')));
    if (token?.isRefused === true) return refusal;
    const behaviour = queue.shift() ?? well;
    switch (behaviour.kind) {
      case 'response':
        return behaviour;
      case 'redirect':
        if (redirects === 5 || !behaviour.isOwn) return 'unreadable';
        if (behaviour.status === 303 || (behaviour.status < 303 && method === 'POST'))
          [method, hasBody] = ['GET', false];
        break;
      case 'cut':
      case 'reset':
        return 'unreachable';
      case 'silence':
        return 'timeout';
      case 'large':
        return 'tooLarge';
      case 'garbage':
      case 'packed':
        return 'unreadable';
    }
  }
}

function resultOf(last: Last, mode: Sequence['mode'], elements?: Json[]): Json {
  if (isWithoutToken(last)) {
    const { kind, after, isChanged } = last;
    if (mode === 'continue') return { status: null, body: null, failure: kind };
    return isChanged ? `error ${kind === 'timeout' ? 504 : 502}` : `error 503 after ${after}`;
  }
  const isUnread = typeof last !== 'string' && (mode === 'body' || mode === 'headers') && last.status >= 300;
  if (isUnread) return 'error 502';
  const failure = typeof last === 'string' ? last : last.content === 'broken' ? 'unreadable' : null;
  if (mode === 'continue' && failure !== null) return { status: null, body: null, failure };
  if (failure !== null) return `error ${failure === 'timeout' ? 504 : 502}`;
  if (typeof last === 'string') throw new Error('a failure is no response');
  const value = elements ?? valueOf(last.content);
  const after = last.after === undefined ? null : last.after.form;
  if (mode === 'body') return value;
  if (mode === 'headers') return { body: value, after };
  return { status: last.status, body: value, ...(mode === 'continue' ? { failure: null } : {}) };
}

function valueOf(content: Content): Json {
  return isPage(content) ? pageBody(content, 1) : contents[content].value;
}

const bodyText = '{"count":1}';

function shown(method: string, body: string, key: string | undefined, page: number, token: string): string {
  return [method, body, key ?? '-', page, token].join(' ');
}

/** The clock of a sequence: it advances only by pauses and between calls. */
const clock = new AsyncLocalStorage<{ now: number }>();

/** Records pauses without waiting. */
class Unhurried extends RestDatasource {
  readonly pauses: number[] = [];
  protected override readonly pause: Pause = (milliseconds, left) => {
    if (milliseconds >= left) return Promise.resolve(false);
    this.pauses.push(milliseconds);
    wait(milliseconds);
    return Promise.resolve(true);
  };
}

function wait(milliseconds: number): void {
  const own = clock.getStore();
  if (own === undefined) throw new Error('a sequence without a clock');
  own.now += milliseconds;
}

let api: ThirdParty;
let tokenServer: ThirdParty;
/** The remaining behaviours of each sequence, and the requests that arrived. */
const played = new Map<
  string,
  {
    readonly queue: Behaviour[];
    readonly tokens: TokenBehaviour[];
    readonly sent: string[];
    /** The number of issued tokens. */
    made: number;
  }
>();

beforeAll(async () => {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => clock.getStore()?.now ?? now());
  api = await ThirdParty.start(({ url = '', method = '', headers }, response, body) => {
    const [path = '', page = '1'] = url.split('?page=');
    const one = played.get(path);
    const token = tokenOf(headers.authorization);
    const key = headers['idempotency-key']?.toString();
    one?.sent.push(shown(method, body.toString(), key, Number(page), token.shown));
    behave(token.isRefused ? refusal : (one?.queue.shift() ?? well), url, response, Number(page));
  });
  tokenServer = await ThirdParty.start(({ url = '', method = '', headers }, response, body) => {
    const one = played.get(url);
    if (one === undefined) throw new Error(`a request for ${url}`);
    one.sent.push(`${method} ${body.toString()} ${headers.authorization ?? ''}`);
    const behaviour = one.tokens.shift() ?? wellToken;
    if (behaviour.kind === 'token') one.made += 1;
    behaveAsTokenServer(behaviour, response, one.made);
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([api.stop(), tokenServer.stop()]);
});

function behave(behaviour: Behaviour, url: string, response: ServerResponse, page: number): void {
  // contract.test.ts tests lost keep-alive connections.
  response.setHeader('connection', 'close');
  switch (behaviour.kind) {
    case 'response': {
      const { content, after } = behaviour;
      const { type, text } = isPage(content)
        ? { type: 'application/json', text: JSON.stringify(pageBody(content, page)) }
        : contents[content];
      if (after !== undefined) response.setHeader('retry-after', afterText(after));
      response.writeHead(behaviour.status, { 'content-type': type }).end(text);
      break;
    }
    case 'redirect':
      response
        .writeHead(behaviour.status, { location: behaviour.isOwn ? url : 'http://elsewhere.example.com/' })
        .end();
      break;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': wholeBody.length });
      response.write(wholeBody.slice(0, behaviour.bytes), () => response.destroy());
      if (behaviour.bytes === 0) response.flushHeaders();
      if (behaviour.bytes === 0) setImmediate(() => response.destroy());
      break;
    case 'reset':
      response.destroy();
      break;
    case 'garbage':
      response.socket?.end('this is not HTTP\r\n\r\n');
      break;
    case 'large':
      response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(2000));
      break;
    case 'packed':
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('not packed');
      break;
    case 'silence':
      break;
  }
}

function afterText({ seconds, form }: RetryAfter): string {
  if (form === 'seconds') return String(seconds);
  return form === 'date' ? new Date(Date.now() + seconds * 1000).toUTCString() : `in ${seconds} s`;
}

async function play(sequence: Sequence, path: string): Promise<Outcome> {
  const { method, isOnce, key, rule, mode, time, pages, login } = sequence;
  const datasource = new Unhurried({ name: 'api', timeout: 4, ...(login && { oauth2: oauth2() }) });
  const environment = {
    DATASOURCE_API_OAUTH2_TOKEN_URL: `${tokenServer.url}${path}`,
    DATASOURCE_API_OAUTH2_CLIENT_ID: 'shop',
    DATASOURCE_API_OAUTH2_CLIENT_SECRET: 'secret',
  };
  datasource.readSettings(new Environment(environment, ''));
  datasource.open({ url: api.url, responseLimit: 1000 });
  const one = {
    ...{ queue: [...sequence.behaviours], tokens: [...(login?.behaviours ?? [])] },
    ...{ sent: [] as string[], made: 0 },
  };
  played.set(path, one);
  const definition = {
    ...{ operation: 'test', fulfillment: 'x', method, retry: retry(rule) },
    ...(isOnce ? { resend: false as const } : {}),
    ...(pages === undefined ? {} : { pages: allPages({ next: ['next'], items: ['items'], max: pages }) }),
  };
  const message = {
    url: pages === undefined ? path : `${path}?page=1`,
    header: { 'Idempotency-Key': key },
    ...(method === 'GET' ? {} : { body: { count: 1 } }),
  };
  const ways: Readonly<Record<Sequence['mode'], (call: Call) => Promise<Json>>> = {
    body: (call) => datasource.request(definition)(call, message),
    headers: async (call) => {
      const { body, headers } = await datasource.requestWithHeaders(definition)(call, message);
      const after = headers['retry-after'];
      const form =
        after === undefined
          ? null
          : /^\d/.test(after)
            ? 'seconds'
            : after.endsWith('GMT')
              ? 'date'
              : 'nonsense';
      return { body, after: form };
    },
    status: async (call) => {
      const { status, body } = await datasource.requestWithStatus(definition)(call, message);
      return { status, body };
    },
    continue: async (call) => {
      const { status, body, failure } = await orFailure(datasource.requestWithStatus(definition))(
        call,
        message,
      );
      return { status, body, failure };
    },
  };
  const ask = (): Promise<Json> =>
    ways[mode](testCall(time * 1000)).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      const after = error.details.retryAfter;
      return `error ${error.status}${after === undefined ? '' : ` after ${after}`}`;
    });
  const results: Json[] = [];
  for (const use of usesOf(login)) {
    wait(use.wait * 1000);
    results.push(...(await Promise.all(Array.from({ length: use.atOnce }, ask))));
  }
  datasource.close();
  played.delete(path);
  return { sent: one.sent, pauses: datasource.pauses.map((pause) => [pause, pause]), results };
}

/** Normalized for comparison: concurrent calls send requests in any order. */
function comparable({ sent, results }: Outcome, { login }: Sequence): string {
  return JSON.stringify([login?.isCrowded === true ? [...sent].sort() : sent, results]);
}

test(`${sequences} random sequences`, { timeout: 3_600_000 }, async () => {
  const differences: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < sequences) {
      const seed = next;
      next += 1;
      const sequence = drawSequence(new Random(seed));
      const found = await clock.run({ now: start }, () => play(sequence, `/s${seed}`));
      const wanted = model(
        sequence,
        found.pauses.map(([pause]) => pause),
      );
      const isSame =
        comparable(found, sequence) === comparable(wanted, sequence) &&
        found.pauses.length === wanted.pauses.length &&
        wanted.pauses.every(([from, to], index) => {
          const pause = found.pauses[index]?.[0] ?? -1;
          return pause >= from && pause <= to;
        });
      if (!isSame) differences.push({ seed, sequence, wanted, found });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  expect(differences).toEqual([]);
});
