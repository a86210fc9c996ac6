/** Knex on the database of a datasource, for own code such as `src/app.ts`. */
import knex, { type Knex } from 'knex';
import type { DatabaseDatasource } from '../sql/datasource.js';

/** How many connections own code has when it does not say. */
const defaultMax = 4;

const known = new WeakMap<DatabaseDatasource, Knex>();

/**
 * Knex on the database that the datasource is connected to: its address, its user, TLS, time zone and the time limit of statements.
 * It has connections of its own, at most `max` (4): what own code leaves in a session reaches no operation. Every call returns the same one,
 * which is closed with the datasource. Values are those of knex and its driver. Throws an Error before the service has read its settings:
 * call it in a handler, and not when the module is loaded.
 */
export function knexOf(datasource: DatabaseDatasource, { max = defaultMax } = {}): Knex {
  const existing = known.get(datasource);
  if (existing !== undefined) return existing;
  const { client, connection, found, prepare, connectTimeout } = datasource.knexSettings();
  const created = knex({
    client,
    connection: found ?? connection,
    acquireConnectionTimeout: connectTimeout,
    // It would print beside the log of the service; its errors reach whoever awaits the statement.
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
  // Reported elsewhere.
}
