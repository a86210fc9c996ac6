/** Checks operations with an idempotency key (docs/design/idempotency.md#idm-1). */
import type { Response } from '../../../read/config/config-model.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { words } from '../../../read/diagnostics/marks.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { bodyKind, isFileType } from '../../../read/openapi/media-type.js';
import { databasesOf } from '../../operations/idempotency.js';
import { MadeSecrets } from '../../operations/secrets/made-secrets.js';
import { rule } from '../rule.js';

/** Reports operations whose requests cannot have a key, or whose response cannot be stored with their change. */
export const idempotencyWithoutRequest = rule(
  {
    'idempotency-without-request': error(
      { operation: 'text', isRead: words('true', 'false') },
      (p: { operation: string; isRead: 'true' | 'false' }) => ({
        message:
          p.isRead === 'true'
            ? `'${p.operation}' is a GET request, which clients can repeat without a key.`
            : `'${p.operation}' is not an endpoint, so no request has a key.`,
        hint:
          p.isRead === 'true'
            ? "Remove 'idempotency'."
            : "Calls by other operations and timers have no key. Write 'idempotency' in the operation that requests call.",
      }),
    ),
    'idempotency-without-transaction': error({ operation: 'text' }, (p: { operation: string }) => ({
      message: `'${p.operation}' has no transaction that stores the response together with the change.`,
      hint: 'Write transaction: true on the operation.',
    })),
    'idempotency-database': error(
      { operation: 'text', databases: 'text' },
      (p: { operation: string; databases: readonly string[] }) =>
        p.databases.length === 0
          ? {
              message: `'${p.operation}' uses no database that could store the response.`,
              hint: 'The table of idempotency keys belongs to the database of the operation. Pass the key on if another system makes the change.',
            }
          : {
              message: `'${p.operation}' uses ${quotedList(p.databases)}, which are committed one after the other: the response could be stored although the other commit fails.`,
              hint: 'Use one database, or move the statements of the other one to an operation that is called with deliver: afterCommit.',
            },
    ),
  },
  ({ analysis, report }) => ({
    operation: (operation) => {
      const { name, endpoint, transaction, fields } = operation;
      const span = fields.get('idempotency');
      if (span === undefined) return;
      const site = { operation: name.value };
      if (endpoint === undefined || endpoint.method === 'GET') {
        const isRead = endpoint === undefined ? 'false' : 'true';
        report('idempotency-without-request', span, { ...site, isRead });
        return;
      }
      if (!transaction) report('idempotency-without-transaction', span, site);
      const databases = databasesOf(analysis.withCalled(operation), analysis.config);
      if (databases.length !== 1)
        report('idempotency-database', span, { ...site, databases: databases.map((one) => one.name.value) });
    },
  }),
);

const reasons = {
  secret: 'it has a result of RANDOM, HASH or TOKEN',
  cookie: 'it sets a cookie',
  bytes: 'its content is not text',
};

/** Reports responses that cannot be stored for repetitions. */
export const unrepeatableResponse = rule(
  {
    'unrepeatable-response': error(
      { response: 'text', reason: words('secret', 'cookie', 'bytes') },
      (p: { response: string; reason: keyof typeof reasons }) => ({
        message: `The response '${p.response}' cannot be stored for repetitions: ${reasons[p.reason]}.`,
        hint:
          p.reason === 'bytes'
            ? 'Respond with the id of the file, and send the file in a GET operation.'
            : "Secrets are not stored. Send them in another way, such as a mail with deliver: afterCommit, or remove 'idempotency'.",
      }),
    ),
  },
  ({ analysis, report }) => {
    const secrets = new MadeSecrets((name) => analysis.operation(name));
    const setsCookie = ({ header }: Response): boolean =>
      header.some(({ name }) => name.value.toLowerCase() === 'set-cookie');
    const isBytes = ({ contentType }: Response): boolean =>
      bodyKind(contentType) === 'bytes' || isFileType(contentType);
    return {
      response: (response, { operation }) => {
        if (operation.idempotency === undefined) return;
        const { name } = response;
        const found = (reason: keyof typeof reasons): void => {
          report('unrepeatable-response', name.span, { response: name.value, reason });
        };
        if (secrets.isInResponse(response, operation)) found('secret');
        else if (setsCookie(response)) found('cookie');
        else if (isBytes(response)) found('bytes');
      },
    };
  },
);
