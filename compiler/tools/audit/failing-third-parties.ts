/** Failing third parties: loops that a failure ends, and repeated requests that are refused because the first attempt succeeded. */
import {
  allSteps,
  retryOf,
  type ServiceView,
  type ViewedOperation,
  type ViewedStep,
} from '../explain/service-view.js';
import type { RequestPlan } from '../../generate/plan/requests/request-plan.js';
import type { Risk } from './risk.js';

export function failingThirdParties(view: ServiceView): Risk[] {
  return view.operations.flatMap((operation) =>
    allSteps(operation).flatMap(({ viewed, loops }) => [
      ...(loops.length === 0 ? [] : endsLoop(viewed, operation, view)),
      ...repeatedChanges(viewed, view),
    ]),
  );
}

/** A loop that sends requests: an unresponsive third party ends it at the same element in every run. */
function endsLoop(viewed: ViewedStep, { plan }: ViewedOperation, view: ServiceView): Risk[] {
  if (viewed.kind !== 'data' && viewed.kind !== 'reference') return [];
  if (viewed.step.continues) return [];
  const isTimed = plan.triggers.length > 0;
  const isMeant = viewed.kind === 'data' ? sends(viewed, isTimed) : callSends(viewed, isTimed, view);
  if (!isMeant) return [];
  const { name } = viewed.checked.written;
  return [
    {
      ...{ rule: 'failure-ends-loop', severity: 'medium', span: name.span },
      message: `If the third party does not respond to '${name.value}', the loop ends: nothing is sent for the remaining elements.`,
      hint: "Write 'onFailure: continue', and record each failure: STATUS is then null or the status of the response.",
    },
  ];
}

/** In a timed run, reads count as well, because no client can repeat the request. */
function sends({ checked, step }: ViewedStep & { readonly kind: 'data' }, isTimed: boolean): boolean {
  return (
    step.choices.some(({ action }) => action.kind !== 'statement' && !action.isDelivered) &&
    (isTimed || checked.written.type === 'UPDATE')
  );
}

function callSends(
  { step }: ViewedStep & { readonly kind: 'reference' },
  isTimed: boolean,
  view: ServiceView,
): boolean {
  return allSteps(view.called(step.called.name)).some(
    ({ viewed }) => viewed.kind === 'data' && !viewed.step.continues && sends(viewed, isTimed),
  );
}

/** A PUT or DELETE is repeated although the first attempt may have succeeded; the second one then gets the status of an existing change. */
function repeatedChanges(viewed: ViewedStep, view: ServiceView): Risk[] {
  if (viewed.kind !== 'data') return [];
  const { name } = viewed.checked.written;
  return viewed.step.choices.flatMap(({ action }): Risk | [] => {
    if (action.kind !== 'request' || action.withStatus) return [];
    const isRepeated = action.isDelivered || (retryOf(action, view)?.times ?? 0) > 0;
    if (!isRepeated) return [];
    if (!action.isDelivered && (action.method === 'PUT' || action.method === 'DELETE'))
      return {
        ...{ rule: 'repeated-change', severity: 'low', span: name.span },
        message: `'${name.value}' is repeated after a failure: if the first ${action.method} succeeded, the second one is refused (404, 409, 412), and the operation ends with 502.`,
        hint: `Read STATUS(${name.value}), and accept the statuses of a repeated ${action.method}.`,
      };
    if (!hasConstantKey(action)) return [];
    return {
      ...{ rule: 'repeated-change', severity: 'medium', span: name.span },
      message: `'${name.value}' has the same Idempotency-Key in every call: an API that supports the header ignores every call after the first.`,
      hint: 'Write a key that differs for each effect: the key of the row that is sent, or UUID().',
    };
  });
}

function hasConstantKey({ header }: RequestPlan): boolean {
  return header.some(
    ({ name, value }) =>
      name.toLowerCase() === 'idempotency-key' &&
      value.every((part) => typeof part === 'string' || part.kind === 'text' || part.kind === 'number'),
  );
}
