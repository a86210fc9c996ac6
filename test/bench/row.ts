/** The result of a job: one row for each goal of the table. */
import { median } from './statistics.js';

/** A bound for a figure: the figure must reach a `minimum` and must not exceed a `maximum`. */
export interface Target {
  readonly kind: 'minimum' | 'maximum';
  readonly value: number;
  /** `×` is a ratio; `s` is seconds. */
  readonly unit: '×' | 's' | 'MiB';
}

/** The figures of one contender over all its rounds. */
export interface Part {
  readonly name: string;
  /** Throughput, latencies and memory as text with units. */
  readonly seen: string;
  /** The number of failed requests, if requests were sent. */
  readonly failures?: number;
}

/** A goal with its measurements. */
export interface Row {
  /** The job's name, used to select rows. */
  readonly job: string;
  readonly goal: string;
  readonly target: Target;
  /** One figure per round; the median counts. Empty if `reason` is set. */
  readonly figures: readonly number[];
  readonly parts: readonly Part[];
  /** Why there are no figures, in one sentence. */
  readonly reason?: string;
}

/** The state of a row. A failed request invalidates the row, whatever its figure. */
export type Verdict = 'met' | 'missed' | 'invalid' | 'not measured';

/** Compares the median with the target. */
export function verdictOf(row: Row): Verdict {
  const figure = median(row.figures);
  if (row.figures.length === 0) return 'not measured';
  if (row.parts.some(({ failures = 0 }) => failures > 0) || Number.isNaN(figure)) return 'invalid';
  const { kind, value } = row.target;
  return (kind === 'minimum' ? figure >= value : figure <= value) ? 'met' : 'missed';
}

/** A target of at least `value` times. */
export function atLeast(value: number): Target {
  return { kind: 'minimum', value, unit: '×' };
}

/** A target of at most `value` times, seconds or mebibytes. */
export function atMost(value: number, unit: Target['unit'] = '×'): Target {
  return { kind: 'maximum', value, unit };
}
