/** The services for these tests: compilation and settings. */
import type { AttachedServer } from '../helpers/database-server.js';
import { startMariadb } from '../helpers/mariadb-server.js';
import { startPostgres } from '../helpers/postgres-server.js';
import { buildServices } from '../helpers/service-build.js';
import type { DatabaseKind } from '../helpers/service-fixture.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { filesOf } from '../emit/compile-text.js';
import { entriesConfig, entriesSchema } from './entries.js';

export const kinds: readonly DatabaseKind[] = ['postgresql', 'mariadb'];

/** The folder of each service, ready to start. */
export async function buildEntries(
  group: string,
  wanted: readonly DatabaseKind[] = kinds,
): Promise<ReadonlyMap<DatabaseKind, string>> {
  const services = await Promise.all(
    wanted.map(async (kind) => ({ name: kind, files: await filesOf(entriesConfig(kind)) })),
  );
  return buildServices(group, services) as ReadonlyMap<string, string> as ReadonlyMap<DatabaseKind, string>;
}

export const sharedServer = { postgresql: sharedPostgres, mariadb: sharedMariadb };
export const ownServer = { postgresql: startPostgres, mariadb: startMariadb };

/** Creates an empty database with the table; returns the environment variables for a service that uses it. */
export async function prepare(
  server: AttachedServer,
  kind: DatabaseKind,
  database: string,
): Promise<Record<string, string>> {
  await server.createDatabase(database);
  await server.exec(database, entriesSchema[kind]);
  return {
    DATASOURCE_MAIN_URL: server.jdbcUrl(database),
    DATASOURCE_MAIN_USER: server.user,
    DATASOURCE_MAIN_PASSWORD: server.password,
  };
}

/** A response; status 0 means that there was none. */
export interface HttpResponse {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly retryAfter: string | null;
}

/** Sends a request; never throws. */
export async function ask(url: string, method: string, path: string, body?: object): Promise<HttpResponse> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? null : (JSON.parse(text) as unknown),
      text,
      retryAfter: response.headers.get('retry-after'),
    };
  } catch (error) {
    return { status: 0, body: null, text: String(error), retryAfter: null };
  }
}

/** Repeats the request until the status matches; throws the last response after 30 s. */
export async function askUntil(status: number, url: string, path: string): Promise<HttpResponse> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const response = await ask(url, 'GET', path);
    if (response.status === status) return response;
    if (performance.now() > deadline) throw new Error(`No ${status}: ${response.status} ${response.text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
