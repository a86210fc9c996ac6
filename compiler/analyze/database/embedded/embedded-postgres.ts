/** A PostgreSQL inside this process that contains a schema. It describes statements, but executes only the schema. */
import { setFlagsFromString } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Extension, PGlite } from '@electric-sql/pglite';
import type { KnownTable } from '../../operations/statements/statement-descriptions.js';
import type { DescribeResult, Refusal } from '../../../read/sql/statement-description.js';
import { describeStatements, EndedPostgres, knownTables, type Connection } from '../describe-postgres.js';
import { messagesFor, readResults } from './embedded-protocol.js';
import type { DiskCache } from '../disk-cache.js';
import { packedPostgres } from '../packed-postgres.js';
import { wasEnded, withTimeLimit } from './time-limit.js';

export class EmbeddedPostgres {
  constructor(readonly database: PGlite) {}

  /** `extensions` are the names of extensions that the schema creates; unavailable ones are ignored. */
  static async start(extensions: readonly string[], kept: DiskCache): Promise<EmbeddedPostgres> {
    // It runs only a few hundred queries, so optimizing its code would take longer than it saves.
    setFlagsFromString('--liftoff-only');
    try {
      return new EmbeddedPostgres(await openEmbedded(extensions, kept));
    } finally {
      setFlagsFromString('--no-liftoff-only');
    }
  }

  /**
   * The error of the refused statement, if any. Statements before it were executed, unless they belong to its transaction. `rows` is the
   * content of the file `/dev/blob`. Throws EndedPostgres.
   */
  async run(sql: string, rows?: string): Promise<Refusal | undefined> {
    const { database } = this;
    let problem: Refusal | undefined;
    try {
      await withTimeLimit(database, sql.length + (rows?.length ?? 0), () =>
        database.exec(sql, rows === undefined ? {} : { blob: new Blob([rows]) }),
      );
    } catch (error) {
      problem = problemOf(error);
    }
    // A crash only shows in the next statement, whatever the result of this one.
    if (!(await responds(database))) throw new EndedPostgres();
    return problem;
  }

  /** The result for each text. */
  describe(texts: readonly string[]): Promise<DescribeResult[]> {
    return describeStatements(texts, this.#connection);
  }

  /** All tables and views. */
  tables(): Promise<KnownTable[]> {
    return knownTables(this.#connection);
  }

  get #connection(): Connection {
    const { database } = this;
    return {
      describe: async (texts) => {
        const messages = messagesFor(texts);
        // Describing can run user code: constants of a range type call the type's comparison, which may be a function of the schema.
        const bytes = await withTimeLimit(database, messages.length, () =>
          database.execProtocolRaw(messages),
        );
        return readResults(bytes, texts);
      },
      query: async (text) => (await database.query<string[]>(text, [], { rowMode: 'array' })).rows,
    };
  }

  /** Closes the database even after it was stopped, because its timers would keep the process alive. Errors no longer matter. */
  async close(): Promise<void> {
    await this.database.close().catch((error: unknown) => {
      if (!wasEnded(this.database)) throw error;
    });
  }
}

/**
 * `max_locks_per_transaction`. A transaction can hold this many locks times the number of connections, and needs one lock per table, index
 * and sequence. With PostgreSQL's default of 64, a file with 5,000 tables fails. Unused locks do not take memory.
 */
const maxLocks = 1024;

/** A new database from the cached data folder of the first one. For `extensions` see `start`. */
export async function openEmbedded(extensions: readonly string[], kept: DiskCache): Promise<PGlite> {
  const { PGlite } = await import('@electric-sql/pglite');
  const startParams = [...PGlite.defaultStartParams, '-c', `max_locks_per_transaction=${maxLocks}`];
  const loaded = await Promise.all(
    extensions.map(async (name) => [name, await loadExtension(name)] as const),
  );
  const known = Object.fromEntries(loaded.flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])));
  const template = packedPostgres() ?? kept.read('data');
  if (template !== undefined) {
    try {
      const options = { loadDataDir: new PackedBlob(template), extensions: known, startParams };
      return await PGlite.create(options);
    } catch {
      kept.remove('data');
    }
  }
  const fresh = await PGlite.create({ startParams });
  const dump = await fresh.dumpDataDir('none');
  // Fast rather than good compression: most users wait for a cold start.
  kept.write('data', gzipSync(new Uint8Array(await dump.arrayBuffer()), { level: 1 }));
  if (Object.keys(known).length === 0) return fresh;
  await fresh.close();
  return PGlite.create({ loadDataDir: dump, extensions: known, startParams });
}

/**
 * A Blob of the packed data that can only be read as a whole. `new Blob` would copy its 40 MB twice, which is a fifth of the startup time.
 */
class PackedBlob extends Blob {
  constructor(private readonly packed: Buffer) {
    super([]);
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = gunzipSync(this.packed);
    const isWhole = byteLength === buffer.byteLength;
    return Promise.resolve(isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength));
  }
}

/** Loads an extension; undefined if it is unavailable. */
async function loadExtension(name: string): Promise<Extension | undefined> {
  const key = name.replaceAll('-', '_');
  if (!/^[a-z_0-9]+$/.test(key)) return undefined;
  try {
    const module = (await import(`@electric-sql/pglite/contrib/${key}`)) as Record<string, Extension>;
    return module[key];
  } catch {
    return undefined;
  }
}

async function responds(database: PGlite): Promise<boolean> {
  try {
    const { rows } = await database.query('SELECT 1');
    return rows.length === 1;
  } catch (error) {
    // A failed transaction rejects all statements.
    return error instanceof Error && 'code' in error && error.code === '25P02';
  }
}

/** Rethrows all errors except for refusals. */
function problemOf(error: unknown): Refusal {
  if (error instanceof Error && error.name === 'RuntimeError') throw new EndedPostgres();
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error;
  const { code } = error;
  const hint = 'hint' in error && typeof error.hint === 'string' ? { hint: error.hint } : {};
  const at = Number('position' in error && error.position);
  return { message: error.message, code, ...hint, ...(at > 0 ? { at: at - 1 } : {}) };
}
