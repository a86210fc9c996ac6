/** The threads that compute password hashes. They start when the first hash is computed; a job waits a bounded time for a free one. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../handler/reply.js';
import type { HashJob, HashResult } from './hash-job.js';

/** Milliseconds for which a job waits until a thread is free. */
const patience = 3000;

interface Waiting {
  readonly job: HashJob;
  readonly resolve: (result: HashResult) => void;
  readonly reject: (error: Error) => void;
}

export class HashThreads {
  readonly #idle: HashThread[] = [];
  readonly #queue = new Set<Waiting>();
  #count = 0;

  /** `limit`: the maximum number of threads. By default, one processor stays free for the event loop. */
  constructor(
    private readonly limit = Math.min(4, Math.max(1, availableParallelism() - 1)),
    private readonly waitingTime = patience,
  ) {}

  /** The result of a job. Throws a ServiceError: 503 if all threads stay busy, 500 if the hash cannot be computed. */
  async run(job: HashJob): Promise<Exclude<HashResult, { error: string }>> {
    const result = await new Promise<HashResult>((resolve, reject) => {
      this.#begin({ job, resolve, reject });
    });
    if ('error' in result) throw failed(result.error);
    return result;
  }

  #begin(waiting: Waiting): void {
    const thread = this.#free() ?? this.#started();
    if (thread === undefined) this.#wait(waiting);
    else void this.#give(thread, waiting);
  }

  #free(): HashThread | undefined {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop()) {
      if (!thread.hasEnded) return thread;
      this.#count -= 1;
    }
    return undefined;
  }

  #started(): HashThread | undefined {
    if (this.#count >= this.limit) return undefined;
    this.#count += 1;
    return new HashThread();
  }

  async #give(thread: HashThread, { job, resolve, reject }: Waiting): Promise<void> {
    await thread.run(job).then(resolve, reject);
    if (thread.hasEnded) this.#count -= 1;
    else this.#idle.push(thread);
    const [next] = this.#queue;
    if (next === undefined) return;
    this.#queue.delete(next);
    this.#begin(next);
  }

  #wait({ job, resolve, reject }: Waiting): void {
    const timer = setTimeout(() => {
      this.#queue.delete(waiting);
      reject(new ServiceError(503, 'Too many passwords are being checked', { retryAfter: 1 }));
    }, this.waitingTime);
    const ended =
      <Value>(end: (value: Value) => void) =>
      (value: Value): void => {
        clearTimeout(timer);
        end(value);
      };
    const waiting: Waiting = { job, resolve: ended(resolve), reject: ended(reject) };
    this.#queue.add(waiting);
  }
}

class HashThread {
  // A shared chunk of the package and this file have the same way to the thread.
  readonly #worker = new Worker(new URL('../passwords/hash-thread.js', import.meta.url));
  hasEnded = false;
  #current: { resolve(result: HashResult): void; reject(error: Error): void } | undefined;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (result: HashResult) => {
      this.#worker.unref();
      this.#current?.resolve(result);
    });
    this.#worker.on('error', (error) => {
      this.#end(error.name);
    });
    this.#worker.on('exit', () => {
      this.#end('exit');
    });
  }

  run(job: HashJob): Promise<HashResult> {
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#current = { resolve, reject };
      this.#worker.postMessage(job);
    });
  }

  #end(reason: string): void {
    this.hasEnded = true;
    this.#current?.reject(failed(reason));
  }
}

function failed(reason: string): ServiceError {
  return new ServiceError(500, 'Internal server error', {
    log: { reason: `the hash of a password cannot be computed: ${reason}` },
  });
}
