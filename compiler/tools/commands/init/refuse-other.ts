/** Aborts `init` if the generated configuration differs from the intended one. */
import { differenceIn, unreadableIn, type Meant } from '../../init/as-meant.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';

/** Throws a CommandError with the first difference. */
export function refuseOther(config: string, meant: Meant): void {
  refuse(differenceIn(config, meant));
}

/** Like `refuseOther`, for a configuration without foreign text. */
export function refuseUnreadable(config: string): void {
  refuse(unreadableIn(config));
}

function refuse(difference: string | undefined): void {
  if (difference !== undefined)
    throw new CommandError(
      exitStatus.errors,
      `Nothing was written, because config.yaml would have another meaning than intended: ${difference}.`,
    );
}
