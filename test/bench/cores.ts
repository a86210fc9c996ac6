/** Assigns processes to cores: the server under test to one, the database and the load generator to another. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Lists of cores in the notation of taskset; undefined if processes cannot be bound to cores. */
export interface Cores {
  readonly server: string | undefined;
  readonly others: string | undefined;
  /** The database's core: its own if there are three, otherwise that of the load generator. */
  readonly database: string | undefined;
  readonly all: string | undefined;
  /** All cores allowed for this process. */
  readonly list: readonly number[];
  /** A sentence for readers of the table. */
  readonly note: string;
}

/** Chooses from the cores allowed for this process. */
export function chooseCores(): Cores {
  const list = allowedCores();
  const [server, others, third] = list;
  if (list.length < 2 || spawnSync('taskset', ['-V']).error !== undefined)
    return {
      ...{ server: undefined, others: undefined, database: undefined, all: undefined, list },
      note: `Servers, database and generator share ${list.length === 1 ? 'the only core' : 'all cores (there is no taskset)'}: ratios are less sharp.`,
    };
  return {
    ...{ server: String(server), others: String(others), database: String(third ?? others) },
    ...{ all: list.join(','), list },
    note:
      third === undefined
        ? `The server under test has core ${String(server)} for itself; database and generator share core ${String(others)}.`
        : `The server under test has core ${String(server)} for itself, the generator core ${String(others)}, and the database core ${String(third)}.`,
  };
}

/** Moves a process, by default this one, and all processes that it starts later, to these cores. */
export function moveTo(cores: string | undefined, pid = process.pid): void {
  if (cores !== undefined) spawnSync('taskset', ['-a', '-c', '-p', cores, String(pid)]);
}

/** The command bound to these cores. */
export function heldTo(cores: string | undefined, command: readonly string[]): readonly string[] {
  return cores === undefined ? command : ['taskset', '-c', cores, ...command];
}

/** Linux lists cores as `0-3,8`; other systems are assumed to have one. */
function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readStatus())?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
