/** The operations of a service that timers run, as the test page of `apikiln dev` lists them. */
export interface TimedOperation {
  readonly name: string;
  /** Name, schedule and time zone of each trigger. */
  readonly triggers: readonly string[];
}

/** An operation in its plan. */
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
