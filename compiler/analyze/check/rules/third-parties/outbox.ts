/** Checks requests, mails and calls that are stored, and made after the commit (docs/design/outbox.md). */
import {
  outboxFieldOf,
  type Datasource,
  type Message,
  type Operation,
  type Request,
} from '../../../../read/config/config-model.js';
import {
  allFulfillments,
  deferredIn,
  deliveredRequests,
  expressionsOfMessage,
  leavesOf,
  messagesOf,
  referencesOf,
} from '../../../../read/config/walk.js';
import { error, meantOr, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../../read/diagnostics/quoted-list.js';
import { nearest } from '../../../../read/diagnostics/suggest.js';
import type { Expression } from '../../../../read/expression/ast.js';
import { printExpression } from '../../../../read/expression/print-expression.js';
import type { Span, WithSpan } from '../../../../read/source.js';
import { rule, type MessageSite } from '../../rule.js';
import type { Analysis } from '../../../operations/analysis.js';
import { readsCredential } from '../../../operations/authentications/reads-credential.js';
import { outboxOf } from '../../../operations/outbox-of.js';
import { nodesIn } from '../../../../read/expression/visit.js';
import { words } from '../../../../read/diagnostics/marks.js';

/** Reports `outbox` of a datasource that does not name a database. */
export const outboxNotDatabase = rule(
  {
    'outbox-not-database': error(
      { name: 'text', nearest: 'suggestion', databases: 'text' },
      (p: { name: string; nearest: string | undefined; databases: string[] }) => ({
        message: `'${p.name}' is not a database, so nothing can be stored in it.`,
        ...meantOr(
          p.nearest,
          p.databases.length === 0
            ? 'Add a datasource with type: db, and write its name.'
            : `Write ${quotedList(p.databases)}.`,
        ),
      }),
    ),
  },
  ({ analysis, report }) => {
    const check = (outbox: WithSpan<string> | undefined): void => {
      if (outbox === undefined || isDatabase(outbox.value, analysis)) return;
      const databases = databasesIn(analysis);
      const { value: name, span } = outbox;
      report('outbox-not-database', span, { name, nearest: nearest(name, databases), databases });
    };
    return {
      datasource: (datasource) => {
        check(outboxFieldOf(datasource));
      },
      fulfillment: (fulfillment) => {
        if (fulfillment.type === 'DEFERRED') check(fulfillment.outbox);
      },
    };
  },
);

/** Reports `deliver` without a database that can store the request, or without a later commit. */
export const deliveryWithoutOutbox = rule(
  {
    'delivery-without-outbox': error(
      { datasource: 'text', example: 'word' },
      (p: { datasource: string; example: string | undefined }) => ({
        message: `The datasource '${p.datasource}' has no outbox that stores this request until the commit.`,
        hint: `Write 'outbox: ${p.example ?? '<database>'}' in the datasource '${p.datasource}'.`,
      }),
    ),
    'call-without-outbox': error({ databases: 'text' }, (p: { databases: readonly string[] }) => ({
      message:
        p.databases.length === 0
          ? 'There is no database that stores this call until the commit.'
          : `Several databases could store this call until the commit: ${quotedList(p.databases)}.`,
      hint:
        p.databases.length === 0
          ? 'Add a datasource with type: db.'
          : `Write one of them: outbox: ${p.databases[0] ?? ''}.`,
    })),
    'delivery-outside-transaction': error(
      { operation: 'text' },
      (p: { operation: string; isCalled: boolean; isCall: boolean }) => ({
        message: p.isCalled
          ? `'${p.operation}' can run outside a transaction, so this ${nounOf(p)} has no commit to wait for.`
          : `'${p.operation}' has no transaction, so this ${nounOf(p)} has no commit to wait for.`,
        hint: p.isCalled
          ? `Write 'transaction: true' in '${p.operation}', or in each operation that calls it.`
          : `Write 'transaction: true' in '${p.operation}'.`,
      }),
    ),
  },
  ({ analysis, report }) => {
    const checkTransaction = (operation: Operation, span: Span, isCall: boolean): void => {
      if (!analysis.outsideTransactions.has(operation)) return;
      const name = operation.name.value;
      const isCalled = analysis.called.has(name);
      report('delivery-outside-transaction', span, { operation: name, isCalled, isCall });
    };
    const checkDelivered = (delivered: Request | Message, { operation, datasource }: MessageSite): void => {
      const span = deliverySpan(delivered);
      if (span === undefined) return;
      // An unknown datasource type has been reported.
      if (datasource.type !== undefined && outboxFieldOf(datasource) === undefined) {
        const example = analysis.config.datasources.find(({ type }) => type === 'db')?.name.value;
        report('delivery-without-outbox', span, { datasource: datasource.name.value, example });
      }
      checkTransaction(operation, span, false);
    };
    return {
      fulfillment: (fulfillment, { operation }) => {
        const span = fulfillment.type === 'DEFERRED' ? fulfillment.fields.get('deliver') : undefined;
        if (fulfillment.type !== 'DEFERRED' || span === undefined) return;
        // An unknown name has been reported.
        if (fulfillment.outbox === undefined && outboxOf(fulfillment, analysis.config) === undefined)
          report('call-without-outbox', span, { databases: databasesIn(analysis) });
        checkTransaction(operation, span, true);
      },
      request: checkDelivered,
      message: checkDelivered,
    };
  },
);

/** Reports a transaction that changes one database but stores its requests in another one. */
export const outboxBesideChange = rule(
  {
    'outbox-beside-change': warning(
      { outbox: 'text', changed: 'text' },
      (p: { outbox: string; changed: string; isCall: boolean }) => ({
        message: `The change is in '${p.changed}', and the ${nounOf(p)} is stored in '${p.outbox}': they are committed one after the other.`,
        hint: `Write 'outbox: ${p.changed}', so that both are committed together.`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    operationEnd: (operation) => {
      if (!operation.transaction) return;
      const called = analysis.withCalled(operation);
      const all = analysis.operations
        .filter((one) => called.has(one.operation))
        .flatMap(({ operation: { fulfillments } }) => allFulfillments(fulfillments))
        .map(({ fulfillment }) => fulfillment);
      const changed = new Set<string>();
      for (const fulfillment of all) {
        const isChange = fulfillment.type === 'UPDATE' && isDatabase(fulfillment.datasource.value, analysis);
        if (isChange) changed.add(fulfillment.datasource.value);
      }
      const [only] = changed;
      if (only === undefined) return;
      for (const fulfillment of all) {
        if (fulfillment.type === 'DEFERRED') {
          const outbox = outboxOf(fulfillment, analysis.config)?.name.value;
          const span = fulfillment.fields.get('deliver');
          if (outbox !== undefined && span !== undefined && !changed.has(outbox))
            report('outbox-beside-change', span, { outbox, changed: only, isCall: true });
        }
        if (!('datasource' in fulfillment)) continue;
        const outbox = outboxFieldOf(analysis.datasource(fulfillment.datasource.value))?.value;
        if (outbox === undefined || changed.has(outbox) || !isDatabase(outbox, analysis)) continue;
        for (const delivered of [...deliveredRequests(fulfillment), ...messagesOf(fulfillment)]) {
          const span = deliverySpan(delivered);
          if (span !== undefined)
            report('outbox-beside-change', span, { outbox, changed: only, isCall: false });
        }
      }
    },
  }),
);

/** Reports values that must not be stored: secrets of the service and its callers, and files. */
export const secretInDelivery = rule(
  {
    'secret-in-delivery': error(
      { written: 'text', kind: words('file', 'header', 'variable') },
      (p: { written: string; kind: SecretKind; isCall: boolean }) => ({
        message: `${p.written} would be stored in the database until this ${nounOf(p)} is ${p.isCall ? 'made' : 'sent'}.`,
        hint: secretHint(p.kind, p.isCall),
      }),
    ),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment, { operation }) => {
      if (fulfillment.type !== 'DEFERRED') return;
      const { authentications } = analysis.config;
      const leaves = fulfillment.parameters.flatMap(({ value }) => leavesOf(value));
      for (const node of leaves.flatMap((leaf) => nodesIn(leaf))) {
        const isCredential = node.kind === 'sent' && readsCredential(node, authentications);
        const found =
          secretOf(node) ??
          (isCredential
            ? { written: printExpression(node, operation.syntax), kind: 'header' as const }
            : undefined);
        // A file outside of a request has been reported.
        if (found !== undefined && found.kind !== 'file')
          report('secret-in-delivery', node.span, { ...found, isCall: true });
      }
    },
    request: (request) => {
      if (!request.isDelivered) return;
      for (const { name } of request.header) {
        if (secretHeaders.has(name.value.toLowerCase()))
          report('secret-in-delivery', name.span, {
            ...{ written: `The header ${name.value}`, kind: 'header', isCall: false },
          });
      }
      if (request.signature !== undefined) {
        const span = request.fields.get('signature') ?? request.httpType.span;
        report('secret-in-delivery', span, {
          ...{ written: 'The secret of this signature', kind: 'header', isCall: false },
        });
      }
      for (const node of expressionsOf(request).flatMap((expression) => nodesIn(expression))) {
        const found = secretOf(node);
        if (found !== undefined) report('secret-in-delivery', node.span, { ...found, isCall: false });
      }
    },
    message: (message) => {
      if (!message.isDelivered) return;
      for (const node of expressionsOfMessage(message).flatMap((expression) => nodesIn(expression))) {
        const found = secretOf(node);
        // Variables are part of mails, such as the address of the service.
        if (found?.kind === 'header') report('secret-in-delivery', node.span, { ...found, isCall: false });
      }
    },
  }),
);

type SecretKind = 'file' | 'header' | 'variable';

/** The secret of the service or its caller, or the file, that an expression reads. */
function secretOf(node: Expression): { readonly written: string; readonly kind: SecretKind } | undefined {
  if (node.kind === 'multipart-file') return { written: `MULTIPART_FILE(${node.part})`, kind: 'file' };
  if (node.kind === 'variable') return { written: `ENV(${node.name})`, kind: 'variable' };
  if (node.kind === 'sent' && node.place === 'header' && secretHeaders.has(node.name.toLowerCase()))
    return { written: `HEADER(${node.name})`, kind: 'header' };
  return undefined;
}

function secretHint(kind: SecretKind, isCall: boolean): string {
  if (kind === 'file')
    return "Store the file yourself, and send where it is; or remove 'deliver: afterCommit'.";
  if (!isCall)
    return "Move it to the 'header', 'password' or 'signature' of the datasource: the service adds the fields of a datasource when it sends the request.";
  return kind === 'variable'
    ? 'Read it in the called operation.'
    : 'Remove it: the called operation runs as the same caller, and reads CALLER.';
}

const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** Reports reads of the result of a request that is sent after the operation has ended. */
export const deliveryResult = rule(
  {
    'delivery-result': error({ name: 'text' }, (p: { name: string; isCall: boolean }) => ({
      message: `'${p.name}' has no result: its ${p.isCall ? 'operation is called' : 'request is sent'} after the commit.`,
      hint: "Remove 'deliver: afterCommit' to wait for the response, or read the value from its source.",
    })),
    'delivery-of-read': error(() => ({
      message: 'A READ needs the response, but this request is sent after the commit.',
      hint: "Write 'type: UPDATE', or remove 'deliver: afterCommit'.",
    })),
  },
  ({ report }) => ({
    request: (request, { fulfillment }) => {
      const span = deliverySpan(request);
      if (span !== undefined && fulfillment.type === 'READ') report('delivery-of-read', span);
    },
    node: (node, { analyzed, scope }) => {
      if (!('nameSpan' in node) || !('name' in node) || !readsResult.has(node.kind)) return;
      const fulfillment = 'index' in node ? analyzed.stored(node.name) : scope.visible.get(node.name);
      const isCall = fulfillment?.type === 'DEFERRED';
      if (isCall || (fulfillment?.type === 'UPDATE' && deliveredRequests(fulfillment).length > 0))
        report('delivery-result', node.nameSpan, { name: node.name, isCall });
    },
  }),
);

const readsResult: ReadonlySet<Expression['kind']> = new Set([
  ...(['value', 'value-by-index', 'status', 'failure', 'response-header'] as const),
  ...(['status-by-index', 'failure-by-index'] as const),
]);

/** Reports fields that are meaningless for a delivered request, and `key` of a request that is not delivered. */
export const fieldOfDelivery = rule(
  {
    'field-of-delivery': error(
      { field: words('retry', 'onFailure', 'key', 'pages', 'index', 'outbox', 'times', 'within') },
      (p: { field: FieldOfDelivery; isCall: boolean }) => ({
        message:
          p.field === 'onFailure'
            ? `A ${nounOf(p)} that is ${p.isCall ? 'made' : 'sent'} after the commit does not fail in the operation.`
            : fieldMessages[p.field],
        hint:
          p.field === 'key'
            ? "Write 'deliver: afterCommit', or remove 'key'. The header that makes a repeated request harmless is 'idempotencyKey'."
            : ofCalls.some((field) => field === p.field)
              ? `Write 'deliver: afterCommit', or remove '${p.field}'.`
              : `Remove '${p.field}'.`,
      }),
    ),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields }) => {
      // Any other value than `afterCommit` has been reported.
      if (type !== 'DEFERRED' && (type !== 'REFERENCE' || fields.has('deliver'))) return;
      for (const field of type === 'DEFERRED' ? (['onFailure', 'index'] as const) : ofCalls) {
        const span = fields.get(field);
        if (span !== undefined) report('field-of-delivery', span, { field, isCall: true });
      }
    },
    request: ({ isDelivered, fields }, { fulfillment }) => {
      const [key, retry, pages] = [fields.get('key'), fields.get('retry'), fields.get('pages')];
      const onFailure = fulfillment.fields.get('onFailure');
      // Any other value than `afterCommit` has been reported.
      if (key !== undefined && !fields.has('deliver'))
        report('field-of-delivery', key, { field: 'key', isCall: false });
      if (!isDelivered) return;
      if (pages !== undefined) report('field-of-delivery', pages, { field: 'pages', isCall: false });
      if (retry !== undefined) report('field-of-delivery', retry, { field: 'retry', isCall: false });
      if (onFailure !== undefined)
        report('field-of-delivery', onFailure, { field: 'onFailure', isCall: false });
    },
    message: ({ isDelivered }, { fulfillment }) => {
      const onFailure = fulfillment.fields.get('onFailure');
      if (isDelivered && onFailure !== undefined)
        report('field-of-delivery', onFailure, { field: 'onFailure', isCall: false });
    },
  }),
);

/** Fields of a reference that only have a meaning with `deliver`. */
const ofCalls = ['outbox', 'times', 'within'] as const;

type FieldOfDelivery = keyof typeof fieldMessages | 'onFailure';

const fieldMessages = {
  retry: 'A request that is sent after the commit is repeated for three days, whatever its retry is.',
  pages: 'A request that is sent after the commit has no result, so it cannot have pages.',
  key: "'key' sets the order of requests that are sent after the commit, but this one is sent immediately.",
  index: 'A call that is made after the commit has no result that an index could find.',
  outbox: "'outbox' stores a call until the commit, but this operation is called immediately.",
  times: "'times' limits the attempts of a call after the commit, but this operation is called immediately.",
  within:
    "'within' limits the attempts of a call after the commit, but this operation is called immediately.",
};

function deliverySpan({ isDelivered, fields }: Request | Message): Span | undefined {
  return isDelivered ? fields.get('deliver') : undefined;
}

function nounOf({ isCall }: { readonly isCall: boolean }): string {
  return isCall ? 'call' : 'request';
}

function databasesIn({ config }: Analysis): string[] {
  return config.datasources.flatMap(({ name, type }) => (type === 'db' ? [name.value] : []));
}

function isDatabase(name: string, analysis: Analysis): boolean {
  const datasource: Datasource | undefined = analysis.datasource(name);
  return datasource?.type === 'db';
}

function expressionsOf({ url, header, body, multipart, key }: Request): Expression[] {
  const templates = [url, ...header].filter((one) => one !== undefined).map(({ value }) => value);
  return [
    ...templates.flat().filter((part): part is Expression => typeof part !== 'string'),
    ...(body === undefined ? [] : leavesOf(body)),
    ...multipart.map(({ value }) => value),
    ...(key === undefined ? [] : [key]),
  ];
}

/** Reports values of the request in an operation that is only called after a commit, when there is no request. */
export const nullAfterCommit = rule(
  {
    'null-after-commit': warning(
      { written: 'text', operation: 'text', passed: 'text' },
      (p: { written: string; operation: string; passed: string | undefined }) => ({
        message: `${p.written} is always null in '${p.operation}', which is only called after a commit.`,
        hint:
          p.passed === undefined
            ? 'Pass the value as a parameter, and read it with PARAM.'
            : `Pass it: parameters: { ${p.passed}: <expression> }.`,
      }),
    ),
  },
  ({ analysis, report }) => {
    const now = new Set(
      analysis.config.operations.flatMap(referencesOf).map(({ operationName }) => operationName.value),
    );
    const passed = new Map<string, Set<string>>();
    for (const { fulfillments } of analysis.config.operations)
      for (const { operationName, parameters } of deferredIn(fulfillments)) {
        const names = passed.get(operationName.value) ?? new Set();
        for (const { name } of parameters) names.add(name.value);
        passed.set(operationName.value, names);
      }
    return {
      node: (node, { operation }) => {
        const { name, endpoint, triggers, syntax } = operation;
        const names = passed.get(name.value);
        if (names === undefined || endpoint !== undefined || triggers.length > 0 || now.has(name.value))
          return;
        if (!ofRequest.has(node.kind)) return;
        const parameter = node.kind === 'param' ? node.name : node.kind === 'body' ? 'body' : undefined;
        if (parameter !== undefined && names.has(parameter)) return;
        const written = printExpression(node, syntax);
        report('null-after-commit', node.span, { written, operation: name.value, passed: parameter });
      },
    };
  },
);

const ofRequest: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  ...(['param', 'body', 'sent', 'address', 'multipart-file'] as const),
]);
