/** The requests of operations and loops with `together` that are not sent with the preceding request, and the reasons. */
import {
  requestGroups,
  separationText,
  type TogetherSite,
} from '../../analyze/operations/requests/together.js';
import type { LoopFulfillment, Operation } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import type { ExplainedOverlap } from './explained.js';
import type { ServiceView, ViewedOperation } from './service-view.js';

export function separatedRequests(
  { checked: { operation } }: ViewedOperation,
  { thirdParties, plan: { debug } }: ServiceView,
): ExplainedOverlap[] {
  const names = new Set(thirdParties.map(({ name }) => name));
  const isRequest: TogetherSite['isRequest'] = ({ datasource }) => names.has(datasource.value);
  const loops = allFulfillments(operation.fulfillments).flatMap(({ fulfillment }) =>
    fulfillment.type === 'LOOP' ? [fulfillment] : [],
  );
  return [operation, ...loops].flatMap((owner: Operation | LoopFulfillment): ExplainedOverlap[] => {
    const { together, fulfillments } = owner;
    if (together === undefined) return [];
    const groups = requestGroups({ operation, fulfillments, isRequest }, together === 'effects');
    if (debug) {
      const of = groups.flatMap((group) => group.fulfillments.map(({ name }) => name.value));
      return [{ kind: 'one by one', of, text: 'traces show one request after the other' }];
    }
    return groups.flatMap((group): ExplainedOverlap[] => {
      const text = separationText(group);
      const of = group.fulfillments.map(({ name }) => name.value);
      return text === undefined ? [] : [{ kind: 'one by one', of, text }];
    });
  });
}
