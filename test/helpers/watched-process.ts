/** A server process that ends, and whose folder goes, when the process that started it does — however that one ends. */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';

/**
 * The shell between us and the server reads our pipe: a line is the signal to send, the end of the pipe means that
 * we are gone. It is in a process group of its own, so that Ctrl-C reaches only us.
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
  /** The folder that is removed when we vanish. */
  readonly directory: string;
  /** The signal that ends the server at once. */
  readonly killSignal: 'QUIT' | 'KILL';
  /** Where its output goes. */
  readonly log: string;
  /** The user to run as, when we are root. */
  readonly uid?: number;
  readonly gid?: number;
}

export interface WatchedProcess {
  /** Sends the signal and waits until the server is gone. */
  end(signal: 'INT' | 'QUIT' | 'TERM' | 'KILL'): Promise<void>;
  readonly running: () => boolean;
}

/** Starts the program; the caller finds out by itself when it is ready. */
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
  // A test that forgets to stop its server shall not hang: the watcher sees to it.
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
