/** Part of `npm run build`: one build at a time writes to `dist`, until its process ends. Others wait for it. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const lock = fileURLToPath(new URL('../dist/.build', import.meta.url));

/** Milliseconds between two attempts. */
const pause = 50;

/** Milliseconds after which a lock without the id of a process is one that was never written. */
const unwritten = 5_000;

mkdirSync(dirname(lock), { recursive: true });
while (!take()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
process.on('exit', () => rmSync(lock, { force: true }));

/** Whether this process has the lock. A lock whose process was killed is removed. */
function take() {
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isStale()) rmSync(lock, { force: true });
  return false;
}

function isStale() {
  try {
    const holder = Number.parseInt(readFileSync(lock, 'utf8'), 10);
    if (Number.isNaN(holder)) return Date.now() - statSync(lock).mtimeMs > unwritten;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
