/** The secrets that operations make, followed through the parameters of calls, which are made immediately or after a commit. */
import type { Operation } from '../../../read/config/config-model.js';
import { allFulfillments } from '../../../read/config/walk.js';
import { MadeSecrets, type IsMade } from './made-secrets.js';

/** `operations` contains all callers. `isMade`: the values that are searched; by default results of RANDOM, HASH and TOKEN. */
export function passedSecrets(operations: readonly Operation[], isMade?: IsMade): MadeSecrets {
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  /** The parameters that are being followed. */
  const open = new Set<string>();
  const secrets = new MadeSecrets((name) => byName.get(name), isMade, isPassed);
  return secrets;

  function isPassed(parameter: string, { name }: Operation): boolean {
    const key = JSON.stringify([name.value, parameter]);
    // An operation that calls itself adds nothing to its own parameters.
    if (open.has(key)) return false;
    open.add(key);
    const isFound = operations.some((caller) =>
      allFulfillments(caller.fulfillments).some(
        ({ fulfillment }) =>
          (fulfillment.type === 'REFERENCE' || fulfillment.type === 'DEFERRED') &&
          fulfillment.operationName.value === name.value &&
          fulfillment.parameters.some(
            (passed) => passed.name.value === parameter && secrets.isInSchema(passed.value, caller),
          ),
      ),
    );
    open.delete(key);
    return isFound;
  }
}
