/** A temporary database on a PostgreSQL server. */
import pg from 'pg';
import { postgresConnection, zoneSettings } from '../../../runtime/postgres/session.js';
import { createClient } from '../../../runtime/postgres/driver-internals.js';
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import { setSearchPath } from '../../analyze/database/load-schema.js';
import { schemaStatements, settingOf } from '../../analyze/database/schema-text.js';
import { unreachable } from '../../analyze/database/server.js';
import { position, type Source } from '../../read/source.js';
import type { DatabaseFiles } from './embedded-database.js';
import { jdbcUrl } from './jdbc-url-of.js';
import { LocalDatabaseError, type LocalDatabase } from './local-database.js';
import { PostgresRows, type PostgresSession } from './postgres-rows.js';

/** Creates the database, and keeps the rows of the seed. */
export async function startPostgresDatabase(
  settings: ConnectionSettings,
  name: string,
  { schema, seed }: DatabaseFiles,
): Promise<LocalDatabase> {
  const server = await open(settings);
  try {
    await server.query(`CREATE DATABASE ${name}`);
  } catch (error) {
    await server.end();
    throw new LocalDatabaseError('unreachable', `no temporary database can be created: ${messageOf(error)}`);
  }
  let client: pg.Client | undefined;
  const stop = async (): Promise<void> => {
    await client?.end();
    // FORCE closes connections left open by a service.
    await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await server.end();
  };
  try {
    client = await open({ ...settings, database: name });
    const session = sessionOf(client);
    for (const source of schema) await load(source, client, name);
    await setSearchPath(session, settings.currentSchema);
    for (const source of seed) await load(source, client, name);
    await session.run('RESET search_path');
    let rows = await PostgresRows.keep(session);
    return {
      connection: {
        url: jdbcUrl('postgresql', settings, name),
        user: settings.user,
        password: settings.password,
      },
      keep: async () => {
        rows = await PostgresRows.keep(session);
      },
      restore: () => rows.restore(),
      clear: () => rows.clear(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(settings: ConnectionSettings): Promise<pg.Client> {
  const client = createClient(postgresConnection(settings), zoneSettings);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw unreachable(settings, messageOf(error));
  }
}

async function load(source: Source, client: pg.Client, database: string): Promise<void> {
  for (const { text, rows, start } of schemaStatements(source)) {
    try {
      if (rows === undefined) await client.query(settingOf(text, database));
      else await copy(client, text, rows);
    } catch (error) {
      const { line } = position(source, start);
      throw new LocalDatabaseError(
        'refused',
        `${source.path}:${line}: the server refuses this statement: ${messageOf(error)}`,
      );
    }
  }
}

function copy(client: pg.Client, text: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(
      new CopyQuery(text, rows, (error) => {
        if (error) reject(error);
        else resolve();
      }),
    );
  });
}

/** Methods of pg's connection that its types do not declare. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Runs `COPY … FROM stdin` with rows. */
class CopyQuery extends pg.Query {
  constructor(
    text: string,
    // Not called `rows`, because the driver has a field of that name.
    private readonly copied: string,
    done: (error: Error | undefined) => void,
  ) {
    super(text, done);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.copied));
    connection.endCopyFrom();
  }
}

function sessionOf(client: pg.Client): PostgresSession {
  return {
    run: async (sql) => {
      if (sql !== '') await client.query(sql);
    },
    rows: async (sql) => (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows,
  };
}

function messageOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? error.message : 'no connection';
}
