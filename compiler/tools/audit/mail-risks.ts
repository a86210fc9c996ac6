/** Mails that anybody can have sent, texts of anybody in mails, and links in mails whose host a client chooses. */
import { isOpen } from '../../analyze/operations/authentications/accepted.js';
import type { MadeSecrets } from '../../analyze/operations/secrets/made-secrets.js';
import { passedSecrets } from '../../analyze/operations/secrets/passed-secrets.js';
import type { Message, Operation } from '../../read/config/config-model.js';
import { allFulfillments, deferredIn, expressionsOfMessage, messagesOf } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { nodesIn } from '../../read/expression/visit.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';

export function mailRisks(view: ServiceView): Risk[] {
  const operations = view.operations.map(({ checked: { operation } }) => operation);
  const hosts = hostHeaders.map((header) => ({
    header,
    values: passedSecrets(operations, (node) => isHeader(node, header)),
  }));
  return [
    ...operations.flatMap((operation) => [...hostsInMails(operation, hosts), ...openMails(operation, view)]),
    ...textsInMails(operations, view),
  ];
}

/** Headers that a client or a proxy sets, by which links to the service are often made. */
const hostHeaders = ['Host', 'X-Forwarded-Host', 'Origin', 'Referer'] as const;

interface Host {
  readonly header: string;
  /** The places to which its value is passed. */
  readonly values: MadeSecrets;
}

function hostsInMails(operation: Operation, hosts: readonly Host[]): Risk[] {
  return messagesIn(operation).flatMap((message) =>
    expressionsOfMessage(message).flatMap((expression) =>
      hosts.flatMap(({ header, values }): Risk | [] => {
        // The innermost node, after those that it is part of.
        const node = nodesIn(expression).findLast((one) => values.isIn(one, operation));
        if (node === undefined) return [];
        return {
          ...{ rule: 'host-in-mail', severity: 'high', span: node.span },
          message: `This mail has the header ${header}, which the client chooses: the links of the mail can then point to another service, which receives their tokens.`,
          hint: 'Write ENV(APP_URL), and set the variable to the address of the service.',
        };
      }),
    ),
  );
}

function isHeader(node: Expression, header: string): boolean {
  return node.kind === 'sent' && node.place === 'header' && node.name.toLowerCase() === header.toLowerCase();
}

function messagesIn({ fulfillments }: Operation): Message[] {
  return allFulfillments(fulfillments).flatMap(({ fulfillment }) => messagesOf(fulfillment));
}

/** Mails that anybody can have sent, to an address and with a text of the request: advertisements and traps under the name of the service. */
function textsInMails(operations: readonly Operation[], view: ServiceView): Risk[] {
  const forEverybody = new Set(
    operations.filter((one) => isForEverybody(one, view)).flatMap((one) => [...reachedBy(one, view)]),
  );
  const sent = passedSecrets(operations, (node, operation) => isSent(node, operation));
  const texts = passedSecrets(
    operations,
    (node, operation) =>
      isSent(node, operation) &&
      !hostHeaders.some((header) => isHeader(node, header)) &&
      isFreeText(node, operation, view),
  );
  return [...forEverybody].flatMap((operation) =>
    messagesIn(operation).flatMap(({ to, cc, ...content }) => {
      if (![...to, ...cc].some((address) => sent.isIn(address, operation))) return [];
      return expressionsOfMessage({ ...content, to: [], cc: [], replyTo: [] })
        .filter((expression) => texts.isIn(expression, operation))
        .slice(0, 1)
        .map(({ span }): Risk => ({
          ...{ rule: 'text-in-mail', severity: 'medium', span },
          message:
            'Everybody can have this mail sent to any address with a text of their own, such as a name that is a link: it then seems to come from the service.',
          hint: "Omit the value, or limit it in the API description, such as with pattern: '^[^/.]*$'.",
        }));
    }),
  );
}

/** Whether the value is part of a request, and not passed by a caller. */
function isSent({ kind }: Expression, { endpoint }: Operation): boolean {
  return kind === 'sent' || (endpoint !== undefined && (kind === 'param' || kind === 'body'));
}

/** Whether the API description allows more than a few forms of the value. */
function isFreeText(node: Expression, operation: Operation, { analysis }: ServiceView): boolean {
  const schemas = analysis.declared.of(node, operation, undefined);
  const isFree = ({ types, enum: values, format, bounds }: ApiSchema): boolean =>
    (types?.includes('string') ?? true) &&
    values === undefined &&
    !limitedFormats.has(format ?? '') &&
    !bounds.has('pattern');
  return schemas.length === 0 || schemas.some(isFree);
}

/** Formats of strings that are checked, and cannot have a text in them. */
const limitedFormats: ReadonlySet<string> = new Set(['uuid', 'date', 'date-time', 'time']);

/** Operations for everybody that send mails, also by calls of other operations, without a limit on the number of requests. */
function openMails(operation: Operation, view: ServiceView): Risk[] {
  const { name, limits } = operation;
  if (!isForEverybody(operation, view)) return [];
  if (limits.length > 0 || view.analysis.config.settings.limits.length > 0) return [];
  if (![...reachedBy(operation, view)].some((one) => messagesIn(one).length > 0)) return [];
  return [
    {
      ...{ rule: 'open-mail', severity: 'medium', span: name.span },
      message: `Everybody can have mails sent with '${name.value}', as many as the service responds to.`,
      hint: 'Write limits: [{ by: ADDRESS(), times: 10, within: 1h }], and a second one by the address of the recipient.',
    },
  ];
}

function isForEverybody({ name, endpoint }: Operation, { plan }: ServiceView): boolean {
  return endpoint !== undefined && isOpen(plan.access.get(name.value) ?? []);
}

/** The operation, and those that it calls, immediately or after a commit. */
function reachedBy(operation: Operation, { analysis }: ServiceView): ReadonlySet<Operation> {
  const reached = new Set(analysis.withCalled(operation));
  // Iterating over a Set also visits operations that are added during the loop.
  for (const one of reached)
    for (const { operationName } of deferredIn(one.fulfillments)) {
      const called = analysis.operation(operationName.value);
      if (called !== undefined) for (const inner of analysis.withCalled(called)) reached.add(inner);
    }
  return reached;
}
