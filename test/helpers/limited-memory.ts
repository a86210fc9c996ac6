/** Starts processes with the memory of a container: in a memory cgroup, or if none can be created, by making Node report a limit. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

/** The files of both cgroup versions. */
const kinds = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak' },
];

export interface LimitedMemory {
  /** Words to put before the command line of the process. */
  readonly launcher: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Whether the system kills processes that exceed the limit. */
  readonly isEnforced: boolean;
  /** Peak memory of the processes in bytes; in a cgroup it includes cached files. */
  peak(pids: readonly number[]): number;
  remove(): void;
}

export function limitedMemory(bytes: number): LimitedMemory {
  return inCgroup(bytes) ?? asTold(bytes);
}

function inCgroup(bytes: number): LimitedMemory | undefined {
  for (const { root, limit, peak } of kinds) {
    const folder = `${root}/apikiln-test-${process.pid}-${count++}`;
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    try {
      writeFileSync(`${folder}/${limit}`, String(bytes));
      if (existsSync(`${folder}/memory.swap.max`)) writeFileSync(`${folder}/memory.swap.max`, '0');
    } catch {
      rmdirSync(folder);
      continue;
    }
    return {
      launcher: ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder],
      environment: {},
      isEnforced: true,
      peak: () => Number(readFileSync(`${folder}/${peak}`, 'utf8')),
      remove: () => {
        // The cgroup may still contain processes that have just ended; leaving an empty cgroup is harmless.
        try {
          rmdirSync(folder);
        } catch (error) {
          if (!/EBUSY/.test(String(error))) throw error;
        }
      },
    };
  }
  return undefined;
}

let count = 0;

function asTold(bytes: number): LimitedMemory {
  const told = `process.constrainedMemory=()=>${bytes}`;
  // The heap size that Node chooses in a container of this size.
  const heap = Math.round(bytes / 2 / 1024 / 1024);
  return {
    launcher: [],
    environment: {
      NODE_OPTIONS: `--max-old-space-size=${heap} --import=data:text/javascript,${encodeURIComponent(told)}`,
    },
    isEnforced: false,
    peak: (pids) =>
      pids.reduce((sum, pid) => {
        const kibibytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        return sum + Number(kibibytes) * 1024;
      }, 0),
    remove: () => undefined,
  };
}
