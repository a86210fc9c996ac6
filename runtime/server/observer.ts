/** What tells the metrics of the service what goes on; there is none while nobody asks for metrics. */

/** How a call of a third-party API ended: the class of the status that it answered, or why there was none. */
export type CallOutcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'timeout' | 'failed';

/** How a tick of a timed operation ended: skipped where the last run was still going, missed where the process stood still. */
export type TickOutcome = 'succeeded' | 'failed' | 'skipped' | 'missed';

/** Is told of events; all times are seconds. Never throws. */
export interface Observer {
  requestBegun(): void;
  /** `operation` is undefined where none answered. */
  requestEnded(operation: string | undefined, status: number, seconds: number): void;
  /** What was refused before it was a request: a malformed head, one that came too slowly, CONNECT. */
  requestRefused(status: number): void;
  thirdPartyCalled(datasource: string, outcome: CallOutcome, seconds: number): void;
  /** `seconds` only where it ran. */
  ticked(operation: string, trigger: string, outcome: TickOutcome, seconds?: number): void;
}

/** The connections of a database at this moment. */
export interface ConnectionCounts {
  readonly used: number;
  readonly free: number;
  /** Statements that wait for one. */
  readonly waiting: number;
}
