/** The test page (settings.debug): /docs-ui, its API description, and traces of its calls. */
import { randomUUID } from 'node:crypto';
import type { Call } from '../handler/call.js';
import { sendMessage } from '../http/send-response.js';
import type { Exchange } from '../http/exchange.js';
import { pathAndQuery } from '../http/request-target.js';
import type { Handler } from '../http/route.js';
import type { TestPage } from '../http/route.js';
import type { Log } from '../server/log.js';
import type { Reply } from '../handler/reply.js';
import { record } from '../trace/recording.js';
import type { Trace } from '../trace/steps.js';
import { pageFiles, type PageFile, madeFile } from './files.js';
import { sendFile, sendRedirect } from './send-file.js';

const page = '/docs-ui';
const traces = `${page}/trace/`;

/** Maximum number of stored traces. The page requests a trace immediately after its call. */
const maxTraces = 100;

/** `description` is the API description as JSON. */
export function createTestPage(description: string): TestPage {
  return new Page(pageFiles(description));
}

class Page implements TestPage {
  private readonly traces = new Map<string, Trace>();

  constructor(private readonly files: ReadonlyMap<string, PageFile>) {}

  announce(log: Log, workers: number): void {
    log.warn(
      { page },
      'settings.debug is true: the test page shows the SQL of a call to everybody who can reach the service',
    );
    if (workers > 1)
      log.warn({ workers }, 'WORKERS is 1 where there is a test page: it keeps its traces in memory');
  }

  owns(target: string): boolean {
    const { path } = pathAndQuery(target);
    return path === `${page}/` || (this.files.get(path) ?? this.traceFile(path)) !== undefined;
  }

  respond(exchange: Exchange): boolean {
    const { method, url = '' } = exchange.request;
    const { path } = pathAndQuery(url);
    const file = this.files.get(path) ?? this.traceFile(path);
    if (file === undefined && path !== `${page}/`) return false;
    if (method !== 'GET' && method !== 'HEAD') {
      sendMessage(exchange, 405, undefined, ['Allow', 'GET, HEAD']);
    } else if (file === undefined) {
      // A relative URL, because a proxy may have added a prefix to the path.
      sendRedirect(exchange, `..${page}`);
    } else sendFile(exchange, file);
    return true;
  }

  async observe(exchange: Exchange, operation: string, handler: Handler, call: Call): Promise<Reply> {
    if (exchange.request.headers['x-trace'] === undefined) return handler(call);
    // A random id that only the caller knows.
    const id = randomUUID();
    exchange.response.setHeader('X-Trace-Id', id);
    const { trace, result } = record(operation, () => handler(call));
    try {
      return await result;
    } finally {
      this.keep(id, trace);
    }
  }

  private keep(id: string, trace: Trace): void {
    this.traces.set(id, trace);
    const [oldest] = this.traces.keys();
    if (this.traces.size > maxTraces && oldest !== undefined) this.traces.delete(oldest);
  }

  private traceFile(path: string): PageFile | undefined {
    const trace = path.startsWith(traces) ? this.traces.get(path.slice(traces.length)) : undefined;
    return trace && madeFile('application/json; charset=utf-8', () => JSON.stringify(trace));
  }
}
