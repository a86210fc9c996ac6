/** `node:worker_threads`: the thread that computes password hashes, which is this worker. */
import { EventEmitter } from 'events';

/** The worker that was created last: the service has one thread for hashes. */
let worker: Worker | undefined;

export const parentPort = Object.assign(new EventEmitter(), {
  postMessage: (result: unknown) => {
    worker?.emit('message', result);
  },
});

export class Worker extends EventEmitter {
  readonly #loaded = import('../../../runtime/passwords/hash-thread.js');

  constructor() {
    super();
    // oxlint-disable-next-line typescript/no-this-alias
    worker = this;
    void this.#loaded.then(() => this.emit('online'));
  }

  postMessage(job: unknown): void {
    void this.#loaded.then(() => parentPort.emit('message', job));
  }

  terminate(): Promise<number> {
    return Promise.resolve(0);
  }

  ref(): void {
    // A page has no process to keep alive.
  }

  unref(): void {
    // A page has no process to keep alive.
  }
}

export const isMainThread = true;
export const workerData = null;
