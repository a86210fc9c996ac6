/** A thread of `format-all.ts`: it is given texts, and gives them back formatted. An error ends it, and whoever asked gets it. */
import { parentPort } from 'node:worker_threads';
import { formatEach } from './format.js';

parentPort?.on('message', (texts: readonly string[]) => {
  void formatEach(texts).then((formatted) => parentPort?.postMessage(formatted));
});
