/** Checks `together`: whether there are requests that can be sent at the same time, and whether they have effects. */
import {
  hasEffect,
  requestGroups,
  separationText,
  type RequestGroup,
  type TogetherSite,
} from '../../../operations/requests/together.js';
import type { LoopFulfillment, Operation } from '../../../../read/config/config-model.js';
import { error, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../../rule.js';

/** Reports `together` without requests that can be sent at the same time, or only requests with effects. */
export const togetherUnused = rule(
  {
    'together-unused': warning({ reason: 'sentence' }, (p: { reason: string; isSeparated: boolean }) => ({
      message: `'together' has no effect: ${p.reason}.`,
      hint: p.isSeparated
        ? "Put requests that read nothing of each other one directly after the other, or remove 'together'."
        : "Remove 'together'.",
    })),
    'together-with-effects': error({ name: 'text' }, (p: { name: string }) => ({
      message: `'together: true' is for GET and HEAD of READs, but '${p.name}' may change something.`,
      hint: "Write 'together: effects' if a request may be sent although an earlier one fails; otherwise remove 'together'.",
    })),
  },
  ({ analysis, report }) => {
    const check = (owner: Operation | LoopFulfillment, operation: Operation): void => {
      const span = owner.fields.get('together');
      if (span === undefined || owner.together === undefined) return;
      const site: TogetherSite = {
        ...{ operation, fulfillments: owner.fulfillments },
        // An unknown datasource has been reported.
        isRequest: ({ datasource }) => analysis.datasource(datasource.value)?.type !== 'db',
      };
      if (hasGroup(requestGroups(site, owner.together === 'effects'))) return;
      const groups = requestGroups(site, true);
      const effect = groups.find(isGroup)?.fulfillments.find(hasEffect);
      if (effect !== undefined) {
        report('together-with-effects', span, { name: effect.name.value });
        return;
      }
      const [, second] = groups;
      report('together-unused', span, {
        reason: (second && separationText(second)) ?? reasonOf(groups, operation),
        isSeparated: second !== undefined,
      });
    };
    return {
      operation: (operation) => {
        check(operation, operation);
      },
      fulfillment: (fulfillment, { operation }) => {
        if (fulfillment.type === 'LOOP') check(fulfillment, operation);
      },
    };
  },
);

function hasGroup(groups: readonly RequestGroup[]): boolean {
  return groups.some(isGroup);
}

function isGroup({ fulfillments }: RequestGroup): boolean {
  return fulfillments.length > 1;
}

/** Why there are no two requests that could be sent at the same time. */
function reasonOf([only]: readonly RequestGroup[], { syntax }: Operation): string {
  if (syntax === 'B') return 'operations in Syntax B send no requests to third parties';
  const [one] = only?.fulfillments ?? [];
  return one === undefined
    ? 'no fulfillment here sends a request to a third party'
    : `only '${one.name.value}' sends a request to a third party here`;
}
