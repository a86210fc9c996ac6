/**
 * Keeps databases with schemas open between compilations of one process, so that a changed statement does not require starting a database.
 */
import type { KnownTable, SchemaError } from '../operations/statements/statement-descriptions.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';

/** A refused statement of a schema, whose source is identified by its index. */
export type RefusedStatement = Omit<SchemaError, 'source'> & {
  readonly file: number;
  /** The database crashed in this statement, or was stopped because it took too long. */
  readonly isEnd?: true;
};

/** A PostgreSQL with a schema. Its methods throw EndedPostgres. */
export interface SchemaDatabase {
  /** The result for each text. */
  describe(texts: readonly string[]): Promise<DescribeResult[]>;
  /** All tables and views. */
  tables(): Promise<KnownTable[]>;
  close(): Promise<void>;
}

/** A database with a schema, and the refused statements of the schema. */
export interface LoadedSchema {
  readonly database: SchemaDatabase;
  readonly errors: readonly RefusedStatement[];
}

/** Cached facts about a schema. */
export interface KeptSchema {
  readonly errors: readonly RefusedStatement[];
  readonly tables: readonly KnownTable[];
  /** Results by statement text. */
  readonly results: Readonly<Record<string, DescribeResult>>;
}

type Load = () => Promise<LoadedSchema>;

export class OpenSchemas {
  /** The open schemas by key, least recently used first. */
  readonly #open = new Map<string, Promise<LoadedSchema>>();
  /** Facts about the most recently used schemas, by the same keys. Unchanged results keep their identity. */
  readonly #kept = new Map<string, KeptSchema>();
  #expected: { readonly name: string; readonly load: Load } | undefined;

  /** `max` is the number of schemas to keep open. */
  constructor(private readonly max = 2) {}

  /** Cached facts about the schema; undefined if it has not been used recently. */
  kept(name: string): KeptSchema | undefined {
    return this.#kept.get(name);
  }

  keep(name: string, schema: KeptSchema): void {
    this.#kept.delete(name);
    this.#kept.set(name, schema);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > this.max) this.#kept.delete(oldest);
  }

  /** Notes that this schema will probably be needed next. */
  expect(name: string, load: Load): void {
    this.#expected = { name, load };
  }

  async get(name: string, load: Load): Promise<LoadedSchema> {
    const found = this.#open.get(name) ?? load();
    this.#open.delete(name);
    this.#open.set(name, found);
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size > this.max) {
      this.#open.delete(oldest[0]);
      await close(oldest[1]);
    }
    try {
      return await found;
    } catch (error) {
      this.#open.delete(name);
      throw error;
    }
  }

  /** Removes a crashed database; the next question starts another one. */
  async drop(name: string): Promise<void> {
    const found = this.#open.get(name);
    this.#open.delete(name);
    if (found !== undefined) await close(found);
  }

  /** Starts the schema that will probably be needed next, in the background. Never rejects. */
  async warm(): Promise<void> {
    const next = this.#expected;
    if (next !== undefined) await this.get(next.name, next.load).catch(() => undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(close));
    this.#open.clear();
  }
}

async function close(schema: Promise<LoadedSchema>): Promise<void> {
  try {
    await (await schema).database.close();
  } catch {
    // The database never started.
  }
}
