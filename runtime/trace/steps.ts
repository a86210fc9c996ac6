/** The steps of a trace: names and strings from the configuration, counts and times, without values. */

/** A traced call of an operation. */
export interface Trace {
  /** The configured name of the operation. */
  readonly operation: string;
  /** The status of the response. */
  status: number;
  /** The error that ended the call, as shown in the log. */
  failure?: string;
  milliseconds: number;
  readonly steps: TraceStep[];
  /** Number of steps beyond the limit. */
  omitted: number;
}

export type TraceStep =
  | StatementStep
  | RequestStep
  | MessageStep
  | DecisionStep
  | LoopStep
  | IterationStep
  | ReferenceStep
  | CodeStep
  | ComputeStep
  | ResponseStep;

/** Common fields of steps with a duration, which are set at the end of the step. */
interface Timed {
  milliseconds?: number;
  failure?: string;
}

/** An SQL statement that ran. */
export interface StatementStep extends Timed {
  readonly kind: 'statement';
  readonly fulfillment: string;
  readonly datasource: string;
  /** The SQL with its placeholders. */
  readonly sql: string;
  /** The number of rows; missing for a change without RETURNING on PostgreSQL. */
  rows?: number;
  /** The number of affected rows, for UPDATE on MySQL and MariaDB. */
  affected?: number;
  /** Whether the rows were streamed. */
  readonly isStreamed?: true;
}

/** A request to a third-party API. */
export interface RequestStep extends Timed {
  readonly kind: 'request';
  readonly fulfillment: string;
  readonly datasource: string;
  readonly method: string;
  /** The configured URL, with its placeholders. */
  readonly url: string;
  /** The status if the configuration reads it, otherwise its class. */
  status?: string;
  /** The status or failure of each attempt, if there were several. */
  tries?: readonly string[];
  /** The reason why a needed retry was not made. */
  end?: string;
}

/** A mail. */
export interface MessageStep extends Timed {
  readonly kind: 'message';
  readonly fulfillment: string;
  readonly datasource: string;
  /** The outcome of the mail. */
  status?: string;
}

/** A condition that was evaluated. */
export interface DecisionStep {
  readonly kind: DecisionKind;
  /** The name of the fulfillment or response. */
  readonly name: string;
  readonly condition: string;
  readonly holds: boolean;
}

/** The kind of element that the condition belongs to: `if` means a fulfillment, `instruction` one of its instructions or queries. */
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
  /** The position, starting at 0. */
  readonly position: number;
  readonly steps: TraceStep[];
}

/** A call of another operation. */
export interface ReferenceStep extends Timed {
  readonly kind: 'reference';
  readonly fulfillment: string;
  /** The name of the called operation. */
  readonly operation: string;
  readonly steps: TraceStep[];
  /** Whether the call was stored, and is made after the commit. */
  readonly isDeferred?: true;
}

/** A user function that was called. */
export interface CodeStep extends Timed {
  readonly kind: 'code';
  readonly fulfillment: string;
  readonly function: string;
}

/** A COMPUTE, whose value is not recorded. */
export interface ComputeStep extends Timed {
  readonly kind: 'compute';
  readonly fulfillment: string;
}

/** The default response was used. */
export interface ResponseStep {
  readonly kind: 'default';
  readonly name: string;
}
