/** The interfaces of the parts of a service: datasources, schedule, observers. */
import type { Fallback } from '../http/fallback.js';
import type { Router } from '../http/router.js';
import type { TestPage } from '../http/route.js';
import type { SettingsReader } from './environment.js';
import type { Log } from './log.js';
import type { DatasourceNeeds, DatasourceSettings, Settings } from './settings.js';

/** What the generated modules give to the process. */
export interface Service {
  readonly router: Router;
  readonly datasources?: readonly Datasource[];
  readonly authentications?: readonly SettingsReader[];
  /** The timed operations. */
  readonly schedule?: Schedule;
  /** Where the configuration says `debug: true`. */
  readonly testPage?: TestPage;
  /** The user's own pages; loaded when they are needed, so that the start does not wait for them. */
  readonly app?: () => Promise<Fallback>;
  /** The module with the user's own middleware, which stands before the operations; it need not be there. */
  readonly middleware?: URL;
  /** The file with the settings that no environment variable gives; it need not be there. */
  readonly envFile?: URL;
}

/** What the process does with a datasource; operations see another side of it. */
export interface Datasource extends DatasourceNeeds {
  /**
   * Takes the settings, without connecting, and gives warnings. They, and the message of an Error that it throws, are for
   * the person who starts the service and hold no secret. `warn` takes the warnings of later times.
   */
  open(settings: DatasourceSettings, warn?: (warning: string) => void): readonly string[];
  /** Whether it answers; only where the service cannot be of use without it. Never fails. */
  isReachable?(): Promise<boolean>;
  /** Its connections at this moment. */
  connections?(): ConnectionCounts;
  /** From now on the observer is told of what it does. */
  observe?(observer: Observer): void;
  /** Ends its connections; those in use have until the deadline, in milliseconds of `performance.now()`. */
  close(deadline: number): void | Promise<void>;
}

/** What the process does with the timed operations (decisions 10). */
export interface Schedule {
  /** Takes the settings; nothing ticks yet. Throws a StartError. */
  open(host: ScheduleHost): void;
  start(): void;
  /** No tick any more; resolves when the runs that are going on have ended. Never fails. */
  stop(): Promise<void>;
  /** Runs one of its operations once; true when all went well. Never fails. */
  run(operation: string): Promise<boolean>;
  /**
   * Runs once the operation that the arguments behind `run` name, and ends the process: with status 2 where there is no such
   * operation. `prepare` opens the schedule with all that it needs; throws what that throws.
   */
  runOnce(args: readonly string[], prepare: () => Promise<unknown>): Promise<void>;
}

/** What timed operations need of the process. */
export interface ScheduleHost {
  /** Is told of every tick. */
  readonly observer?: Observer | undefined;
  readonly settings: Pick<Settings, 'schedule' | 'scheduleLedger' | 'scheduleTimeout' | 'shutdownTimeout'>;
  readonly datasources: readonly Datasource[];
  readonly log: Log;
}

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
