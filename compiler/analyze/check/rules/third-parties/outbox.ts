/** Checks requests that are stored and sent after the commit (docs/design/outbox.md). */
import { asThirdParty, type Datasource, type Request } from '../../../../read/config/config-model.js';
import { allFulfillments, deliveredRequests, leavesOf } from '../../../../read/config/walk.js';
import { error, meantOr, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../../read/diagnostics/quoted-list.js';
import { nearest } from '../../../../read/diagnostics/suggest.js';
import type { Expression } from '../../../../read/expression/ast.js';
import type { Span } from '../../../../read/source.js';
import { rule } from '../../rule.js';
import type { Analysis } from '../../../operations/analysis.js';
import { nodesIn } from '../../../../read/expression/visit.js';
import { words } from '../../../../read/diagnostics/marks.js';

/** Reports `outbox` of a datasource that does not name a database. */
export const outboxNotDatabase = rule(
  {
    'outbox-not-database': error(
      { name: 'text', nearest: 'suggestion', databases: 'text' },
      (p: { name: string; nearest: string | undefined; databases: string[] }) => ({
        message: `'${p.name}' is not a database, so no request can be stored in it.`,
        ...meantOr(
          p.nearest,
          p.databases.length === 0
            ? 'Add a datasource with type: db, and write its name.'
            : `Write ${quotedList(p.databases)}.`,
        ),
      }),
    ),
  },
  ({ analysis, report }) => ({
    datasource: (datasource) => {
      const outbox = asThirdParty(datasource)?.outbox;
      if (outbox === undefined || isDatabase(outbox.value, analysis)) return;
      const databases = analysis.config.datasources.flatMap(({ name, type }) =>
        type === 'db' ? [name.value] : [],
      );
      const { value: name, span } = outbox;
      report('outbox-not-database', span, { name, nearest: nearest(name, databases), databases });
    },
  }),
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
    'delivery-outside-transaction': error(
      { operation: 'text' },
      (p: { operation: string; isCalled: boolean }) => ({
        message: p.isCalled
          ? `'${p.operation}' can run outside a transaction, so this request has no commit to wait for.`
          : `'${p.operation}' has no transaction, so this request has no commit to wait for.`,
        hint: p.isCalled
          ? `Write 'transaction: true' in '${p.operation}', or in each operation that calls it.`
          : `Write 'transaction: true' in '${p.operation}'.`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    request: (request, { operation, datasource }) => {
      const span = deliverySpan(request);
      if (span === undefined) return;
      // An unknown datasource type has been reported.
      if (datasource.type !== undefined && asThirdParty(datasource)?.outbox === undefined) {
        const example = analysis.config.datasources.find(({ type }) => type === 'db')?.name.value;
        report('delivery-without-outbox', span, { datasource: datasource.name.value, example });
      }
      if (analysis.outsideTransactions.has(operation)) {
        const name = operation.name.value;
        const isCalled = analysis.called.has(name);
        report('delivery-outside-transaction', span, { operation: name, isCalled });
      }
    },
  }),
);

/** Reports a transaction that changes one database but stores its requests in another one. */
export const outboxBesideChange = rule(
  {
    'outbox-beside-change': warning(
      { outbox: 'text', changed: 'text' },
      (p: { outbox: string; changed: string }) => ({
        message: `The change is in '${p.changed}', and the request is stored in '${p.outbox}': they are committed one after the other.`,
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
        if (!('datasource' in fulfillment)) continue;
        const outbox = asThirdParty(analysis.datasource(fulfillment.datasource.value))?.outbox?.value;
        if (outbox === undefined || changed.has(outbox) || !isDatabase(outbox, analysis)) continue;
        for (const request of deliveredRequests(fulfillment)) {
          const span = deliverySpan(request);
          if (span !== undefined) report('outbox-beside-change', span, { outbox, changed: only });
        }
      }
    },
  }),
);

/** Reports values that must not be stored: secrets of the service and its callers, and files. */
export const secretInDelivery = rule(
  {
    'secret-in-delivery': error({ written: 'text' }, (p: { written: string; isFile: boolean }) => ({
      message: `${p.written} would be stored in the database until this request is sent.`,
      hint: p.isFile
        ? "Store the file yourself, and send where it is; or remove 'deliver: afterCommit'."
        : "Move it to the 'header', 'password' or 'signature' of the datasource: what a datasource adds is added when the request is sent.",
    })),
  },
  ({ report }) => ({
    request: (request) => {
      if (!request.isDelivered) return;
      for (const { name } of request.header) {
        if (secretHeaders.has(name.value.toLowerCase()))
          report('secret-in-delivery', name.span, { written: `The header ${name.value}`, isFile: false });
      }
      if (request.signature !== undefined) {
        const span = request.fields.get('signature') ?? request.httpType.span;
        report('secret-in-delivery', span, { written: 'The secret of this signature', isFile: false });
      }
      for (const { value } of request.multipart) {
        if (value.kind === 'multipart-file')
          report('secret-in-delivery', value.span, {
            written: `MULTIPART_FILE(${value.part})`,
            isFile: true,
          });
      }
      for (const node of expressionsOf(request).flatMap((expression) => nodesIn(expression))) {
        if (node.kind === 'variable')
          report('secret-in-delivery', node.span, { written: `ENV(${node.name})`, isFile: false });
        if (node.kind === 'sent' && node.place === 'header' && secretHeaders.has(node.name.toLowerCase()))
          report('secret-in-delivery', node.span, { written: `HEADER(${node.name})`, isFile: false });
      }
    },
  }),
);

const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** Reports reads of the result of a request that is sent after the operation has ended. */
export const deliveryResult = rule(
  {
    'delivery-result': error({ name: 'text' }, (p: { name: string }) => ({
      message: `'${p.name}' has no result: its request is sent after the commit.`,
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
      if (fulfillment?.type === 'UPDATE' && deliveredRequests(fulfillment).length > 0)
        report('delivery-result', node.nameSpan, { name: node.name });
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
      { field: words('retry', 'onFailure', 'key', 'pages') },
      (p: { field: 'retry' | 'onFailure' | 'key' | 'pages' }) => ({
        message: fieldMessages[p.field],
        hint:
          p.field === 'key'
            ? "Write 'deliver: afterCommit', or remove 'key'. The header that makes a repeated request harmless is 'idempotencyKey'."
            : `Remove '${p.field}'.`,
      }),
    ),
  },
  ({ report }) => ({
    request: ({ isDelivered, fields }, { fulfillment }) => {
      const [key, retry, pages] = [fields.get('key'), fields.get('retry'), fields.get('pages')];
      const onFailure = fulfillment.fields.get('onFailure');
      // Any other value than `afterCommit` has been reported.
      if (key !== undefined && !fields.has('deliver')) report('field-of-delivery', key, { field: 'key' });
      if (!isDelivered) return;
      if (pages !== undefined) report('field-of-delivery', pages, { field: 'pages' });
      if (retry !== undefined) report('field-of-delivery', retry, { field: 'retry' });
      if (onFailure !== undefined) report('field-of-delivery', onFailure, { field: 'onFailure' });
    },
  }),
);

const fieldMessages = {
  retry: 'A request that is sent after the commit is repeated for three days, whatever its retry is.',
  pages: 'A request that is sent after the commit has no result, so it cannot have pages.',
  onFailure: 'A request that is sent after the commit does not fail in the operation.',
  key: "'key' sets the order of requests that are sent after the commit, but this one is sent immediately.",
};

function deliverySpan({ isDelivered, fields }: Request): Span | undefined {
  return isDelivered ? fields.get('deliver') : undefined;
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
