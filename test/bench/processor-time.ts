/** Processor time of a process, with that of its child processes: connections of PostgreSQL, and workers of a service. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds used by the process and its child processes. Those that have ended are included, so the sum never decreases. */
export function timeWithChildren(pid: number): number {
  for (;;) {
    const ended = childrenTime(pid);
    const running = [pid, ...childrenOf(pid)].reduce((sum, one) => sum + timeOf(one), 0);
    // A child process that ends in the meantime would count twice, or not at all.
    if (Object.is(childrenTime(pid), ended)) return running + ended * 1000;
  }
}

/**
 * Seconds of processor time of a process: fields 14 and 15 of `stat`, in hundredths of a second. The second field is a name in parentheses,
 * which may contain anything.
 */
export function processorTime(pid: number): number {
  return secondsOf(pid, 11);
}

/** Processor time of all child processes that have ended, in seconds. */
export function childrenTime(pid: number): number {
  return secondsOf(pid, 13);
}

/** The sum of the field at this index and the next one, counted from the field after the name. */
function secondsOf(pid: number, index: number): number {
  const fields = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[index] ?? NaN) + Number(fields[index + 1] ?? NaN)) / 100;
}

/**
 * `schedstat` is exact, but covers one thread that still runs; `stat` includes threads that have ended, in hundredths of a second. A process
 * that has ended in the meantime is part of its parent's time.
 */
function timeOf(pid: number): number {
  const threads = listed(`/proc/${pid}/task`);
  if (threads.length === 0) return 0;
  const nanoseconds = threads.map((thread) =>
    Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]),
  );
  const exact = nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
  return Math.max(exact, processorTime(pid) * 1000 || 0);
}

function childrenOf(pid: number): readonly number[] {
  return listed(`/proc/${pid}/task`).flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

/** Files of processes that have ended in the meantime are missing. */
function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
