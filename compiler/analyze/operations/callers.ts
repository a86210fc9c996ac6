/** Operations that start without a caller, or may do so (extensions 12.3). */
import type { Operation } from '../../read/config/config-model.js';
import { acceptedBy } from './accepted.js';
import type { Analysis } from './analysis.js';

export interface StartWithoutCaller {
  readonly operation: Operation;
  /** In a sentence. */
  readonly reason: string;
  /** Others of its callers have logged in. */
  readonly isOptional: boolean;
}

/** In the order of the file, those first that never have a caller. */
export function withoutCaller({ config }: Analysis): StartWithoutCaller[] {
  const finding = new Map(
    config.authentications.flatMap(({ name, operation }) =>
      operation === undefined ? [] : [[operation.value, name.value] as const],
    ),
  );
  const found = config.operations.flatMap((operation): StartWithoutCaller[] => {
    const name = operation.name.value;
    const of = (reason: string, isOptional = false) => ({ operation, reason, isOptional });
    const authentication = finding.get(name);
    if (authentication !== undefined) return [of(`'${name}' finds the caller of '${authentication}'`)];
    if (operation.triggers.length > 0) return [of(`'${name}' is timed`)];
    if (operation.endpoint === undefined) return [];
    const accepted = acceptedBy(operation, config);
    if (accepted?.length === 0) return [of(`'${name}' accepts no credentials`)];
    return accepted?.some((one) => one.isOptional) === true ? [of(`'${name}' is open`, true)] : [];
  });
  return found.sort((a, b) => Number(a.isOptional) - Number(b.isOptional));
}
