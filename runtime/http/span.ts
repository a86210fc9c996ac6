/** Tells OpenTelemetry the route of a request, where it is there: without it all spans of the server are called by their method alone. */
import type { Route } from './router.js';

interface Span {
  setAttribute(name: string, value: string): unknown;
  updateName(name: string): unknown;
}

/** What OpenTelemetry puts there when a process begins with it; no package of it is needed here. */
interface OpenTelemetry {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

const globalKey = Symbol.for('opentelemetry.js.api.1');
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

/** Names the span of the request that is being answered. */
export function nameSpan({ method, path }: Route): void {
  const api = Reflect.get(globalThis, globalKey) as OpenTelemetry | undefined;
  if (api === undefined) return;
  const span = api.context?.active().getValue(spanKey) as Span | undefined;
  span?.setAttribute('http.route', path);
  span?.updateName(`${method} ${path}`);
}
