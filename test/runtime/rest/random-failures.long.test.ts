/**
 * Random behaviour of a third party against a model of what must be sent, waited for and returned: statuses, lost connections, bodies cut at
 * any byte, wrong content, redirects, `Retry-After`, pages. `FAILURES=2000` tries that many sequences.
 */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { FailureKind } from '../../../runtime/rest/failure.js';
import { allPages } from '../../../runtime/rest/all-pages.js';
import { orFailure } from '../../../runtime/rest/or-failure.js';
import { RestDatasource, type Pause } from '../../../runtime/rest/rest.js';
import { retry } from '../../../runtime/rest/retry.js';
import { Random } from '../../helpers/random.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty } from '../../helpers/third-party.js';

const sequences = Number(process.env['FAILURES'] ?? 200);

/** One response of the third party. */
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

/** A page with another one behind it, the last one, one that leads back to itself, and one that leads elsewhere. */
type Page = 'more' | 'last' | 'again' | 'elsewhere';

interface RetryAfter {
  readonly seconds: number;
  readonly form: 'seconds' | 'date' | 'nonsense';
}

interface Sequence {
  readonly behaviours: readonly Behaviour[];
  readonly method: 'GET' | 'PUT' | 'DELETE' | 'POST' | 'PATCH';
  /** A GET that changes something is sent once. */
  readonly isOnce: boolean;
  readonly key: string | undefined;
  readonly rule: { readonly times: number; readonly on?: (number | FailureKind)[]; readonly maxWait: number };
  readonly mode: 'body' | 'status' | 'headers' | 'continue';
  /** Seconds of the whole call. */
  readonly time: number;
  /** Pages at most, of a list. */
  readonly pages: number | undefined;
}

interface Outcome {
  readonly sent: readonly string[];
  /** Milliseconds, at least and at most. */
  readonly pauses: readonly (readonly [number, number])[];
  readonly result: Json;
}

const wholeBody = '{"n":12345678901234}';
const pageKinds: readonly Page[] = ['more', 'more', 'more', 'more', 'last', 'again', 'elsewhere'];

function isPage(content: Content): content is Page {
  return pageKinds.some((kind) => kind === content);
}

/** The body of the page that is asked for by that number. */
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
const statuses = [200, 200, 201, 400, 404, 409, 429, 429, 500, 502, 503, 503, 504];

function drawSequence(random: Random): Sequence {
  const method = random.pick(['GET', 'GET', 'GET', 'PUT', 'DELETE', 'POST', 'POST', 'PATCH'] as const);
  const pages = method === 'GET' && random.chance(60) ? 1 + random.below(5) : undefined;
  return {
    behaviours: random.some(1 + random.below(8), () => drawBehaviour(random, pages !== undefined)),
    method,
    pages,
    isOnce: method === 'GET' && random.chance(15),
    key: random.chance(40) ? `key-${random.below(1000)}` : undefined,
    rule: {
      times: random.below(4),
      maxWait: random.pick([1, 300]),
      ...(random.chance(30)
        ? { on: [random.pick(statuses), random.pick(['unreachable', 'unreadable', 'timeout'] as const)] }
        : {}),
    },
    mode: random.pick(['body', 'status', 'headers', 'continue', 'continue'] as const),
    time: random.pick([60, 3600]),
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

/** After the sequence the third party is well. */
const well: Behaviour = { kind: 'response', status: 200, content: 'json' };

/** What must happen. */
function model(sequence: Sequence): Outcome {
  const queue = [...sequence.behaviours];
  const sent: string[] = [];
  const pauses: [number, number][] = [];
  const { pages, mode } = sequence;
  if (pages === undefined)
    return { sent, pauses, result: resultOf(lastOf(sequence, queue, sent, pauses), mode) };
  const elements: Json[] = [];
  for (let number = 1; ; number += 1) {
    const last = lastOf(sequence, queue, sent, pauses, number);
    const isRead = typeof last !== 'string' && last.status < 300;
    if (!isRead || last.content === 'broken') return { sent, pauses, result: resultOf(last, mode) };
    const { content } = last;
    if (!isPage(content)) return { sent, pauses, result: resultOf('unreadable', mode) };
    elements.push(number, content);
    if (content === 'last') return { sent, pauses, result: resultOf(last, mode, elements) };
    if (content !== 'more' || number === pages) return { sent, pauses, result: resultOf('unreadable', mode) };
  }
}

/** The response or failure that counts, of one request with its tries. */
function lastOf(
  { method, isOnce, key, rule, time }: Sequence,
  queue: Behaviour[],
  sent: string[],
  pauses: [number, number][],
  page = 1,
): Answer | FailureKind {
  const on: readonly (number | string)[] = rule.on ?? [429, 502, 503, 504, 'unreachable', 'timeout'];
  const isRepeatable =
    key !== undefined || (method === 'GET' ? !isOnce : method === 'PUT' || method === 'DELETE');
  for (let count = 0; ; count += 1) {
    const last = exchange(queue, method, key, sent, page);
    const reason = typeof last === 'string' ? last : last.status;
    if (count < rule.times && on.includes(reason) && isRepeatable) {
      const asked = typeof last === 'string' || last.after?.form === 'nonsense' ? undefined : last.after;
      const longest = Math.min(0.5 * 2 ** count, rule.maxWait);
      const [from, to] =
        asked === undefined
          ? [0, longest]
          : [asked.form === 'date' ? asked.seconds - 10 : asked.seconds, asked.seconds];
      if (asked === undefined || (asked.seconds <= rule.maxWait && asked.seconds < time)) {
        pauses.push([Math.max(0, from * 1000), to * 1000]);
        continue;
      }
    }
    return last;
  }
}

type Answer = Extract<Behaviour, { readonly kind: 'response' }>;

/** One request with the redirects that are followed. */
function exchange(
  queue: Behaviour[],
  first: string,
  key: string | undefined,
  sent: string[],
  page: number,
): Answer | FailureKind {
  let [method, hasBody] = [first, first !== 'GET'];
  for (let redirects = 0; ; redirects += 1) {
    sent.push(shown(method, hasBody ? bodyText : '', key, page));
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

function resultOf(last: Answer | FailureKind, mode: Sequence['mode'], elements?: Json[]): Json {
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

function shown(method: string, body: string, key: string | undefined, page: number): string {
  return [method, body, key ?? '-', page].join(' ');
}

/** Its pauses are noted, and not made. */
class Unhurried extends RestDatasource {
  readonly pauses: number[] = [];
  protected override readonly pause: Pause = (milliseconds) => {
    this.pauses.push(milliseconds);
    return Promise.resolve(true);
  };
}

let api: ThirdParty;
/** What is left of each sequence, and what arrived. */
const played = new Map<string, { readonly queue: Behaviour[]; readonly sent: string[] }>();

beforeAll(async () => {
  api = await ThirdParty.start(({ url = '', method = '', headers }, response, body) => {
    const [path = '', page = '1'] = url.split('?page=');
    const one = played.get(path);
    one?.sent.push(shown(method, body.toString(), headers['idempotency-key']?.toString(), Number(page)));
    behave(one?.queue.shift() ?? well, url, response, Number(page));
  });
});
afterAll(() => api.stop());

function behave(behaviour: Behaviour, url: string, response: ServerResponse, page: number): void {
  // A kept connection that is lost is another story: contract.test.ts.
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
  const { method, isOnce, key, rule, mode, time, pages } = sequence;
  const datasource = new Unhurried({ name: 'api', timeout: 4 });
  datasource.open({ url: api.url, responseLimit: 1000 });
  const one = { queue: [...sequence.behaviours], sent: [] };
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
  const call = testCall(time * 1000);
  const ways: Readonly<Record<Sequence['mode'], () => Promise<Json>>> = {
    body: () => datasource.request(definition)(call, message),
    headers: async () => {
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
    status: async () => {
      const { status, body } = await datasource.requestWithStatus(definition)(call, message);
      return { status, body };
    },
    continue: async () => {
      const { status, body, failure } = await orFailure(datasource.requestWithStatus(definition))(
        call,
        message,
      );
      return { status, body, failure };
    },
  };
  const result = await ways[mode]().catch((error: unknown) => {
    if (error instanceof ServiceError) return `error ${error.status}`;
    throw error;
  });
  datasource.close();
  played.delete(path);
  return { sent: one.sent, pauses: datasource.pauses.map((pause) => [pause, pause]), result };
}

test(`${sequences} random sequences`, { timeout: 3_600_000 }, async () => {
  const differences: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < sequences) {
      const seed = next;
      next += 1;
      const sequence = drawSequence(new Random(seed));
      const wanted = model(sequence);
      const found = await play(sequence, `/s${seed}`);
      const isSame =
        JSON.stringify([found.sent, found.result]) === JSON.stringify([wanted.sent, wanted.result]) &&
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
