/** The interfaces of the parts of a service: datasources, schedule, observers. */
import type { apiVersion } from './api-version.js';
import type { ErrorBodies } from '../http/exchange.js';
import type { Ended } from '../http/response-end.js';
import type { Router } from '../http/router.js';
import type { TestPage } from '../http/route.js';
import type { SettingsReader } from './environment.js';
import type { Log } from './log.js';
import type { DatasourceNeeds, DatasourceSettings, Settings } from './settings.js';

/** The service that the generated `src/main.ts` passes to the process. */
export interface Service {
  /** The version of the runtime's API that the code of the service was generated for. */
  readonly api: typeof apiVersion;
  readonly router: Router;
  readonly datasources?: readonly Datasource[];
  readonly authentications?: readonly ConfiguredAuthentication[];
  /** The variables of the environment that operations read. */
  readonly env?: SettingsReader;
  /** The timed operations. */
  readonly schedule?: Schedule;
  /** Passes the log on to user code, if operations call some. */
  readonly ownCode?: (log: Log) => void;
  /** Makes the bodies of errors; `{"message"}` without it. */
  readonly errors?: ErrorBodies;
  /** With `debug: true` or `apiDocs: true` in the configuration. */
  readonly testPage?: TestPage;
  /** The module of user pages (`src/app.ts`), which is loaded after the start. The file is optional. */
  readonly app?: URL;
  /** The module of user middleware (`src/middleware.ts`). The file is optional. */
  readonly middleware?: URL;
  /** The `.env` file. It is optional. */
  readonly envFile?: URL;
  /** The version of the service, for metrics. */
  readonly version?: string;
}

/** An authentication as the process uses it. */
export interface ConfiguredAuthentication extends SettingsReader {
  readonly name: string;
  /** Whether the service cannot start without `src/middleware.ts`. */
  readonly needsMiddleware?: boolean;
}

/** The metrics and health of a process. */
export interface Observed {
  readonly observer: Observer;
  /** Opens the listener for operators. If there are several processes, the workers do not open one. Throws a StartError. */
  open(
    http: { readonly closing: boolean; readonly loaded: Promise<unknown> },
    log: Log,
    worker: WorkerLink | undefined,
  ): Promise<{ close(): Promise<unknown> } | undefined>;
}

/** The link from a worker to the primary process. */
export interface WorkerLink {
  /** Resolves when the connections that wait in the primary process have been passed to workers. */
  handedOver(): Promise<void>;
  /** Reports that this process has stopped listening, and resolves when all processes have. */
  settled(): Promise<void>;
  /** Starts to answer its questions. */
  respondToPrimary(management: object): void;
}

/** A datasource as the process uses it. */
export interface Datasource extends DatasourceNeeds {
  /** Loads code that depends on settings. Called before `open`; never fails. */
  load?(settings: DatasourceSettings): Promise<object | undefined>;
  /**
   * Stores the settings, without connecting, and returns warnings. Warnings and the message of a thrown Error are for operators, and do not
   * contain secrets. `warn` is called with later warnings. `loaded` is the result of `load`.
   */
  open(settings: DatasourceSettings, warn?: (warning: string) => void, loaded?: object): readonly string[];
  /** Whether it responds. Only datasources that the service needs have this method. Never fails. */
  isReachable?(): Promise<boolean>;
  /** Its current connections. */
  connections?(): ConnectionCounts;
  /** Undefined without a replica. */
  replica?(): ReplicaState | undefined;
  /** Reports its work to the observer from now on. */
  observe?(observer: Observer): void;
  /** Called when the service accepts no new work: requests that wait for a retry give up. */
  stop?(): void;
  /** Closes its connections. Those in use have until the deadline, in milliseconds of `performance.now()`. */
  close(deadline: number): void | Promise<void>;
}

/** The timed operations as the process uses them: start, stop, and a single run. */
export interface Schedule {
  /** Sets the settings, without starting timers. Throws a StartError. */
  open(host: ScheduleHost): void | Promise<void>;
  start(): void;
  /** Stops the timers, and resolves when current runs have ended. Never fails. */
  stop(): Promise<void>;
  /** Runs one of its operations once; true on success. Never fails. */
  run(operation: string): Promise<boolean>;
  /**
   * Runs the operation of the command line (`run <operation>`) once and ends the process; with status 2 if there is no such operation.
   * `prepare` opens the schedule; its errors are thrown.
   */
  runOnce(args: readonly string[], prepare: () => Promise<unknown>): Promise<void>;
}

/** The interface of timed operations to the process. */
export interface ScheduleHost {
  /** Called for every tick. */
  readonly observer?: Observer | undefined;
  readonly settings: Pick<Settings, 'schedule' | 'scheduleLedger' | 'scheduleTimeout' | 'shutdownTimeout'>;
  readonly datasources: readonly Datasource[];
  readonly log: Log;
}

/** The outcome of a call of a third-party API: the class of its status, or the reason why there is none. */
export type CallOutcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'timeout' | 'failed';

/** The outcome of a tick: skipped if the last run had not ended, missed if the process was blocked. */
export type TickOutcome = 'succeeded' | 'failed' | 'skipped' | 'missed';

/** Gets events for metrics. All times are seconds. Never throws. */
export interface Observer {
  /** Further measurements in this process. */
  readonly collectors?: { collect(): readonly object[] }[];
  requestBegun(): void;
  /** `operation` is undefined if no operation served the request. */
  requestEnded(operation: string | undefined, status: number, ended: Ended, seconds: number): void;
  /** A request that was refused before it was parsed: a malformed head, a head that arrived too slowly, CONNECT. */
  requestRefused(status: number): void;
  thirdPartyCalled(datasource: string, outcome: CallOutcome, seconds: number): void;
  /** A statement has ended, in whatever way; its wait for a connection is part of its time. */
  statementRan(datasource: string, seconds: number): void;
  /** `seconds` only if it ran. */
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
  /** False while READs run on the primary, because the replica could not be used. */
  readonly isUsed: boolean;
  /** READs that have failed on the replica, and ran on the primary. */
  readonly moved: number;
}
