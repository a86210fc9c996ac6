/** Runs a command line in a separate process, and runs it again if the process crashed. */
import { spawnSync } from 'node:child_process';
import { exitStatus } from './output/exit-status.js';

/** Set in the child process. */
const insideName = 'APIKILN_INSIDE';

/**
 * Commands that have crashed in code optimized by V8: `diff` of 900 operations crashes in one of three to ten runs on Node 20. They only
 * print after their work is done, so they can be repeated.
 */
const crashing: ReadonlySet<string | undefined> = new Set(['diff']);

/** Signals of failing machine code. Excludes SIGABRT, with which V8 ends a process that is out of memory. */
const crashes: ReadonlySet<string | null> = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP']);

/** Maximum number of attempts. */
const mostTries = 3;

/** Whether the command line runs in a separate process. */
export function isIsolated([command]: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  return crashing.has(command) && environment[insideName] === undefined;
}

/** Returns the exit status; for a process ended by a signal, the status that shells use. `say` prints a line for the user. */
export function runIsolated(program: string, args: readonly string[], say: (line: string) => void): number {
  for (let tries = 1; ; tries += 1) {
    const { status, signal, error } = spawnSync(process.execPath, [...process.execArgv, program, ...args], {
      stdio: 'inherit',
      env: { ...process.env, [insideName]: '1' },
      windowsHide: true,
    });
    if (error !== undefined) throw error;
    if (!crashes.has(signal)) return status ?? (signal === 'SIGINT' ? 130 : 143);
    if (tries < mostTries) continue;
    say(
      `Node.js ${process.version} crashed (${signal ?? ''}) in each of ${mostTries} tries. This is an error of Node.js: try another version of it.`,
    );
    return exitStatus.bug;
  }
}
