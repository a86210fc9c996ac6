/** In place of `compiler/analyze/database/embedded/embedded-postgres.ts`: the database of this worker, without a time limit. */
import type { PGlite } from '@electric-sql/pglite';
import type { KnownTable } from '../../../compiler/analyze/operations/statements/statement-descriptions.js';
import {
  describeStatements,
  knownTables,
  type Connection,
} from '../../../compiler/analyze/database/describe-postgres.js';
import { messagesFor, readResults } from '../../../compiler/analyze/database/embedded/embedded-protocol.js';
import type { DescribeResult, Refusal } from '../../../compiler/read/sql/statement-description.js';
import { openPostgres } from '../open-postgres.js';

export class EmbeddedPostgres {
  constructor(readonly database: PGlite) {}

  static async start(): Promise<EmbeddedPostgres> {
    return new EmbeddedPostgres(await openPostgres());
  }

  async run(sql: string, rows?: string): Promise<Refusal | undefined> {
    try {
      await this.database.exec(sql, rows === undefined ? {} : { blob: new Blob([rows]) });
      return undefined;
    } catch (error) {
      return refusalOf(error);
    }
  }

  describe(texts: readonly string[]): Promise<DescribeResult[]> {
    return describeStatements(texts, this.#connection);
  }

  tables(): Promise<KnownTable[]> {
    return knownTables(this.#connection);
  }

  get #connection(): Connection {
    const { database } = this;
    return {
      describe: async (texts) => readResults(await database.execProtocolRaw(messagesFor(texts)), texts),
      query: async (text) => (await database.query<string[]>(text, [], { rowMode: 'array' })).rows,
    };
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** Rethrows what is no refusal of the server. */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error;
  const hint = 'hint' in error && typeof error.hint === 'string' ? { hint: error.hint } : {};
  const at = Number('position' in error ? error.position : 0);
  return { message: error.message, code: error.code, ...hint, ...(at > 0 ? { at: at - 1 } : {}) };
}
