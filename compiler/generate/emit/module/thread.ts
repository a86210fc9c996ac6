/** Threads of the compiler. Where it runs without a build there is no file for them. */
import { Worker } from 'node:worker_threads';

const isBuilt = import.meta.url.endsWith('.js');

/** Starts a thread that runs a file of dist/compiler, by its name without an ending; undefined without a build. */
export function startThread(file: string): Worker | undefined {
  return isBuilt ? new Worker(new URL(`./${file}.js`, import.meta.url)) : undefined;
}

/** Sends a message and returns the next one that the thread sends. Throws the error that ends the thread. */
export function askThread<Result>(worker: Worker, message: unknown): Promise<Result> {
  worker.ref();
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (result: Result) => {
      worker.off('error', reject);
      resolve(result);
    });
    worker.postMessage(message);
  });
}
