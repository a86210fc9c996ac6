/**
 * A token server with random behaviour, and a model of when it must receive requests and which tokens requests must contain, based only on
 * the documentation of `oauth2` (docs/reference/third-parties.md).
 */
import type { ServerResponse } from 'node:http';
import type { FailureKind } from '../../../runtime/rest/failure.js';
import type { Random } from '../../helpers/random.js';

/** A response of the token server. */
export type TokenBehaviour =
  | {
      readonly kind: 'token';
      readonly life: Life;
      /** The API refuses the token from the start, although it has not expired. */
      readonly isRefused: boolean;
    }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'content'; readonly content: keyof typeof wrongContents }
  | { readonly kind: 'cut'; readonly bytes: number }
  | { readonly kind: 'reset' | 'garbage' | 'silence' };

type Life = 'none' | 'null' | 'number' | 'text' | 'long' | 'zero' | 'negative' | 'word';

const lives: Readonly<Record<Life, { readonly written: unknown; readonly seconds: number }>> = {
  none: { written: undefined, seconds: Infinity },
  null: { written: null, seconds: Infinity },
  number: { written: 100.5, seconds: 100.5 },
  text: { written: '100.5', seconds: 100.5 },
  long: { written: 3600, seconds: 3600 },
  zero: { written: 0, seconds: 0 },
  negative: { written: -5, seconds: 0 },
  word: { written: 'soon', seconds: Infinity },
};

const wrongContents = {
  text: '<html>',
  broken: '{"access_token":"a',
  empty: '',
  list: '[]',
  'no token': '{"token_type":"bearer"}',
  'no text': '{"access_token":5}',
  'two words': '{"access_token":"a b"}',
  'two lines': '{"access_token":"a\\r\\nX-A: 1"}',
};

/** A datasource's log-in, and its use: seconds before each use, and the number of concurrent calls. */
export interface Login {
  readonly behaviours: readonly TokenBehaviour[];
  readonly uses: readonly { readonly wait: number; readonly atOnce: number }[];
  /** Several concurrent calls, all of which must have the same outcome. */
  readonly isCrowded: boolean;
}

export function drawLogin(random: Random): Login {
  const isCrowded = random.chance(30);
  return {
    isCrowded,
    behaviours: random.some(random.below(7), () => drawTokenBehaviour(random, isCrowded)),
    uses: random.some(1 + random.below(5), () => ({
      wait: random.pick([0, 0, 3, 6, 40, 88, 93, 200]),
      atOnce: isCrowded ? 2 + random.below(4) : 1,
    })),
  };
}

function drawTokenBehaviour(random: Random, isCrowded: boolean): TokenBehaviour {
  const drawn = random.below(100);
  if (drawn < 60) {
    const life = random.pick(
      isCrowded
        ? (['none', 'number', 'text', 'long'] as const)
        : (['none', 'null', 'number', 'number', 'text', 'long', 'zero', 'negative', 'word'] as const),
    );
    return { kind: 'token', life, isRefused: random.chance(40) };
  }
  if (drawn < 75) return { kind: 'status', status: random.pick([302, 400, 401, 403, 429, 500, 503]) };
  if (drawn < 85)
    return {
      kind: 'content',
      content: random.pick(Object.keys(wrongContents) as (keyof typeof wrongContents)[]),
    };
  if (drawn < 91) return { kind: 'cut', bytes: random.below(30) };
  // The request times out after ten seconds.
  if (drawn < 93) return { kind: 'silence' };
  return { kind: random.pick(['reset', 'garbage'] as const) };
}

/** The token server responds normally after its behaviours. */
export const wellToken: TokenBehaviour = { kind: 'token', life: 'long', isRefused: false };

export interface ModelToken {
  readonly number: number;
  readonly isRefused: boolean;
  /** In milliseconds, on the clock of the sequence. */
  readonly renewal: number;
  readonly end: number;
}

/** A failure to get a token, in which case no request is sent. */
export interface NoToken {
  readonly kind: FailureKind;
  /** Seconds until the next attempt to get a token. */
  readonly after: number;
}

/** Milliseconds without a new attempt after a failed token request. */
const pause = 5_000;

export class TokenModel {
  private readonly queue: TokenBehaviour[];
  private kept: ModelToken | undefined;
  private failed: { readonly kind: FailureKind; readonly end: number } | undefined;
  private count = 0;

  constructor(
    { behaviours }: Login,
    private readonly sent: string[],
  ) {
    this.queue = [...behaviours];
  }

  /** The token for a request at `now`, in milliseconds. */
  token(now: number): ModelToken | NoToken {
    const { kept } = this;
    if (kept !== undefined && now < kept.renewal) return kept;
    if (this.failed === undefined || now >= this.failed.end) {
      const asked = this.ask(now);
      if (typeof asked !== 'string') return (this.kept = asked);
      this.failed = { kind: asked, end: now + pause };
    }
    if (kept !== undefined && now < kept.end) return kept;
    return { kind: this.failed.kind, after: Math.ceil((this.failed.end - now) / 1000) };
  }

  /** Called when the API has responded with 401. */
  refused(token: ModelToken): void {
    if (this.kept === token) this.kept = undefined;
  }

  private ask(now: number): ModelToken | FailureKind {
    this.sent.push(tokenRequest);
    const behaviour = this.queue.shift() ?? wellToken;
    if (behaviour.kind !== 'token') return failureOf(behaviour);
    this.failed = undefined;
    this.count += 1;
    const life = lives[behaviour.life].seconds * 1000;
    return {
      number: this.count,
      isRefused: behaviour.isRefused,
      renewal: now + life * 0.9,
      end: now + life,
    };
  }
}

/** Form and credentials of every token request. */
export const tokenRequest = `POST grant_type=client_credentials Basic ${Buffer.from('shop:secret').toString('base64')}`;

function failureOf(behaviour: Exclude<TokenBehaviour, { readonly kind: 'token' }>): FailureKind {
  switch (behaviour.kind) {
    case 'status':
      return behaviour.status === 429 || behaviour.status >= 500 ? 'unreachable' : 'unreadable';
    case 'content':
    case 'garbage':
      return 'unreadable';
    case 'cut':
    case 'reset':
      return 'unreachable';
    case 'silence':
      return 'timeout';
  }
}

/** Sends the response; `made` is the number of the token, if one is issued. */
export function behaveAsTokenServer(behaviour: TokenBehaviour, response: ServerResponse, made: number): void {
  response.setHeader('connection', 'close');
  const json = { 'content-type': 'application/json' };
  switch (behaviour.kind) {
    case 'token': {
      const life = lives[behaviour.life].written;
      const token = { access_token: tokenText(made, behaviour.isRefused), expires_in: life };
      response.writeHead(200, json).end(JSON.stringify(token));
      break;
    }
    case 'status':
      response.writeHead(behaviour.status, { ...json, location: '/elsewhere' }).end('{"error":"no_luck"}');
      break;
    case 'content':
      response.writeHead(200, json).end(wrongContents[behaviour.content]);
      break;
    case 'cut':
      response.writeHead(200, { ...json, 'content-length': 40 });
      response.flushHeaders();
      response.write('{"access_token":"abcdefghijklmnopqrstuv"}'.slice(0, behaviour.bytes));
      setImmediate(() => response.destroy());
      break;
    case 'reset':
      response.destroy();
      break;
    case 'garbage':
      response.socket?.end('this is not HTTP\r\n\r\n');
      break;
    case 'silence':
      break;
  }
}

function tokenText(number: number, isRefused: boolean): string {
  return `${isRefused ? 'refused' : 'token'}-${number}`;
}

/** The number of the token in the request header ('-' without a token), and whether the API refuses it. */
export function tokenOf(authorization: string | undefined): {
  readonly shown: string;
  readonly isRefused: boolean;
} {
  const [, kind, number] = /^Bearer (token|refused)-(\d+)$/.exec(authorization ?? '') ?? [];
  return { shown: number ?? authorization ?? '-', isRefused: kind === 'refused' };
}
