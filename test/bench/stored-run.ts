/** A run of the benchmark as a JSON file: `--save` writes it, `--compare` reads it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { verdictOf, type Row } from './row.js';

/** A row as it is stored: enough to compare another run with it. */
export interface StoredRow extends Pick<Row, 'job' | 'goal' | 'target' | 'figures'> {
  /** The figures of the contenders, in words. */
  readonly seen: readonly string[];
}

/** A run as it is stored. */
export interface StoredRun {
  /** Processor, cores, rounds: figures of another machine are compared with care. */
  readonly machine: string;
  /** Without worthless rows, in which a request failed. */
  readonly rows: readonly StoredRow[];
}

/** The run to store. */
export function storedRun(machine: string, rows: readonly Row[]): StoredRun {
  const kept = rows.filter((row) => verdictOf(row) === 'met' || verdictOf(row) === 'missed');
  return {
    machine,
    rows: kept.map(({ job, goal, target, figures, parts }) => ({
      ...{ job, goal, target, figures },
      seen: parts.map((part) => `${part.name}: ${part.seen}`),
    })),
  };
}

export function saveRun(path: string, run: StoredRun): void {
  writeFileSync(path, `${JSON.stringify(run, undefined, 2)}\n`);
}

/** Throws an Error that names the file where it holds no run. */
export function readRun(path: string): StoredRun {
  try {
    const run = JSON.parse(readFileSync(path, 'utf8')) as Partial<StoredRun>;
    if (typeof run.machine === 'string' && Array.isArray(run.rows)) return run as StoredRun;
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  throw new Error(`${path} is not a run of the benchmark`);
}
