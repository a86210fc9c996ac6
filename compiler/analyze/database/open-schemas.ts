/** Databases with schemas that stay open between two compilations of one process, so that a changed statement is a question and not a start. */
import type { KnownTable, SchemaError } from '../operations/statements/statement-descriptions.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';

/** A refused statement of a schema; its source is identified by its index. */
export type RefusedStatement = Omit<SchemaError, 'source'> & {
  readonly file: number;
  /** A database ends in it, or was ended since it takes too long. */
  readonly isEnd?: true;
};

/** A PostgreSQL that has a schema. Its methods throw an EndedPostgres. */
export interface SchemaDatabase {
  /** Its result for each of the texts. */
  describe(texts: readonly string[]): Promise<DescribeResult[]>;
  /** The tables and views. */
  tables(): Promise<KnownTable[]>;
  close(): Promise<void>;
}

/** Such a database, and the refused statements of the schema. */
export interface LoadedSchema {
  readonly database: SchemaDatabase;
  readonly errors: readonly RefusedStatement[];
}

/** The cached facts about a schema. */
export interface KeptSchema {
  readonly errors: readonly RefusedStatement[];
  readonly tables: readonly KnownTable[];
  /** By the texts of the statements. */
  readonly results: Readonly<Record<string, DescribeResult>>;
}

type Load = () => Promise<LoadedSchema>;

export class OpenSchemas {
  /** The open schemas by the key that they are made from; the one that was used last is the last. */
  readonly #open = new Map<string, Promise<LoadedSchema>>();
  /** Of the schemas that were asked last, by the same keys: the same objects for the same results. */
  readonly #kept = new Map<string, KeptSchema>();
  #expected: { readonly name: string; readonly load: Load } | undefined;

  /** `max`: how many stay open. */
  constructor(private readonly max = 2) {}

  /** Undefined where it has not been asked, or not lately. */
  kept(name: string): KeptSchema | undefined {
    return this.#kept.get(name);
  }

  keep(name: string, schema: KeptSchema): void {
    this.#kept.delete(name);
    this.#kept.set(name, schema);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > this.max) this.#kept.delete(oldest);
  }

  /** The next question is likely to be about this one. */
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

  /** It has ended: the next question starts another one. */
  async drop(name: string): Promise<void> {
    const found = this.#open.get(name);
    this.#open.delete(name);
    if (found !== undefined) await close(found);
  }

  /** Prepares the schema that will probably be needed, in the background. Never fails. */
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
    // It never started.
  }
}
