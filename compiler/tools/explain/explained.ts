/** The result of `apikiln explain` for an operation: plain data, in the configuration's terms and syntax. Printed unchanged as JSON. */

import type { ToolAnnotations } from '../../analyze/describe/tools.js';

export interface ExplainedOperation {
  /** The operation's name. */
  readonly operation: string;
  /** The included file that contains the operation, relative to the configuration's folder. */
  readonly file?: string;
  readonly syntax: 'A' | 'B';
  /** Requests, timers and operations that start the operation. */
  readonly startedBy: {
    /** Whether requests start the operation. */
    readonly requests: boolean;
    readonly timers: readonly {
      readonly trigger: string;
      readonly cron: string;
      readonly timezone: string | null;
    }[];
    /** Operations that call this one by reference. */
    readonly operations: readonly string[];
  };
  /**
   * Who may call the operation: `anyone`, or the authentications with scopes, plus `nobody` if requests without credentials are accepted;
   * null if requests do not reach the operation.
   */
  readonly access: 'anyone' | readonly string[] | null;
  /** Only for an open operation that pages of other origins cannot call: the cookies that programs cannot send either. */
  readonly knownPages?: { readonly cookies: readonly string[] };
  /** The limits on its requests, in words; without limits, the field is missing. */
  readonly limits?: readonly string[];
  /** The idempotency key in words; without a key, the field is missing. */
  readonly idempotency?: string;
  /** The tool of MCP clients that calls the operation, and the hints that they get; without a tool, the field is missing. */
  readonly tool?: { readonly name: string; readonly hints: ToolAnnotations };
  /** `own`: the steps run in one transaction per database. */
  readonly transaction: 'own' | 'none';
  /** Exceptions checked before the first step. */
  readonly exceptions: readonly ExplainedException[];
  readonly steps: readonly ExplainedStep[];
  readonly overlaps: readonly ExplainedOverlap[];
  readonly replicas: readonly ExplainedReplica[];
  readonly cost: Cost;
  /** Statuses in ascending order; empty if there is no response. */
  readonly statuses: readonly ExplainedStatus[];
  readonly models: readonly ExplainedModel[];
}

interface StepBase {
  readonly fulfillment: string;
  /** Line in the configuration, starting at 1. */
  readonly line: number;
  /** Null if the step always runs. */
  readonly condition: string | null;
  readonly exceptions: readonly ExplainedException[];
  /** Conditions that end the enclosing loop; for a loop, conditions that end the loop itself. */
  readonly loopbreak: readonly string[];
  /** Whether the operation continues if the step fails. */
  readonly continues: boolean;
  /** The index under which the result is stored; null if the stored results are not read. */
  readonly index: string | null;
}

export interface ExplainedException {
  /** For a constraint, the words `constraint link_slug_key is violated`. */
  readonly condition: string;
  /** The name of the constraint; undefined for an exception with a condition. */
  readonly constraint?: string;
  readonly status: number;
  readonly message: string;
}

export type ExplainedStep =
  | (StepBase & {
      readonly kind: 'statements';
      readonly use: 'READ' | 'UPDATE';
      readonly datasource: string;
      readonly database: 'PostgreSQL' | 'MySQL/MariaDB';
      /** The settings and the role that are set before statements run. */
      readonly context?: readonly { readonly name: string; readonly value: string }[];
      /** The first statement whose condition is true is sent. */
      readonly statements: readonly ExplainedStatement[];
    })
  | (StepBase & {
      readonly kind: 'requests';
      readonly use: 'READ' | 'UPDATE';
      readonly datasource: string;
      /** The OAuth 2 scope, or '' without a scope; undefined if OAuth 2 is not used. */
      readonly oauth2?: string;
      readonly limit?: { readonly perSecond?: number; readonly atOnce?: number };
      readonly requests: readonly ExplainedRequest[];
    })
  | (StepBase & {
      readonly kind: 'messages';
      readonly datasource: string;
      readonly messages: readonly ExplainedMessage[];
    })
  | (StepBase & {
      readonly kind: 'loop';
      readonly over: string;
      /** Number of concurrent iterations. */
      readonly concurrency: number;
      readonly steps: readonly ExplainedStep[];
    })
  | (StepBase & {
      readonly kind: 'call';
      readonly operation: string;
      readonly parameters: readonly { readonly name: string; readonly value: string }[];
      /** Only for a call that is made after the commit. */
      readonly delivery?: ExplainedCallDelivery;
    })
  | (StepBase & {
      readonly kind: 'code';
      /** The function exported by `src/code/<function>.ts`. */
      readonly function: string;
      /** The input as written; null if there is none. */
      readonly input: string | null;
      /** The model of the result; null if there is no result. */
      readonly returns: string | null;
    })
  | (StepBase & {
      readonly kind: 'compute';
      /** The schema as written. */
      readonly value: string;
    });

export interface ExplainedOrder {
  readonly name: string;
  readonly isDefault: boolean;
  /** The complete statement for the first page. */
  readonly sql: string;
  /** The statement for later pages, which follow a row without nulls in the ordering columns; null if there are no pages. */
  readonly next: string | null;
}

/** A condition that requests can choose, as requests write it, and as SQL around the statement. */
export interface ExplainedFilter {
  readonly name: string;
  readonly sql: string;
}

export interface ExplainedStatement {
  readonly condition: string | null;
  /** The SQL as sent, with placeholders. */
  readonly sql: string;
  /** Statements for each order, by order name; undefined if the statement is sent unchanged. */
  readonly orders?: readonly ExplainedOrder[];
  /** The statement that counts the rows of the list, sent with it; undefined if they are not counted. */
  readonly count?: string;
  readonly filters?: readonly ExplainedFilter[];
  /** One entry per placeholder; a list of values has a single entry. */
  readonly parameters: readonly {
    readonly marker: string;
    readonly value: string;
    /** The type of the value; null if unknown. */
    readonly type: string | null;
    /** The database's type for the parameter; null without a schema. */
    readonly databaseType: string | null;
  }[];
  /** Tables named in the SQL. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The columns of the result rows; null without a schema, or if no rows are returned. */
  readonly columns:
    | readonly {
        readonly name: string;
        readonly databaseType: string;
        readonly nullable: boolean;
        /** The table from which the column is read unchanged, if any. */
        readonly table: string | null;
      }[]
    | null;
  /** Whether the statement is retried if the connection ends before its result. */
  readonly retried: boolean;
}

export interface ExplainedRequest {
  readonly condition: string | null;
  readonly method: string;
  readonly url: string;
  readonly header: readonly { readonly name: string; readonly value: string }[];
  readonly sends: 'json' | 'form' | 'multipart' | null;
  /** The schema of the JSON body, or the parts of the body, as written; null if there is no body. */
  readonly body: string | null;
  /** The type of the result, regardless of its content type. */
  readonly response?: 'json' | 'text';
  /** Whether the request is immediately resent if a kept-alive connection turns out to be closed. */
  readonly retried: boolean;
  /** Null if failed requests are not retried. */
  readonly retry: ExplainedRetry | null;
  /** Null if only one page is read. */
  readonly maxPages: number | null;
  /** The signature scheme; null if the request is not signed. */
  readonly signed: string | null;
  /** Null if the request is sent immediately. */
  readonly delivery: ExplainedDelivery | null;
}

/** A mail, with its values as written. */
export interface ExplainedMessage {
  readonly condition: string | null;
  readonly to: string;
  /** Null if there is none. */
  readonly cc: string | null;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly text: string;
  /** Null without HTML. */
  readonly html: string | null;
  /** Null if the mail is sent immediately. */
  readonly delivery: ExplainedDelivery | null;
}

/** Explains `deliver: afterCommit`. */
export interface ExplainedDelivery {
  /** The database that stores the request until then. */
  readonly outbox: string;
  readonly key: string | null;
}

/** Explains `deliver: afterCommit` of a reference. */
export interface ExplainedCallDelivery {
  /** The database that stores the call until then. */
  readonly outbox: string;
  /** Whether the parameters are stored encrypted. */
  readonly encrypted: boolean;
  /** The claims of the caller that are stored, in addition to `authentication` and `sub`; `all` if the whole caller is read. */
  readonly claims: readonly string[] | 'all';
  /** Maximum number of attempts; null if only the time limits them. */
  readonly times: number | null;
  /** Maximum seconds between storing the call and its last attempt. */
  readonly within: number;
}

/** Explains `retry`, with the runtime's defaults for missing fields. */
export interface ExplainedRetry {
  readonly times: number;
  readonly on: readonly (number | string)[];
  /** Whether only requests of which nothing has been sent are retried. */
  readonly ifUnsent: boolean;
}

/** Steps that run concurrently, or together in one transaction; for loops, also steps that do not, and why. */
export interface ExplainedOverlap {
  readonly kind:
    | 'one round trip'
    | 'sent ahead'
    | 'one by one'
    | 'concurrent iterations'
    | 'at the same time'
    | 'one transaction'
    | 'written while read';
  /** Names of the fulfillments; for a transaction, of the databases. */
  readonly of: readonly string[];
  readonly text: string;
}

/** READs that run on a database's replica, if it has one. */
export interface ExplainedReplica {
  readonly datasource: string;
  /** Names of the fulfillments. */
  readonly of: readonly string[];
  /** The setting with the replica's URL. */
  readonly variable: string;
}

/** Counts are numbers, or strings such as `2 + 3 × n`. */
export interface Cost {
  readonly databases: readonly {
    readonly datasource: string;
    /** Number of statements, excluding BEGIN and COMMIT. */
    readonly statements: number | string;
    /** How often the operation sends something and waits for the result. */
    readonly roundTrips: number | string;
  }[];
  readonly thirdParties: readonly {
    readonly datasource: string;
    readonly calls: number | string;
    /** Number of requests, including retries of `retry`. */
    readonly tries: number | string;
    /** Seconds for all tries, including pauses. */
    readonly seconds: number | string;
  }[];
  /** Meaning of the letters in counts. */
  readonly loops: readonly {
    readonly symbol: string;
    readonly operation: string;
    readonly fulfillment: string;
    readonly over: string;
    /** Description of what limits the iterations. */
    readonly bound: string;
    /** Null if only the size of a request or a response is the limit. */
    readonly atMost: number | null;
  }[];
  /** Third parties to which requests are delivered after the commit; these requests are not counted. */
  readonly deliveries: readonly string[];
  /** Operations that are called after the commit, which are not counted; undefined without any. */
  readonly later?: readonly string[];
  /** Whether user code runs; its requests are not counted. */
  readonly ownCode: boolean;
  /** Cycles of calls, which come in addition: `a → b → a`. */
  readonly cycles: readonly string[];
}

export interface ExplainedStatus {
  readonly status: number;
  readonly reasons: readonly {
    readonly from: 'response' | 'exception' | 'service';
    readonly text: string;
    /** The fulfillments (or responses) for which the service itself responds with this status; empty for other reasons. */
    readonly fulfillments: readonly string[];
  }[];
}

/** A model of a response built from mappings. */
export interface ExplainedModel {
  readonly response: string;
  /** Null for an object without a name in the description. */
  readonly model: string | null;
  /** Position in the response: `$`, `$.streets[]`. */
  readonly at: string;
  readonly take: 'every row' | 'first row';
  readonly from: readonly ExplainedRows[];
}

export interface ExplainedRows {
  readonly fulfillment: string;
  /** Conditions of the joins to the model: `towns.id == streets.town`; empty if all rows are used. */
  readonly joins: readonly string[];
  /** Whether there is an object even without a matching row. */
  readonly optional: boolean;
}
