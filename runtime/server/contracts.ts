/** What the process knows of the parts of a service. */
import type { Fallback } from '../http/fallback.js';
import type { Router } from '../http/router.js';
import type { TestPage } from '../http/test-page.js';
import type { SettingsReader } from './environment.js';
import type { Log } from './log.js';
import type { ConnectionCounts, Observer } from './observer.js';
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
  /** The operations that have a trigger, as configured. */
  readonly operations: readonly string[];
  /** Takes the settings; nothing ticks yet. Throws a StartError. */
  open(host: ScheduleHost): void;
  start(): void;
  /** No tick any more; resolves when the runs that are going on have ended. Never fails. */
  stop(): Promise<void>;
  /** Runs one of `operations` once; true when all went well. Never fails. */
  run(operation: string): Promise<boolean>;
}

/** What timed operations need of the process. */
export interface ScheduleHost {
  /** Is told of every tick. */
  readonly observer?: Observer | undefined;
  readonly settings: Pick<Settings, 'schedule' | 'scheduleLedger' | 'scheduleTimeout'>;
  readonly datasources: readonly Datasource[];
  readonly log: Log;
}
