/** The steps of a trace: names and strings of the configuration, counts and times, never a value. */

/** One traced call of an operation. */
export interface Trace {
  /** The operation's name, as configured. */
  readonly operation: string;
  /** The status of the response. */
  status: number;
  /** The error that ended the call, as the log shows it. */
  failure?: string;
  milliseconds: number;
  readonly steps: TraceStep[];
  /** Number of steps beyond the limit. */
  omitted: number;
}

export type TraceStep =
  | StatementStep
  | RequestStep
  | DecisionStep
  | LoopStep
  | IterationStep
  | ReferenceStep
  | CodeStep
  | ResponseStep;

/** Common fields of steps with a duration. They are set at the end of the step. */
interface Timed {
  milliseconds?: number;
  failure?: string;
}

/** A SQL statement that ran. */
export interface StatementStep extends Timed {
  readonly kind: 'statement';
  readonly fulfillment: string;
  readonly datasource: string;
  /** With its markers. */
  readonly sql: string;
  /** Missing for a change without RETURNING on PostgreSQL. */
  rows?: number;
  /** For UPDATE on MySQL and MariaDB, instead of rows. */
  affected?: number;
  /** Its rows were written while they arrived. */
  readonly isStreamed?: true;
}

/** A request to a third-party API. */
export interface RequestStep extends Timed {
  readonly kind: 'request';
  readonly fulfillment: string;
  readonly datasource: string;
  readonly method: string;
  /** As configured, with its placeholders. */
  readonly url: string;
  /** A status if the configuration reads it, else its class. */
  status?: string;
  /** The status or failure of each try, if there were several. */
  tries?: readonly string[];
  /** Why there was no further try although the result calls for one. */
  end?: string;
}

/** A condition that was evaluated. */
export interface DecisionStep {
  readonly kind: DecisionKind;
  /** The fulfillment, or the response. */
  readonly name: string;
  readonly condition: string;
  readonly holds: boolean;
}

/** The owner of a condition: `if` is a fulfillment, `instruction` one of its instructions or queries. */
export type DecisionKind = 'if' | 'instruction' | 'exception' | 'loopbreak' | 'response';

/** A LOOP; its steps are iterations. */
export interface LoopStep {
  readonly kind: 'loop';
  readonly fulfillment: string;
  iterations: number;
  readonly steps: TraceStep[];
}

export interface IterationStep {
  readonly kind: 'iteration';
  /** Counted from 0. */
  readonly position: number;
  readonly steps: TraceStep[];
}

/** A call of another operation. */
export interface ReferenceStep extends Timed {
  readonly kind: 'reference';
  readonly fulfillment: string;
  /** The called operation's name. */
  readonly operation: string;
  readonly steps: TraceStep[];
}

/** A user function that was called. */
export interface CodeStep extends Timed {
  readonly kind: 'code';
  readonly fulfillment: string;
  readonly function: string;
}

/** The default response. */
export interface ResponseStep {
  readonly kind: 'default';
  readonly name: string;
}
