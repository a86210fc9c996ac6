/** Knex for the database of a datasource, for user code such as `src/app.ts`. */
import knex, { type Knex } from 'knex';
import type { DatabaseDatasource } from '../sql/datasource.js';

/** Default maximum number of connections for user code. */
const defaultMax = 4;

const known = new WeakMap<DatabaseDatasource, Knex>();

/**
 * Returns a Knex instance for the database of the datasource, with the same address, user, TLS, time zone and statement time limit.
 * The instance has separate connections, at most `max` (4), so that session state of user code does not affect operations. Every call
 * returns the same instance, which is closed with the datasource. Values are those of Knex and its driver. Throws an Error before the
 * service has read its settings: call it in a handler, not when the module is loaded.
 */
export function knexOf(datasource: DatabaseDatasource, { max = defaultMax } = {}): Knex {
  const existing = known.get(datasource);
  if (existing !== undefined) return existing;
  const { client, connection, found, prepare, connectTimeout } = datasource.knexSettings();
  const created = knex({
    client,
    connection: found ?? connection,
    acquireConnectionTimeout: connectTimeout,
    // Knex would print outside the log of the service. Its errors are thrown to the caller anyway.
    log: { warn: nothing, error: nothing, deprecate: nothing, debug: nothing },
    pool: {
      min: 0,
      max,
      afterCreate: (opened: unknown, done: (error: unknown, connection: unknown) => void) => {
        prepare(opened).then(
          () => {
            done(undefined, opened);
          },
          (error: unknown) => {
            done(error, opened);
          },
        );
      },
    },
  });
  known.set(datasource, created);
  datasource.whenClosing(() => created.destroy());
  return created;
}

function nothing(): void {
  // The error is reported elsewhere.
}
