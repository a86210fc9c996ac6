/** The embedded PostgreSQL as a server on a local port, with a schema and data. */
import type { PGlite } from '@electric-sql/pglite';
import { EmbeddedPostgres, openEmbedded } from '../../analyze/database/embedded/embedded-postgres.js';
import { DiskCache } from '../../analyze/database/disk-cache.js';
import { EndedPostgres } from '../../analyze/database/describe-postgres.js';
import { loadSchema, prepared, setSearchPath, type Loaded } from '../../analyze/database/load-schema.js';
import { extensionsIn, schemaStatements } from '../../analyze/database/schema-text.js';
import { position, type Source } from '../../read/source.js';
import { LocalDatabaseError, type LocalDatabase } from './local-database.js';
import { ownerBeside } from './ordinary-role.js';
import { PostgresRows, readSequences, restoreSequences, type PostgresSession } from './postgres-rows.js';

/** SQL files in execution order. */
export interface DatabaseFiles {
  readonly schema: readonly Source[];
  readonly seed: readonly Source[];
  /** Whether the schema is usable even if some of its statements fail. */
  readonly skipsFailing?: boolean;
}

/**
 * Starts a server, and keeps the rows of the seed. All connections share one session, so each datasource of a service gets a single
 * connection. `searchPath` is the session's, if not the default. Throws a LocalDatabaseError if a statement is rejected.
 */
export async function startEmbeddedDatabase(
  files: DatabaseFiles,
  searchPath?: string,
  oneByOne = false,
): Promise<LocalDatabase> {
  const { schema } = files;
  const start = async (): Promise<EmbeddedPostgres> =>
    new EmbeddedPostgres(await openEmbedded(extensionsIn(schema), DiskCache.ofUser('schemas', process.env)));
  const loaded = await loadSchema(schema, start, (embedded) => embedded, searchPath);
  const { database } = loaded.database;
  try {
    await fill(loaded, files, searchPath, oneByOne);
    const { session, ownerRole } = await ownerBeside(sessionOf(database));
    const rows = await PostgresRows.keep(session);
    return { ...(await serve(database, session, rows)), ...(ownerRole === undefined ? {} : { ownerRole }) };
  } catch (error) {
    await loaded.database.close();
    // Running the statements one by one shows which statement of the seed failed.
    if (error instanceof EndedPostgres && !oneByOne) return startEmbeddedDatabase(files, searchPath, true);
    throw error;
  }
}

async function fill(
  { database: embedded, errors }: Loaded<EmbeddedPostgres>,
  { schema, seed, skipsFailing = false }: DatabaseFiles,
  searchPath: string | undefined,
  oneByOne: boolean,
): Promise<void> {
  // An extension is missing, which `check` has reported as a warning.
  const failed = errors.find(({ isLack }) => !isLack);
  if (failed !== undefined && !skipsFailing) throw refused(schema[failed.file], failed.start, failed.message);
  const session = sessionOf(embedded.database);
  for (const source of seed) {
    const sequences = await readSequences(session);
    if (!oneByOne) {
      if ((await embedded.run(`BEGIN;\n${source.text}\n;COMMIT`)) === undefined) continue;
      await embedded.run('ROLLBACK');
    }
    // A rollback does not reset sequences, so the same statements would create rows with different numbers.
    await restoreSequences(session, sequences);
    for (const statement of schemaStatements(source)) {
      const { text, rows } = prepared(statement);
      const problem = await embedded.run(text, rows).catch((error: unknown) => {
        if (oneByOne && error instanceof EndedPostgres) return error;
        throw error;
      });
      if (problem === undefined) continue;
      const hint = schema.length > 0 ? '' : '. There is no schema.sql that creates the tables';
      throw refused(source, statement.start, problem.message + hint);
    }
  }
  // All connections share the session and therefore its search path.
  await setSearchPath(embedded, searchPath);
}

function refused(source: Source | undefined, start: number, message: string): LocalDatabaseError {
  const location = source === undefined ? '' : `${source.path}:${position(source, start).line}: `;
  return new LocalDatabaseError(
    'refused',
    `${location}the embedded PostgreSQL refuses this statement: ${message}`,
  );
}

function sessionOf(database: PGlite): PostgresSession {
  return {
    run: async (sql) => {
      await database.exec(sql);
    },
    rows: async (sql) => (await database.query<unknown[]>(sql, [], { rowMode: 'array' })).rows,
  };
}

async function serve(
  database: PGlite,
  session: PostgresSession,
  first: PostgresRows,
): Promise<LocalDatabase> {
  let rows = first;
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
  // A service may open its next connection before the last one is closed.
  const server = new PGLiteSocketServer({
    db: inBatches(database),
    port: 0,
    host: '127.0.0.1',
    maxConnections: 50,
  });
  await server.start();
  const [, port = ''] = /:(\d+)$/.exec(server.getServerConn()) ?? [];
  return {
    connection: {
      // Prepared statement names would outlive the connections that created them.
      url: `jdbc:postgresql://127.0.0.1:${port}/postgres?prepareThreshold=0`,
      user: 'postgres',
      password: '',
      poolMax: 1,
    },
    keep: async () => {
      rows = await PostgresRows.keep(session);
    },
    restore: () => rows.restore(),
    clear: () => rows.clear(),
    stop: async () => {
      await server.stop();
      await database.close();
    },
  };
}

/** First bytes of the messages after which a client waits for a response: Sync, Query and Terminate. */
const ends = new Set(['S', 'Q', 'X'].map((letter) => letter.charCodeAt(0)));
/** The first byte of a message that starts a connection, which begins with its length. */
const starts = 0;

/**
 * Makes connections take turns with whole batches of messages up to a Sync, by reporting them as transactions: the server acquires a lock
 * before it accepts the next message. Otherwise, a statement of one connection could run after the settings of another.
 */
function inBatches(database: PGlite): PGlite {
  let isWithin = false;
  const run: PGlite['execProtocolRawStream'] = (message, options) => {
    const [first = starts] = message;
    isWithin = first !== starts && !ends.has(first);
    return database.execProtocolRawStream(message, options);
  };
  const own: Partial<PGlite> = {
    isInTransaction: () => isWithin || database.isInTransaction(),
    execProtocolRawStream: run,
  };
  return new Proxy(database, {
    get: (target, key) => {
      const value: unknown = Reflect.get(Object.hasOwn(own, key) ? own : target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
