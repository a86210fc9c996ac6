/** Logs and traces requests (LOG_REQUESTS). At LOG_LEVEL=debug every request is logged. */
import type { Log } from '../server/log.js';
import type { LogRequests } from '../server/settings.js';
import type { Exchange } from './exchange.js';
import type { Ended } from './response-end.js';
import type { Endpoint } from './route.js';

/** How a request ended, and how long its operation ran. */
interface RequestEnd {
  readonly status: number;
  readonly ended: Ended;
  readonly milliseconds: number;
}

export class RequestLog {
  private readonly isDebug: boolean;

  constructor(
    private readonly log: Log,
    private readonly wanted: LogRequests,
  ) {
    this.isDebug = log.isLevelEnabled('debug');
  }

  /** The log level of client errors. */
  get clientErrors(): 'info' | 'debug' {
    return this.wanted === 'off' ? 'debug' : 'info';
  }

  /** Whether no request is logged. */
  get isOff(): boolean {
    return !this.isDebug && this.wanted === 'off';
  }

  /** `operation` is undefined if no operation served the request. The path is then chosen by the client, so it is not logged. */
  ended(
    { requestId, request }: Exchange,
    operation: string | undefined,
    { status, ended, milliseconds }: RequestEnd,
  ): void {
    if (this.isOff) return;
    const isFault = status >= 400 || ended !== 'whole';
    const isWanted = this.wanted === 'on' || (this.wanted === 'errors' && isFault);
    if (!isWanted && !this.isDebug) return;
    const asked = operation === undefined ? { method: request.method } : { operation };
    const entry = { requestId, ...asked, status, ended, milliseconds: Math.round(milliseconds * 10) / 10 };
    this.log[isWanted ? 'info' : 'debug'](entry, 'request');
  }

  /** A request that was refused before it was parsed; `reason` is `CONNECT`, or a code of Node's parser. */
  refused(status: number, reason: string): void {
    this.log[this.clientErrors]({ status, reason }, 'request refused');
  }
}

interface Span {
  setAttribute(name: string, value: string): unknown;
  updateName(name: string): unknown;
}

/** The global that OpenTelemetry sets if the process uses it. No package of it is needed here. */
interface OpenTelemetry {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

const globalKey = Symbol.for('opentelemetry.js.api.1');
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

/** Names the span of the current request. */
export function nameSpan({ method, path }: Endpoint): void {
  const api = Reflect.get(globalThis, globalKey) as OpenTelemetry | undefined;
  if (api === undefined) return;
  const span = api.context?.active().getValue(spanKey) as Span | undefined;
  span?.setAttribute('http.route', path);
  span?.updateName(`${method} ${path}`);
}
