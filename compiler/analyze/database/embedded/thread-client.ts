/** Starts a PostgreSQL with a schema in a worker thread, so that the current thread is never blocked by statements. */
import { Worker } from 'node:worker_threads';
import type { KnownTable } from '../../operations/statements/statement-descriptions.js';
import type { Source } from '../../../read/source.js';
import type { DescribeResult } from '../../../read/sql/statement-description.js';
import { EndedPostgres } from '../describe-postgres.js';
import type { DiskCache } from '../disk-cache.js';
import type { LoadedSchema, RefusedStatement, SchemaDatabase } from '../open-schemas.js';

/** The data passed to the worker thread. */
export interface ThreadSchema {
  readonly sources: readonly Source[];
  /** The folder of its DiskCache. */
  readonly folder: string | undefined;
  readonly searchPath: string | undefined;
}

/**
 * A question to the thread, which answers in order. The first answer, without a question, contains the refused statements of the schema.
 */
export type Question = { readonly texts: readonly string[] } | 'tables';

export type Answer =
  | { readonly value: readonly RefusedStatement[] | readonly DescribeResult[] | readonly KnownTable[] }
  | { readonly error: string; readonly isEnd: boolean };

/** Like `startSchema`, but in a worker thread. */
export async function startInThread(
  sources: readonly Source[],
  files: DiskCache,
  searchPath: string | undefined,
): Promise<LoadedSchema> {
  const plain = sources.map(({ path, text }) => ({ path, text }));
  const schema: ThreadSchema = { sources: plain, folder: files.folder, searchPath };
  const thread = new Thread(
    new Worker(new URL('postgres-thread.js', import.meta.url), { workerData: schema }),
  );
  return { database: thread, errors: (await thread.next()) as readonly RefusedStatement[] };
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

class Thread implements SchemaDatabase {
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(private readonly worker: Worker) {
    worker.on('message', (answer: Answer) => {
      const waiting = this.#waiting.shift();
      if (this.#waiting.length === 0) worker.unref();
      if ('value' in answer) waiting?.resolve(answer.value);
      else waiting?.reject(answer.isEnd ? new EndedPostgres(answer.error) : new Error(answer.error));
    });
    worker.on('error', (error) => {
      this.#fail(error);
    });
    worker.on('exit', () => {
      this.#fail(new Error('The thread of the embedded PostgreSQL has ended.'));
    });
  }

  describe(texts: readonly string[]): Promise<DescribeResult[]> {
    return this.#ask({ texts }) as Promise<DescribeResult[]>;
  }

  tables(): Promise<KnownTable[]> {
    return this.#ask('tables') as Promise<KnownTable[]>;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  /** The next answer. The thread keeps the process alive only while an answer is awaited. */
  next(): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  #ask(question: Question): Promise<unknown> {
    const answer = this.next();
    this.worker.postMessage(question);
    return answer;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
