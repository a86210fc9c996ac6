/** Logs and traces requests (LOG_REQUESTS). LOG_LEVEL=debug logs every request. */
import type { Log } from '../server/log.js';
import type { Refusal } from '../authentication/refusal.js';
import type { LogRequests } from '../server/settings.js';
import type { Exchange } from './exchange.js';
import type { Ended } from './response-end.js';
import type { Endpoint } from './route.js';

/** The outcome of a request, and the running time of its operation. */
interface RequestEnd {
  readonly status: number;
  readonly ended: Ended;
  readonly milliseconds: number;
  /** Why its credentials were refused. */
  readonly refusal: Refusal | undefined;
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

  /** Whether request logging is off. */
  get isOff(): boolean {
    return !this.isDebug && this.wanted === 'off';
  }

  /** `operation` is undefined if no operation served the request. The path is then omitted, because any client can choose it. */
  ended(
    { requestId, request, tool }: Exchange,
    operation: string | undefined,
    { status, ended, milliseconds, refusal }: RequestEnd,
  ): void {
    if (this.isOff) return;
    const isFault = status >= 400 || ended !== 'whole';
    const isWanted = this.wanted === 'on' || (this.wanted === 'errors' && isFault);
    if (!isWanted && !this.isDebug) return;
    const asked = operation === undefined ? { method: request.method } : { operation };
    const entry = {
      ...{
        requestId,
        ...asked,
        ...(tool === undefined ? {} : { via: 'mcp' }),
        status,
        ...(refusal === undefined ? {} : { reason: refusal }),
      },
      ...{ ended, milliseconds: Math.round(milliseconds * 10) / 10 },
    };
    this.log[isWanted ? 'info' : 'debug'](entry, 'request');
  }

  /** Logs a request that was refused before parsing; `reason` is `CONNECT`, or an error code of Node's parser. */
  refused(status: number, reason: string): void {
    this.log[this.clientErrors]({ status, reason }, 'request refused');
  }
}

interface Span {
  setAttribute(name: string, value: string): unknown;
  updateName(name: string): unknown;
}

/** The global set by OpenTelemetry if the process uses it. Reading the global avoids a dependency on an OpenTelemetry package. */
interface OpenTelemetry {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

const globalKey = Symbol.for('opentelemetry.js.api.1');
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

/** Names the OpenTelemetry span of the current request. */
export function nameSpan({ method, path }: Endpoint): void {
  const api = Reflect.get(globalThis, globalKey) as OpenTelemetry | undefined;
  if (api === undefined) return;
  const span = api.context?.active().getValue(spanKey) as Span | undefined;
  span?.setAttribute('http.route', path);
  span?.updateName(`${method} ${path}`);
}
