/** A server process that is stopped, and whose folder is removed, when the process that started it ends for any reason. */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';

/**
 * The shell between this process and the server reads a pipe: a line is a signal to send; the end of the pipe means that this process has
 * ended. The shell has its own process group, so that Ctrl-C reaches only this process.
 */
const watcher = `
directory=$1; last=$2; shift 2
"$@" &
server=$!
trap '' HUP INT TERM
if read -r signal; then kill -s "$signal" "$server" 2>/dev/null; wait "$server"
else kill -s "$last" "$server" 2>/dev/null; wait "$server"; rm -rf "$directory"; fi
`;

export interface WatchedOptions {
  /** The folder to remove when this process ends. */
  readonly directory: string;
  /** The signal that ends the server immediately. */
  readonly killSignal: 'QUIT' | 'KILL';
  /** The file for the server's output. */
  readonly log: string;
  /** The user to switch to if this process runs as root. */
  readonly uid?: number;
  readonly gid?: number;
}

export interface WatchedProcess {
  /** Sends the signal and waits until the server has ended. */
  end(signal: 'INT' | 'QUIT' | 'TERM' | 'KILL'): Promise<void>;
  readonly running: () => boolean;
}

/** Starts the program; the caller must check itself when the server is ready. */
export function startWatched(program: readonly string[], options: WatchedOptions): WatchedProcess {
  const log = openSync(options.log, 'a');
  const child: ChildProcess = spawn(
    '/bin/sh',
    ['-c', watcher, 'watcher', options.directory, options.killSignal, ...program],
    {
      stdio: ['pipe', log, log],
      detached: true,
      cwd: options.directory,
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    },
  );
  closeSync(log);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
    child.once('error', () => {
      resolve();
    });
  });
  child.stdin?.on('error', () => undefined);
  // A server that a test forgets to stop must not block the exit: the watcher stops it.
  child.unref();
  return {
    running: () => child.exitCode === null && child.signalCode === null,
    async end(signal) {
      child.ref();
      child.stdin?.end(`${signal}\n`);
      await gone;
    },
  };
}
