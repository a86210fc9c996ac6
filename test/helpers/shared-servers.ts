/** The servers that all test files share; every file makes databases of its own in them. */
import { inject } from 'vitest';
import type { AttachedServer, ServerCoordinates } from './database-server.js';
import { attachMariadb } from './mariadb-server.js';
import { attachPostgres } from './postgres-server.js';

/** The PostgreSQL server of this test run. */
export async function sharedPostgres(): Promise<AttachedServer> {
  return attachPostgres(await coordinates('postgres'));
}

/** The MariaDB server of this test run. */
export async function sharedMariadb(): Promise<AttachedServer> {
  return attachMariadb(await coordinates('mariadb'));
}

async function coordinates(name: string): Promise<ServerCoordinates> {
  const response = await fetch(`${inject('servers')}/${name}`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as ServerCoordinates;
}
