/** A benchmark run as a JSON file: `--save` writes it; `--compare` reads it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { verdictOf, type Row } from './row.js';

/** A stored row: enough to compare another run with it. */
export interface StoredRow extends Pick<Row, 'job' | 'goal' | 'target' | 'figures'> {
  /** The figures of the contenders, as text. */
  readonly seen: readonly string[];
}

/** A stored run. */
export interface StoredRun {
  /** Processor, cores and rounds: figures from another machine are only roughly comparable. */
  readonly machine: string;
  /** Rows with failed requests are left out. */
  readonly rows: readonly StoredRow[];
}

/** Converts the rows of a run to the stored form. */
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

/** Throws an Error that names the file if it does not contain a run. */
export function readRun(path: string): StoredRun {
  try {
    const run = JSON.parse(readFileSync(path, 'utf8')) as Partial<StoredRun>;
    if (typeof run.machine === 'string' && Array.isArray(run.rows)) return run as StoredRun;
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  throw new Error(`${path} is not a run of the benchmark`);
}
