/** The interfaces of the parts of a service: datasources, schedule, observers. */
import type { apiVersion } from './api-version.js';
import type { Authentication } from '../authentication/authentication.js';
import type { Refusal } from '../authentication/refusal.js';
import type { ErrorBodies } from '../http/exchange.js';
import type { ToolEndpoint } from '../http/fallback.js';
import type { Ended } from '../http/response-end.js';
import type { Router } from '../http/router.js';
import type { RequestLimits, TestPage } from '../http/route.js';
import type { SettingsReader } from './environment.js';
import type { Log } from './log.js';
import type { DatasourceNeeds, DatasourceSettings, Settings } from './settings.js';

/** The service that the generated `src/main.ts` passes to the process. */
export interface Service {
  /** The version of the runtime API that the service was generated for. */
  readonly api: typeof apiVersion;
  readonly router: Router;
  readonly datasources?: readonly Datasource[];
  readonly authentications?: readonly ConfiguredAuthentication[];
  /** The limits of all operations together, and the stores of limits. */
  readonly limits?: ServiceLimits;
  /** The stores of idempotency keys. */
  readonly idempotency?: readonly Pick<ServiceLimits, 'open'>[];
  /** The environment variables that operations read. */
  readonly env?: SettingsReader;
  /** Other parts with settings. */
  readonly readers?: readonly SettingsReader[];
  /** The timed operations. */
  readonly schedule?: Schedule;
  /** Passes the log to user code; only set if operations call user code. */
  readonly ownCode?: (log: Log) => void;
  /** Creates error bodies; the default body is `{"message"}`. */
  readonly errors?: ErrorBodies;
  /** Set if the configuration contains `debug: true` or `apiDocs: true`. */
  readonly testPage?: TestPage;
  /** The endpoint of MCP clients. */
  readonly tools?: ToolEndpoint;
  /** The module of user pages (`src/app.ts`), loaded after the start. The file is optional. */
  readonly app?: URL;
  /** The module of user middleware (`src/middleware.ts`). The file is optional. */
  readonly middleware?: URL;
  /** The optional `.env` file. */
  readonly envFile?: URL;
  /** The version of the service, for metrics. */
  readonly version?: string;
}

/** Limits, as the process uses them. */
export interface ServiceLimits {
  /** Counts the requests of all operations together. */
  readonly all: RequestLimits | undefined;
  /** Creates the tables of the stores. Throws a StartError if the user lacks the privileges. */
  open(log: Log): Promise<void>;
}

/** An authentication, as the process uses it. */
export interface ConfiguredAuthentication extends SettingsReader {
  readonly name: string;
  /** Whether the service requires `src/middleware.ts` to start. */
  readonly needsMiddleware?: boolean;
  /** Sentences about problems that stop the start, also with later authentications. Called when all settings have been read. */
  problemsAtStart?(later: readonly object[], log: Log): Promise<readonly string[]>;
  /** Asks its operation again for a caller. */
  readonly findAgain?: Authentication['findAgain'];
}

/** The metrics and health of a process. */
export interface Observed {
  readonly observer: Observer;
  /** Opens the management listener. With several processes, workers do not open a listener. Throws a StartError. */
  open(
    http: { readonly closing: boolean; readonly loaded: Promise<unknown> },
    log: Log,
    worker: WorkerLink | undefined,
  ): Promise<{ close(): Promise<unknown> } | undefined>;
}

/** The link from a worker to the primary process. */
export interface WorkerLink {
  /** Resolves when the connections waiting in the primary process have been passed to workers. */
  handedOver(): Promise<void>;
  /** Reports that this process has stopped listening, and resolves when all processes have. */
  settled(): Promise<void>;
  /** Starts to answer requests from the primary process. */
  respondToPrimary(management: object): void;
}

/** A datasource, as the process uses it. */
export interface Datasource extends DatasourceNeeds {
  /** Loads code that depends on settings. Called before `open`; never fails. */
  load?(settings: DatasourceSettings): Promise<object | undefined>;
  /**
   * Stores the settings without connecting, and returns warnings. Warnings and thrown Errors are shown to operators and do not contain
   * secrets.
   * `warn` receives later warnings. `loaded` is the result of `load`.
   */
  open(settings: DatasourceSettings, warn?: (warning: string) => void, loaded?: object): readonly string[];
  /** Whether the datasource responds. Only datasources that the service depends on have this method. Never fails. */
  isReachable?(): Promise<boolean>;
  /** The current connections of the datasource. */
  connections?(): ConnectionCounts;
  /** The state of the replica; undefined without a replica. */
  replica?(): ReplicaState | undefined;
  /** Reports events to the observer from now on. */
  observe?(observer: Observer): void;
  /** Called when the service stops accepting work: requests that wait for a retry give up. */
  stop?(): void;
  /** Closes all connections. Connections in use have until the deadline, in milliseconds of `performance.now()`. */
  close(deadline: number): void | Promise<void>;
}

/** The timed operations, as the process uses them: start, stop, and a single run. */
export interface Schedule {
  /** Applies the settings without starting timers. Throws a StartError. */
  open(host: ScheduleHost): void | Promise<void>;
  start(): void;
  /** Stops the timers, and resolves when current runs have ended. Never fails. */
  stop(): Promise<void>;
  /** Runs a timed operation once; returns true on success. Never fails. */
  run(operation: string): Promise<boolean>;
  /**
   * Runs the operation named on the command line (`run <operation>`) once and ends the process, with status 2 if the operation does not
   * exist. `prepare` opens the schedule; its errors are thrown.
   */
  runOnce(args: readonly string[], prepare: () => Promise<unknown>): Promise<void>;
}

/** The needs of timed operations from the process. */
export interface ScheduleHost {
  /** Receives an event for every tick. */
  readonly observer?: Observer | undefined;
  readonly settings: Pick<
    Settings,
    'schedule' | 'scheduleLedger' | 'scheduleTimeout' | 'shutdownTimeout' | 'requestTimeout'
  >;
  readonly datasources: readonly Datasource[];
  readonly log: Log;
}

/** The outcome of a call of a third-party API: the class of its status, or the reason why there is none; aborted if it was not needed. */
export type CallOutcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'timeout' | 'failed' | 'aborted';

/** The outcome of a tick: skipped if the previous run had not ended, missed if the process was blocked. */
export type TickOutcome = 'succeeded' | 'failed' | 'skipped' | 'missed';

/** Receives events for metrics. All times are in seconds. Never throws. */
export interface Observer {
  /** Further measurements in this process. */
  readonly collectors?: { collect(): readonly object[] }[];
  requestBegun(): void;
  /** `operation` is undefined if no operation served the request. `refusal`: why its credentials were refused. */
  requestEnded(
    operation: string | undefined,
    status: number,
    ended: Ended,
    seconds: number,
    refusal?: Refusal,
  ): void;
  /** A request that is over a limit. */
  requestLimited(operation: string, limit: string): void;
  /** A request that was refused before it was parsed: a malformed head, a head that arrived too slowly, CONNECT. */
  requestRefused(status: number): void;
  thirdPartyCalled(datasource: string, outcome: CallOutcome, seconds: number): void;
  /** A statement has ended, successfully or not; the time includes the wait for a connection. */
  statementRan(datasource: string, seconds: number): void;
  /** `seconds` is only set if the operation ran. */
  ticked(operation: string, trigger: string, outcome: TickOutcome, seconds?: number): void;
}

/** The current connections of a database. */
export interface ConnectionCounts {
  readonly used: number;
  readonly free: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/** The replica of a database. */
export interface ReplicaState {
  readonly connections: ConnectionCounts;
  /** False while READs run on the primary because the replica is unavailable. */
  readonly isUsed: boolean;
  /** READs that failed on the replica and ran on the primary instead. */
  readonly moved: number;
}
