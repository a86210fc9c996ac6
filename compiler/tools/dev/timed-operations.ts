/** Timed operations of a service, as listed on the test page of `apikiln dev`. */
export interface TimedOperation {
  readonly name: string;
  /** Name, schedule and time zone of each trigger. */
  readonly triggers: readonly string[];
}

/** The parts of an operation's plan that describe its triggers. */
interface PlannedOperation {
  readonly name: string;
  readonly triggers: readonly {
    readonly trigger: string;
    readonly cron: string;
    readonly timezone?: string | undefined;
  }[];
}

export function timedOperations(operations: readonly PlannedOperation[]): TimedOperation[] {
  return operations.map(({ name, triggers }) => ({
    name,
    triggers: triggers.map(
      ({ trigger, cron, timezone }) => `${trigger} (${cron}${timezone === undefined ? '' : `, ${timezone}`})`,
    ),
  }));
}
