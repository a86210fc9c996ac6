/** Mails that anybody can have sent, and links in mails whose host a client chooses. */
import { isOpen } from '../../analyze/operations/authentications/accepted.js';
import type { Operation } from '../../read/config/config-model.js';
import { allFulfillments, deferredIn, expressionsOfMessage, messagesOf } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { nodesIn } from '../../read/expression/visit.js';
import type { ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';

export function mailRisks(view: ServiceView): Risk[] {
  return view.operations.flatMap(({ checked: { operation } }) => [
    ...hostsInMails(operation),
    ...openMails(operation, view),
  ]);
}

/** Headers that a client or a proxy sets, by which links to the service are often made. */
const hostHeaders: ReadonlySet<string> = new Set(['host', 'x-forwarded-host', 'origin', 'referer']);

function hostsInMails({ fulfillments }: Operation): Risk[] {
  return allFulfillments(fulfillments)
    .flatMap(({ fulfillment }) => messagesOf(fulfillment))
    .flatMap((message) => expressionsOfMessage(message).flatMap((one) => nodesIn(one)))
    .filter(isHost)
    .map(({ span, name }) => ({
      ...{ rule: 'host-in-mail', severity: 'high', span },
      message: `This mail has the header ${name}, which the client chooses: the links of the mail can then point to another service, which receives their tokens.`,
      hint: 'Write ENV(APP_URL), and set the variable to the address of the service.',
    }));
}

function isHost(node: Expression): node is Extract<Expression, { readonly kind: 'sent' }> {
  return node.kind === 'sent' && node.place === 'header' && hostHeaders.has(node.name.toLowerCase());
}

/** Operations for everybody that send mails, also by calls of other operations, without a limit on the number of requests. */
function openMails(operation: Operation, { plan, analysis }: ServiceView): Risk[] {
  const { name, endpoint, limits } = operation;
  if (endpoint === undefined || !isOpen(plan.access.get(name.value) ?? [])) return [];
  if (limits.length > 0 || analysis.config.settings.limits.length > 0) return [];
  const reached = new Set(analysis.withCalled(operation));
  // Iterating over a Set also visits operations that are added during the loop.
  for (const one of reached)
    for (const { operationName } of deferredIn(one.fulfillments)) {
      const called = analysis.operation(operationName.value);
      if (called !== undefined) for (const inner of analysis.withCalled(called)) reached.add(inner);
    }
  const sends = [...reached].some(({ fulfillments }) =>
    allFulfillments(fulfillments).some(({ fulfillment }) => messagesOf(fulfillment).length > 0),
  );
  if (!sends) return [];
  return [
    {
      ...{ rule: 'open-mail', severity: 'medium', span: name.span },
      message: `Everybody can have mails sent with '${name.value}', as many as the service responds to.`,
      hint: 'Write limits: [{ by: ADDRESS(), times: 10, within: 1h }], and a second one by the address of the recipient.',
    },
  ];
}
