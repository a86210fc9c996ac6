/** The timers of a service. */
import { messageOf } from '../handler/reply.js';
import { describeFailure } from '../server/log.js';
import { readCron, type CronRule } from './cron.js';
import { TickLedger, type LedgerDatabase } from './ledger.js';
import { TickTimer } from './tick-timer.js';
import { operationToRun, runOnce, type TimerHost } from './run-once.js';
import { runTimed, type TimedHandler } from './timed-run.js';
import type { Datasource, Schedule } from '../server/contracts.js';
import { StartError } from '../server/environment.js';

/** A trigger of an operation. */
export interface TimedTrigger {
  /** The configured name of the operation. */
  readonly operation: string;
  /** The configured name of the trigger. */
  readonly trigger: string;
  /** Six fields, starting with seconds. */
  readonly cron: string;
  /** The IANA name of a time zone; defaults to that of the server. */
  readonly timezone?: string;
  readonly handler: TimedHandler;
}

/** Creates the schedule for these triggers. Timers run after `start`. */
export function createSchedule(triggers: readonly TimedTrigger[]): Schedule {
  return new TriggerSchedule(triggers);
}

/** The state of an opened schedule. */
interface Opened {
  readonly host: TimerHost;
  readonly ledger: TickLedger | undefined;
  readonly jobs: readonly Job[];
  readonly running: Running;
}

class TriggerSchedule implements Schedule {
  private readonly operations: readonly string[];
  private opened: Opened | undefined;

  constructor(private readonly triggers: readonly TimedTrigger[]) {
    this.operations = [...new Set(triggers.map(({ operation }) => operation))];
  }

  open(host: TimerHost): void {
    const { settings, datasources, log } = host;
    const database =
      settings.scheduleLedger === undefined
        ? undefined
        : ledgerDatabase(settings.scheduleLedger, datasources);
    const ledger = database && new TickLedger(database, log);
    const running: Running = new Map();
    this.opened = {
      host,
      ledger,
      running,
      jobs: this.triggers.map((trigger) => new Job(trigger, ruleOf(trigger), host, ledger, running)),
    };
  }

  start(): void {
    const { host, ledger, jobs } = this.use();
    if (!host.settings.schedule) {
      host.log.info('SCHEDULE is off: no timed operation runs by itself');
      return;
    }
    void ledger?.open();
    for (const job of jobs) job.start();
  }

  async stop(): Promise<void> {
    const { ledger, jobs } = this.use();
    ledger?.close();
    await Promise.all(jobs.map((job) => job.stop()));
  }

  async runOnce(args: readonly string[], prepare: () => Promise<unknown>): Promise<void> {
    const operation = operationToRun(args, this.operations);
    await prepare();
    await runOnce(operation, () => this.run(operation), this.use().host);
  }

  async run(operation: string): Promise<boolean> {
    const { host, running } = this.use();
    const { log, settings } = host;
    const trigger = this.triggers.find((trigger) => trigger.operation === operation);
    if (trigger === undefined) throw new Error(`no timed operation '${operation}'`);
    if (running.has(operation)) {
      log.warn({ operation }, 'timed operation not run: the last run is still going');
      return false;
    }
    const run = runTimed(trigger.handler, { operation }, { log, timeout: settings.scheduleTimeout });
    const ended = run.then(() => {
      running.delete(operation);
    });
    running.set(operation, ended);
    return run;
  }

  private use(): Opened {
    if (this.opened === undefined) throw new Error('the schedule has not been opened');
    return this.opened;
  }
}

/** The current runs by operation. Triggers of the same operation share a run, so that it never runs twice concurrently. */
type Running = Map<string, Promise<void>>;

/** An active trigger. Within an instance, runs of an operation never overlap, regardless of their triggers. */
class Job {
  private readonly timer: TickTimer;

  constructor(
    private readonly trigger: TimedTrigger,
    private readonly rule: CronRule,
    private readonly host: TimerHost,
    private readonly ledger: TickLedger | undefined,
    private readonly running: Running,
  ) {
    this.timer = new TickTimer(rule, {
      tick: (tick) => {
        this.tick(tick);
      },
      missed: (first) => {
        host.observer?.ticked(trigger.operation, trigger.trigger, 'missed');
        host.log.warn(this.labels(first), 'ticks were missed from this one on: the process stood still');
      },
    });
  }

  start(): void {
    const next = this.rule.next(new Date());
    this.host.log.info({ ...this.labels(), next: next?.toISOString() }, 'timed operation scheduled');
    this.timer.start();
  }

  /** Stops the timer, and resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.timer.stop();
    await this.running.get(this.trigger.operation);
  }

  private tick(tick: Date): void {
    const { operation } = this.trigger;
    if (this.running.has(operation)) {
      this.host.observer?.ticked(operation, this.trigger.trigger, 'skipped');
      this.host.log.warn(this.labels(tick), 'tick skipped: the last run is still going');
      return;
    }
    const run = this.run(tick).finally(() => {
      this.running.delete(operation);
    });
    this.running.set(operation, run);
  }

  private async run(tick: Date): Promise<void> {
    const { log, settings, observer } = this.host;
    const { operation, trigger } = this.trigger;
    const labels = this.labels(tick);
    try {
      if (this.ledger !== undefined && !(await this.ledger.claim(this.trigger, tick))) return;
    } catch (error) {
      observer?.ticked(operation, trigger, 'failed');
      log.error(
        { ...labels, ...describeFailure(error) },
        'tick not run: the schedule ledger cannot be asked',
      );
      return;
    }
    const start = performance.now();
    const succeeded = await runTimed(this.trigger.handler, labels, {
      log,
      timeout: settings.scheduleTimeout,
    });
    const seconds = (performance.now() - start) / 1000;
    observer?.ticked(operation, trigger, succeeded ? 'succeeded' : 'failed', seconds);
  }

  private labels(tick?: Date): Record<string, string> {
    const { operation, trigger } = this.trigger;
    return { operation, trigger, ...(tick === undefined ? {} : { tick: tick.toISOString() }) };
  }
}

/** The rule of a trigger. The compiler has already validated it, but with its own time zone data. */
function ruleOf({ operation, trigger, cron, timezone }: TimedTrigger): CronRule {
  try {
    return readCron(cron, timezone);
  } catch (error) {
    throw new StartError([`operation ${operation}, trigger ${trigger}: ${messageOf(error)}`]);
  }
}

function ledgerDatabase(name: string, datasources: readonly Datasource[]): LedgerDatabase {
  const databases = datasources.filter(isDatabase);
  const found = databases.find((database) => database.name === name);
  if (found !== undefined) return found;
  const known = databases.map((database) => database.name).join(', ');
  throw new StartError([
    `SCHEDULE_LEDGER is ${JSON.stringify(name)}, which is not a database of this service; ${known === '' ? 'it has none' : `it knows ${known}`}`,
  ]);
}

function isDatabase(datasource: Datasource): datasource is Datasource & LedgerDatabase {
  return 'kind' in datasource && 'read' in datasource && 'update' in datasource;
}
