/** The thread of `imports-cache.ts`: it receives lists of imports and returns their texts. An error ends it, and whoever asked gets it. */
import { parentPort } from 'node:worker_threads';
import { importTexts, type ImportDeclaration } from './import-text.js';

parentPort?.on('message', (lists: readonly (readonly ImportDeclaration[])[]) => {
  parentPort?.postMessage(importTexts(lists));
});
