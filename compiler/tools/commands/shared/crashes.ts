/** Runs a command line in a process of its own, and again where that process has crashed. */
import { spawnSync } from 'node:child_process';
import { exitStatus } from './output/exit-status.js';

/** Set in the process that does the work. */
const insideName = 'APIKILN_INSIDE';

/**
 * Commands whose work has crashed in code that V8 had optimized: `diff` of 900 operations, in one of three to ten runs on Node 20. Nothing is
 * printed before the work is done.
 */
const crashing: ReadonlySet<string | undefined> = new Set(['diff']);

/** Of machine code that has failed; not SIGABRT, by which V8 ends a process without memory. */
const crashes: ReadonlySet<string | null> = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP']);

/** How often a command line is tried. */
const mostTries = 3;

/** Whether the command line is to run in a process of its own. */
export function isIsolated([command]: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  return crashing.has(command) && environment[insideName] === undefined;
}

/** Returns the exit status; of a process that a signal has ended, the one of shells. `say` prints a line for the user. */
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
