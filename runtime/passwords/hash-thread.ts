/** A thread that computes password hashes, one after the other. Its own thread, because file access and DNS share the pool of libuv. */
import { parentPort } from 'node:worker_threads';
import { errorCode } from '../handler/reply.js';
import { writtenHash, writtenSalt } from '../password-hash/password-hash.js';
import { computeHash, isHashOf } from './compute-hash.js';
import type { HashJob, HashResult } from './hash-job.js';

parentPort?.on('message', (job: HashJob) => {
  void resultOf(job).then((result) => parentPort?.postMessage(result));
});

async function resultOf(job: HashJob): Promise<HashResult> {
  try {
    if (job.task === 'hash')
      return { hash: await computeHash(job.kind, job.password, job.salt, writtenHash) };
    const { password, stored, others } = job;
    const isRight = stored !== undefined && (await isHashOf(password, stored));
    if (!isRight)
      for (const kind of others) await computeHash(kind, password, new Uint8Array(writtenSalt), writtenHash);
    return { isRight };
  } catch (error) {
    return { error: String(errorCode(error) ?? (error instanceof Error ? error.name : typeof error)) };
  }
}
