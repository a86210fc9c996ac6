/** Access to resources shared by all test files: database servers, in which every file creates its databases, and the packed tool. */
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

/** The path of this tool as a package (`npm pack`), made once in a test run. */
export async function packedTool(): Promise<string> {
  return (await ask('package')) as string;
}

/**
 * The path of the tool as a program (`npm run build`), built once in a test run, because running the sources would transpile them at every
 * start.
 */
export async function builtTool(): Promise<string> {
  return (await ask('build')) as string;
}

async function coordinates(name: string): Promise<ServerCoordinates> {
  return (await ask(name)) as ServerCoordinates;
}

async function ask(name: string): Promise<unknown> {
  const response = await fetch(`${inject('servers')}/${name}`);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
