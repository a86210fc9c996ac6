/** Lets one process at a time write to the folder of a service. */
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { lockPath } from '../../../../generate/write/folder.js';

/** Milliseconds between two attempts, and their number: together far longer than a build writes. */
const [pause, attempts] = [20, 500];

/** Another process holds the lock. */
export class LockedFolder extends Error {
  override readonly name = 'LockedFolder';

  /** `holder` is the id of the process; undefined if it is unknown. */
  constructor(readonly holder: number | undefined) {
    super('the folder is locked');
  }
}

/**
 * Waits until no other process writes to the folder, which is created if missing, and runs the function. The lock of a process that was
 * killed is removed. If the folder does not permit a lock, it does not permit other files either, and the function reports this. Throws a
 * LockedFolder after ten seconds.
 */
export async function withLock<Result>(folder: string, run: () => Result): Promise<Result> {
  const lock = join(folder, lockPath);
  let taken = take(folder, lock);
  for (let attempt = 0; taken === 'held'; attempt += 1) {
    const holder = holderOf(lock);
    if (holder !== undefined && !isAlive(holder)) rmSync(lock, { force: true });
    else if (attempt === attempts) throw new LockedFolder(holder);
    else await setTimeout(pause);
    taken = take(folder, lock);
  }
  try {
    return run();
  } finally {
    if (taken === 'taken') rmSync(lock, { force: true });
  }
}

function take(folder: string, lock: string): 'taken' | 'held' | 'impossible' {
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    return 'impossible';
  }
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx' });
    return 'taken';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST' ? 'held' : 'impossible';
  }
}

/** Undefined while the lock is being written or removed. */
function holderOf(lock: string): number | undefined {
  if (lstatSync(lock, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  try {
    const text = readFileSync(lock, 'utf8');
    return /^\d{1,10}\n$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Also for a process of another user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
