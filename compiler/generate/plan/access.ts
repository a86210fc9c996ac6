/** Who may call which operation (decisions 9.4). */
import type { Config } from '../../read/config/config-model.js';

export interface AuthenticationPlan {
  readonly name: string;
  readonly identifier: string;
}

/** `all` where the operation names none itself; else those that it names, and none means that it is open. */
export type AccessPlan = 'all' | readonly AuthenticationPlan[];

/** By the names of the operations that handle requests; empty if no authentication is configured. */
export function accessTo(
  { operations }: Config,
  authentications: readonly AuthenticationPlan[],
): ReadonlyMap<string, AccessPlan> {
  if (authentications.length === 0) return new Map();
  return new Map(
    operations
      .filter(({ endpoint }) => endpoint !== undefined)
      .map(({ name, authentications: named }): [string, AccessPlan] => [
        name.value,
        named === undefined
          ? 'all'
          : authentications.filter((known) => named.some(({ value }) => value === known.name)),
      ]),
  );
}
