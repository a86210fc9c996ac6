/** A connection of the runtime's driver on which a probe runs statements. */
import type { Json, Row } from '../../../runtime/handler/json.js';
import type { DriverConnection, Query, TransactionCommand } from '../../../runtime/sql/driver.js';

export class Session {
  constructor(private readonly connection: DriverConnection) {}

  /** Returns the rows of a statement that only reads; `more` sets special options. Throws driver errors. */
  read(text: string, values: readonly Json[] = [], more: Partial<Query> = {}): Promise<Row[]> {
    return this.#run({ text, values, use: 'read', changes: false, atomic: true, ...more });
  }

  change(text: string, values: readonly Json[] = []): Promise<Row[]> {
    return this.#run({ text, values, use: 'update', changes: true, atomic: true });
  }

  command(command: TransactionCommand): Promise<void> {
    return this.connection.command(command);
  }

  cancel(): Promise<void> {
    return this.connection.cancel();
  }

  reset(): Promise<void> {
    return this.connection.reset();
  }

  end(): Promise<void> {
    return this.connection.end();
  }

  /** Closes the connection immediately: a connection with a hanging statement cannot be closed cleanly. */
  destroy(): void {
    this.connection.socket.destroy();
  }

  #run(query: Query): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.connection.start(query, (error, rows) => {
        if (rows === undefined) reject(error instanceof Error ? error : new Error(String(error)));
        else resolve(rows);
      });
    });
  }
}
