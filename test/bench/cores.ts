/** Who runs on which core: the server under test on one, the database and the load generator on another. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Lists of cores in the notation of taskset; undefined if processes cannot be bound to cores. */
export interface Cores {
  readonly server: string | undefined;
  readonly others: string | undefined;
  readonly all: string | undefined;
  /** All that this process may use. */
  readonly list: readonly number[];
  /** One sentence for the one who reads the table. */
  readonly note: string;
}

/** Chooses the cores among those that this process may use. */
export function chooseCores(): Cores {
  const list = allowedCores();
  const [server, others] = list;
  if (list.length < 2 || spawnSync('taskset', ['-V']).error !== undefined)
    return {
      ...{ server: undefined, others: undefined, all: undefined, list },
      note: `Servers, database and generator share ${list.length === 1 ? 'the only core' : 'all cores (there is no taskset)'}: ratios are less sharp.`,
    };
  return {
    ...{ server: String(server), others: String(others), all: list.join(','), list },
    note: `The server under test has core ${String(server)} for itself; database and generator share core ${String(others)}.`,
  };
}

/** Moves this process and all that it starts from now on. */
export function moveTo(cores: string | undefined): void {
  if (cores !== undefined) spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)]);
}

/** The command held to these cores. */
export function heldTo(cores: string | undefined, command: readonly string[]): readonly string[] {
  return cores === undefined ? command : ['taskset', '-c', cores, ...command];
}

/** Linux lists them as `0-3,8`; on other systems one is assumed. */
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
