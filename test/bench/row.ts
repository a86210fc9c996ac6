/** The result of a job: one row for each goal of the table. */
import { median } from './statistics.js';

/** A bound for a figure. `minimum`: the figure must reach it; `maximum`: it must not exceed it. */
export interface Target {
  readonly kind: 'minimum' | 'maximum';
  readonly value: number;
  /** `×` is a ratio, `s` seconds. */
  readonly unit: '×' | 's' | 'MiB';
}

/** The figures of one contender over all its rounds. */
export interface Part {
  readonly name: string;
  /** In words with units: throughput, latencies, memory. */
  readonly seen: string;
  /** Requests that failed, where there were requests. */
  readonly failures?: number;
}

/** A goal with its measurements. */
export interface Row {
  /** The job's name, by which the row is picked. */
  readonly job: string;
  readonly goal: string;
  readonly target: Target;
  /** One figure per round; their median counts. Empty: there is a reason. */
  readonly figures: readonly number[];
  readonly parts: readonly Part[];
  /** Why there is no figure here, in one sentence. */
  readonly reason?: string;
}

/** The state of a row. A row with a failed request is worth nothing, whatever its figure. */
export type Verdict = 'met' | 'missed' | 'invalid' | 'not measured';

/** Judges by the median. */
export function verdictOf(row: Row): Verdict {
  const figure = median(row.figures);
  if (row.figures.length === 0) return 'not measured';
  if (row.parts.some(({ failures = 0 }) => failures > 0) || Number.isNaN(figure)) return 'invalid';
  const { kind, value } = row.target;
  return (kind === 'minimum' ? figure >= value : figure <= value) ? 'met' : 'missed';
}

/** At least that many times. */
export function atLeast(value: number): Target {
  return { kind: 'minimum', value, unit: '×' };
}

/** At most that many times, seconds or mebibytes. */
export function atMost(value: number, unit: Target['unit'] = '×'): Target {
  return { kind: 'maximum', value, unit };
}
