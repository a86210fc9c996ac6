/** The management listener, which serves `/health/live`, `/health/ready` and `/metrics` to operators. */
import { errorCode } from '../handler/reply.js';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connections } from '../http/connections.js';
import { problemOfHead } from '../http/refused-request.js';
import { expose, type Family } from './metrics.js';
import { identity } from './process-metrics.js';
import { ReadinessCheck, type Readiness, type Reachable } from './readiness.js';
import type { Log } from '../server/log.js';
import type { Settings } from '../server/settings.js';
import { StartError } from '../server/environment.js';
import type { ServiceMetrics } from './service-metrics.js';

/** The body of `/health/live`. */
export interface Liveness {
  /** `stuck` if the event loops of all processes are blocked. */
  readonly status: 'live' | 'stuck';
  /** The number of running and stuck workers, if there are several processes. */
  readonly workers?: { readonly turning: number; readonly stuck: number };
}

/** The data served by the listener, for one process or several. No method fails. */
export interface Management {
  /** A single process is live if it responds at all. */
  liveness(): Liveness;
  readiness(): Promise<Readiness>;
  metrics(): Promise<readonly Family[]>;
}

/** The address of the listener, and the version of the service. */
export interface ManagementOptions extends Pick<Settings, 'managementPort' | 'managementHost'> {
  readonly version?: string | undefined;
}

/** Starts listening, and returns the port. Rejects with the errors of Node's server. */
export async function listenForManagement(
  management: Management,
  { managementPort, managementHost, version = 'unknown' }: ManagementOptions,
): Promise<ManagementListener> {
  const constant = identity(version);
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000, requireHostHeader: false });
  const connections = new Connections(server, { sendTimeout: 10_000, onRefusal: () => undefined });
  server.on('request', (request, response) => {
    connections.begin(request.socket, response);
    void respond(management, constant, request, response);
  });
  server.on('checkExpectation', (request, response) => {
    connections.begin(request.socket, response);
    sendJson(response, 417, { message: STATUS_CODES[417] });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: managementPort, host: managementHost }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return new ManagementListener(server, connections);
}

export class ManagementListener {
  constructor(
    private readonly server: Server,
    private readonly connections: Connections,
  ) {}

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Stops accepting requests. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
    this.connections.destroyAll();
    return closed;
  }
}

async function respond(
  management: Management,
  constant: readonly Family[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = (request.url ?? '').split('?');
  const problem = problemOfHead(request);
  if (problem !== undefined) {
    response.setHeader('Connection', 'close');
    sendJson(response, problem.status, { message: problem.message ?? STATUS_CODES[problem.status] });
    return;
  }
  const known = path === '/health/live' || path === '/health/ready' || path === '/metrics';
  if (!known) sendJson(response, 404, { message: STATUS_CODES[404] });
  else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    sendJson(response, 405, { message: STATUS_CODES[405] });
  } else if (path === '/metrics') {
    const text = expose([...constant, ...(await management.metrics())]);
    send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', text);
  } else if (path === '/health/live') {
    const liveness = management.liveness();
    sendJson(response, liveness.status === 'live' ? 200 : 503, liveness);
  } else {
    const readiness = await management.readiness();
    sendJson(response, readiness.status === 'ready' ? 200 : 503, readiness);
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.destroyed) return;
  const headers = {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  };
  response.writeHead(status, headers).end(text);
}

/** The management data of this process. */
export function manage(
  metrics: ServiceMetrics,
  datasources: readonly Reachable[],
  http: { readonly closing: boolean; readonly loaded: Promise<unknown> },
): Management {
  const check = new ReadinessCheck(datasources, http);
  return {
    liveness: () => ({ status: 'live' }),
    readiness: () => check.ask(),
    metrics: () => Promise.resolve(metrics.collect()),
  };
}

/** Opens the listener on MANAGEMENT_PORT. Throws a StartError. */
export async function openListener(
  management: Management,
  options: ManagementOptions,
  log: Log,
): Promise<ManagementListener> {
  try {
    const listener = await listenForManagement(management, options);
    log.info({ port: listener.port }, 'management listens');
    return listener;
  } catch (error) {
    const code = errorCode(error);
    throw new StartError([
      code === 'EADDRINUSE'
        ? `The port ${options.managementPort} is in use already: set MANAGEMENT_PORT to another port`
        : `The service cannot listen on MANAGEMENT_HOST, port ${options.managementPort}: ${String(code)}`,
    ]);
  }
}
