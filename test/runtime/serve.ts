/** Starts the runtime's HTTP server in this process, with hand-written operations. */
import type { AddressInfo } from 'node:net';
import { jsonBody } from '../../runtime/http/json-body.js';
import type { Fallback } from '../../runtime/http/fallback.js';
import { createRouter } from '../../runtime/http/router.js';
import type { Handler, Route, HttpLimits } from '../../runtime/http/route.js';
import { HttpServer, type HttpServerOptions } from '../../runtime/http/server.js';
import { createLog } from '../../runtime/server/log.js';

export interface Served {
  readonly http: HttpServer;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** Server options that tests can set. */
export interface ServeOptions extends Partial<Omit<HttpServerOptions, 'limits' | 'fallback' | 'router'>> {
  readonly limits?: Partial<HttpLimits>;
  readonly fallback?: Fallback;
}

/** `operations` by name (`POST /news`), or as routes. */
export async function serve(
  operations: Readonly<Record<string, Handler>> | readonly Route[],
  options: ServeOptions = {},
): Promise<Served> {
  const { fallback, limits, ...others } = options;
  const routes = isRoutes(operations)
    ? operations
    : Object.entries(operations).map(([name, handler]) => routeOf(name, handler));
  const http = new HttpServer({
    router: createRouter(routes),
    log: createLog('silent'),
    ...others,
    limits: {
      requestTimeout: 30_000,
      headerLimit: 16 * 1024,
      sendTimeout: 30_000,
      bodyLimit: 1024 * 1024,
      bodyDepth: 64,
      fileLimit: 10 * 1024 * 1024,
      partLimit: 20,
      uploadMemory: 256 * 1024 * 1024,
      ...limits,
    },
    fallback: fallback && (() => Promise.resolve(fallback)),
  });
  await new Promise<void>((resolve) => http.server.listen(0, '127.0.0.1', resolve));
  const { port } = http.server.address() as AddressInfo;
  const stop = async () => {
    http.destroyConnections();
    await http.close();
  };
  return { http, port, url: `http://127.0.0.1:${port}`, stop };
}

function isRoutes(operations: object): operations is readonly Route[] {
  return Array.isArray(operations);
}

/** POST, PUT and PATCH operations read their body. */
function routeOf(name: string, handler: Handler): Route {
  const [method = '', path = ''] = name.split(' ');
  return { method, path, handler, ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: jsonBody } : {}) };
}
