/** A thread of `format-all.ts`: it receives texts, and returns them formatted. An error ends it, and rejects the caller. */
import { parentPort } from 'node:worker_threads';
import { formatEach } from './format.js';

parentPort?.on('message', (texts: readonly string[]) => {
  void formatEach(texts).then((formatted) => parentPort?.postMessage(formatted));
});
