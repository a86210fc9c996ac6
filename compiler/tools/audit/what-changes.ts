/** Steps of an operation that change something, including those of called operations. */
import { overCalls } from '../explain/over-calls.js';
import {
  allSteps,
  type ServiceView,
  type ViewedOperation,
  type ViewedStep,
} from '../explain/service-view.js';
import { changesRows } from '../../read/sql/facts/verb.js';

/** A step that changes something, and whether one call may run it several times. */
export interface ChangingStep {
  readonly operation: ViewedOperation;
  readonly step: ViewedStep & { readonly kind: 'data' };
  readonly kind: 'database' | 'third party';
  readonly isRepeated: boolean;
}

/** The steps in order. A step reached by several calls is listed at most twice, and at most twice more if repeated in a loop. */
export function changingSteps(operation: ViewedOperation, view: ServiceView): ChangingStep[] {
  // A cycle of calls does not lead to further changes.
  const changesOf = overCalls<boolean, ChangingStep[]>([], (one, isInLoop, ask) =>
    atMostTwice(
      allSteps(one).flatMap(({ viewed, loops }): ChangingStep[] => {
        const isRepeated = isInLoop || loops.length > 0;
        // An operation called after the commit makes changes for the same caller.
        if (viewed.kind === 'reference' || viewed.kind === 'deferred')
          return ask(view.called(viewed.step.called.name), isRepeated);
        const kind = changeOf(viewed);
        return viewed.kind !== 'data' || kind === undefined
          ? []
          : [{ operation: one, step: viewed, kind, isRepeated }];
      }),
    ),
  );
  return changesOf(operation, false);
}

/** Keeps at most two entries per step, because the number of call paths grows exponentially with depth. */
function atMostTwice(changes: readonly ChangingStep[]): ChangingStep[] {
  const once = new Set<ChangingStep>();
  const twice = new Set<ChangingStep>();
  return changes.filter((change) => {
    const isNew = !twice.has(change);
    (once.has(change) ? twice : once).add(change);
    return isNew;
  });
}

/** A READ that calls unknown functions may also change data, but is assumed not to. */
function changeOf(viewed: ViewedStep): ChangingStep['kind'] | undefined {
  if (viewed.kind !== 'data') return undefined;
  const actions = viewed.step.choices.map(({ action }) => action);
  const sends = actions.some(
    (action) =>
      action.kind === 'message' ||
      (action.kind === 'request' && action.method !== 'GET' && action.method !== 'HEAD'),
  );
  if (sends) return 'third party';
  const stores = actions.some(
    (action) => action.kind === 'statement' && (action.use === 'UPDATE' || changesRows(action.sql.verb)),
  );
  return stores ? 'database' : undefined;
}

/** Quoted names of the steps that wait for third parties, including those of called operations. */
export function requestsOf(operation: ViewedOperation, view: ServiceView): readonly string[] {
  const namesOf = overCalls<null, readonly string[]>([], (one, context, ask) => {
    const names = allSteps(one).flatMap(({ viewed }): readonly string[] => {
      if (viewed.kind === 'reference') return ask(view.called(viewed.step.called.name), context);
      const isRequest =
        viewed.kind === 'data' && viewed.step.choices.some(({ action }) => action.kind !== 'statement');
      return isRequest ? [`'${viewed.checked.written.name.value}'`] : [];
    });
    return [...new Set(names)];
  });
  return namesOf(operation, null);
}
