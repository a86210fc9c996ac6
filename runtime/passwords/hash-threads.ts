/**
 * The threads that compute password hashes. They start when the first hash is computed; a job waits a bounded time for a free one, and
 * clients take turns, so that one client cannot keep out the others.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Call } from '../handler/call.js';
import { ServiceError } from '../handler/reply.js';
import { ClientGone } from '../http/http-call.js';
import type { HashJob, HashResult } from './hash-job.js';

/** Milliseconds for which a job waits until a thread is free. */
const patience = 3000;
/** Maximum number of waiting jobs of one network: an office, or all clients of a proxy that the service does not know. */
const mostOfNetwork = 16;

/** The client for whom a job is computed. */
export interface HashClient extends Pick<Call, 'onDisconnect'> {
  /** The network of its address. Networks take turns. */
  readonly network: string;
}

interface Begun {
  readonly job: HashJob;
  readonly client: HashClient | undefined;
  readonly resolve: (result: HashResult) => void;
  readonly reject: (error: Error) => void;
}

interface Waiting extends Begun {
  /** Ends the waiting. */
  readonly leave: () => void;
}

export class HashThreads {
  readonly #idle: HashThread[] = [];
  /** By the network of the client, the next one first; by the job itself for jobs without a client. */
  readonly #queue = new Map<string | HashJob, Set<Waiting>>();
  #count = 0;

  /** `limit`: the maximum number of threads. By default, one processor stays free for the event loop. */
  constructor(
    private readonly limit = Math.min(4, Math.max(1, availableParallelism() - 1)),
    private readonly waitingTime = patience,
  ) {}

  /**
   * The result of a job. Throws a ServiceError: 503 if all threads stay busy, or too many jobs of the same network wait, 499 if the client
   * has disconnected before a thread was free, 500 if the hash cannot be computed.
   */
  async run(job: HashJob, client?: HashClient): Promise<Exclude<HashResult, { error: string }>> {
    const result = await new Promise<HashResult>((resolve, reject) => {
      this.#begin({ job, client, resolve, reject });
    });
    if ('error' in result) throw failed(result.error);
    return result;
  }

  #begin(begun: Begun): void {
    const thread = this.#free() ?? this.#started();
    if (thread === undefined) this.#wait(begun);
    else void this.#give(thread, begun);
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

  async #give(thread: HashThread, { job, resolve, reject }: Begun): Promise<void> {
    await thread.run(job).then(resolve, reject);
    if (thread.hasEnded) this.#count -= 1;
    else this.#idle.push(thread);
    const [turn] = this.#queue;
    if (turn === undefined) return;
    const [network, jobs] = turn;
    const [next] = jobs;
    next?.leave();
    // The further jobs of the network wait for its next turn.
    this.#queue.delete(network);
    if (jobs.size > 0) this.#queue.set(network, jobs);
    if (next !== undefined) this.#begin(next);
  }

  #wait(begun: Begun): void {
    const { job, client } = begun;
    const key = client?.network ?? job;
    const jobs = this.#queue.get(key) ?? new Set<Waiting>();
    if (jobs.size >= mostOfNetwork) {
      begun.reject(tooMany());
      return;
    }
    const endWith = (error: Error): void => {
      leave();
      begun.reject(error);
    };
    const timer = setTimeout(() => {
      endWith(tooMany());
    }, this.waitingTime);
    const stay = client?.onDisconnect?.(() => {
      endWith(new ClientGone());
    });
    const leave = (): void => {
      jobs.delete(waiting);
      if (jobs.size === 0) this.#queue.delete(key);
      clearTimeout(timer);
      stay?.();
    };
    const waiting: Waiting = { ...begun, leave };
    this.#queue.set(key, jobs.add(waiting));
  }
}

function tooMany(): ServiceError {
  return new ServiceError(503, 'Too many passwords are being checked', { retryAfter: 1 });
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
