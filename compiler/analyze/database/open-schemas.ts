/** Databases with schemas that stay open between two compilations of one process, so that a changed statement is a question and not a start. */
import type { SchemaError } from '../operations/statement-descriptions.js';
import type { EmbeddedPostgres } from './embedded-postgres.js';

/** A refused statement of a schema; its source is identified by its index. */
export type RefusedStatement = Omit<SchemaError, 'source'> & { readonly file: number };

/** A PostgreSQL that has a schema, and what it refused of it. */
export interface LoadedSchema {
  readonly database: EmbeddedPostgres;
  readonly errors: readonly RefusedStatement[];
}

type Load = () => Promise<LoadedSchema>;

export class OpenSchemas {
  /** The open schemas by the key that they are made from; the one that was used last is the last. */
  readonly #open = new Map<string, Promise<LoadedSchema>>();
  #expected: { readonly name: string; readonly load: Load } | undefined;

  /** `max`: how many stay open. */
  constructor(private readonly max = 2) {}

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

  /** Starts what will probably be needed, while no caller waits for it. Never fails. */
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
