/** The steps of an operation that change something, with those of the operations that it calls. */
import {
  allSteps,
  type ServiceView,
  type ViewedOperation,
  type ViewedStep,
} from '../explain/service-view.js';
import { changesRows } from '../../read/sql/facts/verb.js';

/** A step that changes something, and whether it does so several times in one call. */
export interface ChangingStep {
  readonly operation: ViewedOperation;
  readonly step: ViewedStep & { readonly kind: 'data' };
  readonly kind: 'database' | 'third party';
  readonly isRepeated: boolean;
}

export function changingSteps(operation: ViewedOperation, view: ServiceView): ChangingStep[] {
  return changesOf(operation, view, false, new Set());
}

function changesOf(
  operation: ViewedOperation,
  view: ServiceView,
  isInLoop: boolean,
  open: ReadonlySet<string>,
): ChangingStep[] {
  const { name } = operation.plan;
  // A cycle of calls changes nothing that is not found already.
  if (open.has(name)) return [];
  return allSteps(operation).flatMap(({ viewed, loops }): ChangingStep[] => {
    const isRepeated = isInLoop || loops.length > 0;
    if (viewed.kind === 'reference')
      return changesOf(view.called(viewed.step.called.name), view, isRepeated, new Set([...open, name]));
    const kind = changeOf(viewed);
    return viewed.kind !== 'data' || kind === undefined
      ? []
      : [{ operation, step: viewed, kind, isRepeated }];
  });
}

/** A READ that calls unknown functions may change something too; what is written as READ is taken for one. */
function changeOf(viewed: ViewedStep): ChangingStep['kind'] | undefined {
  if (viewed.kind !== 'data') return undefined;
  const actions = viewed.step.choices.map(({ action }) => action);
  const sends = actions.some(
    (action) => action.kind === 'request' && action.method !== 'GET' && action.method !== 'HEAD',
  );
  if (sends) return 'third party';
  const stores = actions.some(
    (action) => action.kind === 'statement' && (action.use === 'UPDATE' || changesRows(action.sql.verb)),
  );
  return stores ? 'database' : undefined;
}

/** The names, in quotes, of the steps that wait for third parties, those of called operations included. */
export function requestsOf(
  operation: ViewedOperation,
  view: ServiceView,
  open: ReadonlySet<string> = new Set(),
): string[] {
  const { name } = operation.plan;
  if (open.has(name)) return [];
  const inside = new Set([...open, name]);
  const names = allSteps(operation).flatMap(({ viewed }): string[] => {
    if (viewed.kind === 'reference') return requestsOf(view.called(viewed.step.called.name), view, inside);
    const isRequest =
      viewed.kind === 'data' && viewed.step.choices.some(({ action }) => action.kind === 'request');
    return isRequest ? [`'${viewed.checked.written.name.value}'`] : [];
  });
  return [...new Set(names)];
}
