/** Who keeps the time of timed operations on Kubernetes. */
import { cronJobSchedule } from './cron-job.js';
import { fileSlug, uniqueNames } from '../names/identifiers.js';
import type { OperationPlan } from '../operation-plan.js';

/** A trigger as a CronJob. */
export interface CronJobPlan {
  /** A DNS label, short enough for the names that Kubernetes makes of it. */
  readonly name: string;
  readonly operation: string;
  readonly trigger: string;
  /** Five fields. */
  readonly schedule: string;
  /** Schedules are in the time zone of the server, and containers run in UTC. */
  readonly timezone: string;
}

export interface TimersPlan {
  /**
   * All triggers are kept in one way: as CronJobs when each can be one; else by timers in every pod, which claim a run in a
   * ledger; without a database for it, by timers in one pod.
   */
  readonly kind: 'none' | 'cron jobs' | 'ledger' | 'one pod';
  readonly jobs: readonly CronJobPlan[];
  /** The datasource with the ledger. */
  readonly ledger: string | undefined;
}

export function planTimers(
  operations: readonly OperationPlan[],
  datasources: readonly {
    readonly type: 'db' | 'rest';
    readonly name: string;
    readonly outbox?: object | undefined;
  }[],
): TimersPlan {
  const triggers = operations.flatMap(({ name, fileName, triggers }) =>
    triggers.map((trigger) => ({ ...trigger, operation: name, fileName })),
  );
  if (triggers.length === 0) return { kind: 'none', jobs: [], ledger: undefined };
  const names = jobNames(triggers);
  const jobs = triggers.flatMap(({ operation, trigger, cron, timezone }, index): CronJobPlan[] => {
    const schedule = cronJobSchedule(cron);
    // Such a name cannot be passed to a process.
    if (schedule === undefined || /[\0\p{Cs}]/u.test(operation)) return [];
    return [{ name: names[index] ?? '', operation, trigger, schedule, timezone: timezone ?? 'Etc/UTC' }];
  });
  // Repetitions of an outbox are sent by processes that run timers.
  const isInPods = datasources.some(({ outbox }) => outbox !== undefined);
  if (jobs.length === triggers.length && !isInPods) return { kind: 'cron jobs', jobs, ledger: undefined };
  const ledger = datasources.find(({ type }) => type === 'db')?.name;
  return { kind: ledger === undefined ? 'one pod' : 'ledger', jobs: [], ledger };
}

/** The length of a name without the longest hash that `uniqueNames` adds, unless somebody provokes collisions. */
const longestSlug = 31;

function jobNames(
  triggers: readonly { readonly operation: string; readonly trigger: string; readonly fileName: string }[],
): string[] {
  const texts = triggers.map(({ operation, trigger }) => JSON.stringify([operation, trigger]));
  const slugs = triggers.map(({ trigger, fileName }) =>
    `${fileName}-${fileSlug(trigger)}`.slice(0, longestSlug).replace(/-{1,31}$/, ''),
  );
  return uniqueNames(slugs, texts, [], '-');
}
