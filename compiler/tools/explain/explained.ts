/**
 * The result of `apikiln explain` for an operation: plain data, in the words and the syntax of the configuration. Printed as JSON
 * unchanged.
 */

export interface ExplainedOperation {
  /** Its name. */
  readonly operation: string;
  /** The included file that it is written in, from the folder of the configuration. */
  readonly file?: string;
  readonly syntax: 'A' | 'B';
  /** Requests, timers and operations that start it. */
  readonly startedBy: {
    /** True where requests do. */
    readonly requests: boolean;
    readonly timers: readonly {
      readonly trigger: string;
      readonly cron: string;
      readonly timezone: string | null;
    }[];
    /** The operations that call it by reference. */
    readonly operations: readonly string[];
  };
  /**
   * The callers: `anyone`, or the authentications, with scopes, and `nobody` for requests without credentials; null if no request reaches
   * it.
   */
  readonly access: 'anyone' | readonly string[] | null;
  /** `own`: its steps run in one transaction for each database. */
  readonly transaction: 'own' | 'none';
  /** Checked before the first step. */
  readonly exceptions: readonly ExplainedException[];
  readonly steps: readonly ExplainedStep[];
  readonly overlaps: readonly ExplainedOverlap[];
  readonly replicas: readonly ExplainedReplica[];
  readonly cost: Cost;
  /** In ascending order; empty without a response. */
  readonly statuses: readonly ExplainedStatus[];
  readonly models: readonly ExplainedModel[];
}

interface StepBase {
  readonly fulfillment: string;
  /** Where it is in the configuration, from 1. */
  readonly line: number;
  /** Null where it always runs. */
  readonly condition: string | null;
  readonly exceptions: readonly ExplainedException[];
  /** The conditions under which the loop around it (of a loop: the loop itself) stops. */
  readonly loopbreak: readonly string[];
  /** Whether the operation goes on after its failure. */
  readonly continues: boolean;
  /** Under which index its result is stored; null where nothing reads it. */
  readonly index: string | null;
}

export interface ExplainedException {
  readonly condition: string;
  readonly status: number;
  readonly message: string;
}

export type ExplainedStep =
  | (StepBase & {
      readonly kind: 'statements';
      readonly use: 'READ' | 'UPDATE';
      readonly datasource: string;
      readonly database: 'PostgreSQL' | 'MySQL/MariaDB';
      /** The settings that are set before its statements, and their role. */
      readonly context?: readonly { readonly name: string; readonly value: string }[];
      /** The first whose condition holds is sent. */
      readonly statements: readonly ExplainedStatement[];
    })
  | (StepBase & {
      readonly kind: 'requests';
      readonly use: 'READ' | 'UPDATE';
      readonly datasource: string;
      /** The scope of its tokens, or ''; undefined where it does not log in with OAuth 2. */
      readonly oauth2?: string;
      readonly limit?: { readonly perSecond?: number; readonly atOnce?: number };
      readonly requests: readonly ExplainedRequest[];
    })
  | (StepBase & {
      readonly kind: 'loop';
      readonly over: string;
      /** Iterations at a time. */
      readonly concurrency: number;
      readonly steps: readonly ExplainedStep[];
    })
  | (StepBase & {
      readonly kind: 'call';
      readonly operation: string;
      readonly parameters: readonly { readonly name: string; readonly value: string }[];
    })
  | (StepBase & {
      readonly kind: 'code';
      /** The exported function of `src/code/<function>.ts`. */
      readonly function: string;
      /** As written; null without input. */
      readonly input: string | null;
      /** The model; null without a result. */
      readonly returns: string | null;
    });

export interface ExplainedOrder {
  readonly name: string;
  readonly isDefault: boolean;
  /** The whole statement, of the first page. */
  readonly sql: string;
  /** The statement of later pages, after a row with a value in all columns; null without pages. */
  readonly next: string | null;
}

export interface ExplainedStatement {
  readonly condition: string | null;
  /** As it is sent, with its markers. */
  readonly sql: string;
  /** The statements that order its rows, by the names of the orders; undefined where it is sent as it is. */
  readonly orders?: readonly ExplainedOrder[];
  /** One for each marker; a list of values has one. */
  readonly parameters: readonly {
    readonly marker: string;
    readonly value: string;
    /** The type of the value; null if it is unknown. */
    readonly type: string | null;
    /** The type of the database for it; null without a schema. */
    readonly databaseType: string | null;
  }[];
  /** The tables that its text names. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The columns of its rows; null without a schema, and if it returns no rows. */
  readonly columns:
    | readonly {
        readonly name: string;
        readonly databaseType: string;
        readonly nullable: boolean;
        /** `table`, where the column is read from one as it is. */
        readonly table: string | null;
      }[]
    | null;
  /** Whether it is sent again if a connection ends before its result. */
  readonly retried: boolean;
}

export interface ExplainedRequest {
  readonly condition: string | null;
  readonly method: string;
  readonly url: string;
  readonly header: readonly { readonly name: string; readonly value: string }[];
  readonly sends: 'json' | 'form' | 'multipart' | null;
  /** The schema of its JSON body, or its parts, as they are written; null without a body. */
  readonly body: string | null;
  /** The type of the result, whatever its content type. */
  readonly response?: 'json' | 'text';
  /** Whether it is resent immediately if a kept connection turns out to be closed. */
  readonly retried: boolean;
  /** Null where nothing is sent again after a failure. */
  readonly retry: ExplainedRetry | null;
  /** Null where there is one. */
  readonly maxPages: number | null;
  /** The scheme in which it is signed; null where it is not. */
  readonly signed: string | null;
  /** Null if it is sent immediately. */
  readonly delivery: ExplainedDelivery | null;
}

/** `deliver: afterCommit`. */
export interface ExplainedDelivery {
  /** The database in which it is stored until then. */
  readonly outbox: string;
  readonly key: string | null;
}

/** `retry`, with the runtime's defaults for missing fields. */
export interface ExplainedRetry {
  readonly times: number;
  readonly on: readonly (number | string)[];
  /** True where a request that was sent is not sent again: only one of which nothing has left. */
  readonly ifUnsent: boolean;
}

/** Steps that run at the same time, or together in one transaction; of loops also those that do not, and why. */
export interface ExplainedOverlap {
  readonly kind:
    | 'one round trip'
    | 'sent ahead'
    | 'one by one'
    | 'concurrent iterations'
    | 'one transaction'
    | 'written while read';
  /** The names of the fulfillments; of a transaction the databases. */
  readonly of: readonly string[];
  readonly text: string;
}

/** READs that run on the replica of a database, where it has one. */
export interface ExplainedReplica {
  readonly datasource: string;
  /** The names of the fulfillments. */
  readonly of: readonly string[];
  /** The setting that names the replica. */
  readonly variable: string;
}

/** Counts are numbers, or texts such as `2 + 3 × n`. */
export interface Cost {
  readonly databases: readonly {
    readonly datasource: string;
    /** Statements that are sent, without those of transactions. */
    readonly statements: number | string;
    /** Times that something is sent and waited for. */
    readonly roundTrips: number | string;
  }[];
  readonly thirdParties: readonly {
    readonly datasource: string;
    readonly calls: number | string;
    /** Including the tries of `retry`. */
    readonly tries: number | string;
    /** Seconds for all of them, with their pauses. */
    readonly seconds: number | string;
  }[];
  /** The meaning of the letters in counts. */
  readonly loops: readonly {
    readonly symbol: string;
    readonly operation: string;
    readonly fulfillment: string;
    readonly over: string;
    /** The name of the bound of its iterations. */
    readonly bound: string;
    /** Null if only the size of a request or of a response bounds it. */
    readonly atMost: number | null;
  }[];
  /** The third parties that requests are delivered to after the commit; those are not counted. */
  readonly deliveries: readonly string[];
  /** Whether user code runs; requests sent by it are not counted. */
  readonly ownCode: boolean;
  /** Cycles of calls, which are additional: `a → b → a`. */
  readonly cycles: readonly string[];
}

export interface ExplainedStatus {
  readonly status: number;
  readonly reasons: readonly {
    readonly from: 'response' | 'exception' | 'service';
    readonly text: string;
    /** The fulfillments (or responses) where the service itself responds with it; empty for other reasons. */
    readonly fulfillments: readonly string[];
  }[];
}

/** A model of a response that is built from mappings. */
export interface ExplainedModel {
  readonly response: string;
  /** Undefined names are null: an object without a name in the description. */
  readonly model: string | null;
  /** Where it is in the response: `$`, `$.streets[]`. */
  readonly at: string;
  readonly take: 'every row' | 'first row';
  readonly from: readonly ExplainedRows[];
}

export interface ExplainedRows {
  readonly fulfillment: string;
  /** The joins to it, as conditions: `towns.id == streets.town`; empty for all rows. */
  readonly joins: readonly string[];
  /** True where there is an object without a matching row too. */
  readonly optional: boolean;
}
