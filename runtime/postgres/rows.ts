/** How many rows of a result have arrived on a connection of PostgreSQL. */
import type { EventEmitter } from 'node:events';
import type { Client } from 'pg';

const counts = new WeakMap<Client, { rows: number }>();

/** Of the statement whose result is arriving; counting begins with the first call. */
export function postgresRows(connection: Client): number {
  let count = counts.get(connection);
  if (count === undefined) {
    const counting = { rows: 0 };
    counts.set(connection, (count = counting));
    // Declared nowhere: it emits an event for each message of the server. Every statement begins with BindComplete.
    const { connection: wire } = connection as unknown as { readonly connection: EventEmitter };
    wire
      .on('dataRow', () => {
        counting.rows += 1;
      })
      .on('bindComplete', () => {
        counting.rows = 0;
      });
  }
  return count.rows;
}
