/** How timed operations are triggered on Kubernetes. */
import type { DatasourceType } from '../../../read/config/config-model.js';
import { cronJobSchedule } from './cron-job.js';
import { fileSlug, uniqueNames } from '../names/identifiers.js';
import type { OperationPlan } from '../operation-plan.js';

/** A trigger as a CronJob. */
export interface CronJobPlan {
  /** A DNS label, short enough for the names that Kubernetes derives from it. */
  readonly name: string;
  readonly operation: string;
  readonly trigger: string;
  /** The five-field schedule. */
  readonly schedule: string;
  /** The time zone of the schedule: by default the server's, which is UTC in containers. */
  readonly timezone: string;
}

export interface TimersPlan {
  /**
   * All triggers are handled in the same way: as CronJobs if every trigger can be a CronJob; otherwise by timers in every pod that claim
   * runs in a ledger; without a database for the ledger, by timers in one pod.
   */
  readonly kind: 'none' | 'cron jobs' | 'ledger' | 'one pod';
  readonly jobs: readonly CronJobPlan[];
  /** The datasource that stores the ledger. */
  readonly ledger: string | undefined;
}

export function planTimers(
  operations: readonly OperationPlan[],
  datasources: readonly {
    readonly type: DatasourceType;
    readonly name: string;
    readonly outbox?: object | undefined;
    readonly storesCalls?: boolean;
  }[],
): TimersPlan {
  const triggers = operations.flatMap(({ name, fileName, triggers }) =>
    triggers.map((trigger) => ({ ...trigger, operation: name, fileName })),
  );
  if (triggers.length === 0) return { kind: 'none', jobs: [], ledger: undefined };
  const names = jobNames(triggers);
  const jobs = triggers.flatMap(({ operation, trigger, cron, timezone }, index): CronJobPlan[] => {
    const schedule = cronJobSchedule(cron);
    // Such a name cannot be passed as a process argument.
    if (schedule === undefined || /[\0\p{Cs}]/u.test(operation)) return [];
    return [{ name: names[index] ?? '', operation, trigger, schedule, timezone: timezone ?? 'Etc/UTC' }];
  });
  // Outbox deliveries are retried by processes that run timers.
  const isInPods = datasources.some(
    ({ outbox, storesCalls }) => outbox !== undefined || storesCalls === true,
  );
  if (jobs.length === triggers.length && !isInPods) return { kind: 'cron jobs', jobs, ledger: undefined };
  const ledger = datasources.find(({ type }) => type === 'db')?.name;
  return { kind: ledger === undefined ? 'one pod' : 'ledger', jobs: [], ledger };
}

/**
 * Max length of a slug, leaving room for the hash that `uniqueNames` may append (its longest hashes only occur if collisions are provoked).
 */
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
