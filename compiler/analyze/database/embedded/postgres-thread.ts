/** The worker thread of `thread-client.ts`: loads the schema, then answers questions one by one. */
import { parentPort, workerData } from 'node:worker_threads';
import { EndedPostgres } from '../describe-postgres.js';
import { DiskCache } from '../disk-cache.js';
import { startSchema } from './start-schema.js';
import type { Answer, Question, ThreadSchema } from './thread-client.js';

const { sources, folder, searchPath } = workerData as ThreadSchema;
const loaded = startSchema(sources, new DiskCache(folder), searchPath);

let last = answer(async () => (await loaded).errors);
parentPort?.on('message', (question: Question) => {
  last = last.then(() =>
    answer(async () => {
      const { database } = await loaded;
      return question === 'tables' ? database.tables() : database.describe(question.texts);
    }),
  );
});

async function answer(run: () => Promise<Extract<Answer, { value: unknown }>['value']>): Promise<void> {
  parentPort?.postMessage(await answerOf(run));
}

async function answerOf(run: () => Promise<Extract<Answer, { value: unknown }>['value']>): Promise<Answer> {
  try {
    return { value: await run() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: message, isEnd: error instanceof EndedPostgres };
  }
}
