/** The database servers of a test run: started for all test files together, each when the first file asks for it. */
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import type { DatabaseServer } from './database-server.js';
import { startMariadb } from './mariadb-server.js';
import { startPostgres } from './postgres-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `sharedPostgres` and `sharedMariadb` ask for the coordinates of a server. */
    servers: string;
  }
}

/** Vitest's global set-up. A run that needs no database starts none. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<DatabaseServer>>();
  const start = (path: string | undefined): Promise<DatabaseServer> => {
    const name = path ?? '';
    const server = started.get(name) ?? (name === '/postgres' ? startPostgres() : startMariadb());
    started.set(name, server);
    return server;
  };

  const desk = createServer((request, response) => {
    // A kept connection could be closed just when the next test file asks on it.
    response.setHeader('connection', 'close');
    start(request.url).then(
      ({ host, port, user, password }) => response.end(JSON.stringify({ host, port, user, password })),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  const address = desk.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  project.provide('servers', `http://127.0.0.1:${address.port}`);

  return async () => {
    desk.closeAllConnections();
    desk.close();
    const stops = [...started.values()].map(async (server) => {
      await (await server).stop();
    });
    // One that did not start has failed the test that asked for it.
    await Promise.allSettled(stops);
  };
}
