/** Checks mails and their servers (docs/design/mail.md). */
import type { Message } from '../../../../read/config/config-model.js';
import { expressionsOfMessage, messagesOf } from '../../../../read/config/walk.js';
import { error, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { words } from '../../../../read/diagnostics/marks.js';
import type { Expression } from '../../../../read/expression/ast.js';
import { passedSecrets } from '../../../operations/secrets/passed-secrets.js';
import { partsOfAddress, senderOf } from '../../../../../runtime/smtp/address-form.js';
import { parseSmtpUrl } from '../../../../../runtime/smtp/smtp-url.js';
import { readHtml } from '../../../../read/html/html-places.js';
import { rule } from '../../rule.js';

/** Reports reads of the result of a mail, and READs that send a mail. */
export const messageResult = rule(
  {
    'message-result': error({ name: 'text' }, (p: { name: string; isDelivered: boolean }) => ({
      message: p.isDelivered
        ? `'${p.name}' has no result: its message is sent after the commit.`
        : `'${p.name}' has no result: it sends a message.`,
      hint: p.isDelivered
        ? "Remove 'deliver: afterCommit' and write 'onFailure: continue' to read FAILURE."
        : "Write 'onFailure: continue' in its fulfillment and read FAILURE, which is null if the server has accepted the message.",
    })),
    'message-of-read': error(() => ({
      message: 'A READ reads something, but this instruction sends a message.',
      hint: 'Write type: UPDATE.',
    })),
  },
  ({ report }) => ({
    message: (message, { fulfillment }) => {
      if (fulfillment.type === 'READ') report('message-of-read', message.span);
    },
    node: (node, { analyzed, scope }) => {
      if (!('nameSpan' in node) || !('name' in node) || !readsResult.has(node.kind)) return;
      const fulfillment = 'index' in node ? analyzed.stored(node.name) : scope.visible.get(node.name);
      const messages = fulfillment === undefined ? [] : messagesOf(fulfillment);
      const isDelivered = messages.some((message) => message.isDelivered);
      const isFailure = node.kind === 'failure' || node.kind === 'failure-by-index';
      if (messages.length > 0 && (isDelivered || !isFailure))
        report('message-result', node.nameSpan, { name: node.name, isDelivered });
    },
  }),
);

const readsResult: ReadonlySet<Expression['kind']> = new Set([
  ...(['value', 'value-by-index', 'result', 'status', 'failure', 'response-header'] as const),
  ...(['status-by-index', 'failure-by-index'] as const),
]);

/** Reports constants that are no addresses, and lists with too many of them. */
export const messageAddress = rule(
  {
    'message-address': error({ written: 'text' }, (p: { written: string }) => ({
      message: `'${p.written}' is not an address that a message can have.`,
      hint: 'Write one address such as anna@example.com, without a name, quotes or commas. Several addresses are a list.',
    })),
    'message-addresses': error(
      { field: words('to', 'cc', 'replyTo') },
      (p: { field: AddressField; count: number }) => ({
        message: `'${p.field}' has ${p.count} addresses, and a message at most ${maxAddresses}.`,
        hint: 'Send one message to each recipient, in a LOOP.',
      }),
    ),
  },
  ({ report }) => ({
    message: (message) => {
      for (const field of addressFields) {
        const list = message[field];
        const span = message.fields.get(field) ?? message.span;
        if (list.length > maxAddresses) report('message-addresses', span, { field, count: list.length });
        for (const one of list)
          if (one.kind === 'text' && partsOfAddress(one.value) === undefined)
            report('message-address', one.span, { written: one.value });
      }
    },
  }),
);

const addressFields = ['to', 'cc', 'replyTo'] as const;
type AddressField = (typeof addressFields)[number] & keyof Message;

/** As the runtime (runtime/smtp/mail.ts). */
const maxAddresses = 50;

/** Reports tokens in mails: mails are stored and forwarded for years, and a token cannot be withdrawn. */
export const tokenInMessage = rule(
  {
    'token-in-message': error(() => ({
      message: 'A message must not have a TOKEN: who reads the message later is logged in.',
      hint: 'Send the result of RANDOM as a link, store its SHA256, and make the token when the link is opened.',
    })),
  },
  ({ analysis, report }) => {
    const tokens = passedSecrets(analysis.config.operations, ({ kind }) => kind === 'token');
    return {
      message: (message, { operation }) => {
        for (const expression of expressionsOfMessage(message))
          if (tokens.isIn(expression, operation)) report('token-in-message', expression.span);
      },
    };
  },
);

/** Reports values in HTML that no escaping makes safe, and links that mails must not have. */
export const htmlPlace = rule(
  {
    'html-place': error({ where: 'text' }, (p: { where: string }) => ({
      message: `A value in ${p.where} cannot be made safe.`,
      hint: 'Write values between tags, in attributes with quotes such as title, and in href and src of links and images, after the host.',
    })),
    'html-link': error({ written: 'text' }, (p: { written: string }) => ({
      message: `'${p.written}' is not a link for a mail: it begins with neither https:// nor mailto:.`,
      hint: 'Write an https or mailto link, or begin with a value: href=":[ENV(APP_URL)]/reset".',
    })),
    'html-value': warning(() => ({
      message: 'The value is escaped: tags in it are shown as text.',
      hint: "Write the tags in 'html', and values between them; or write a function that returns HTML, with contentMediaType: text/html in its 'returns'.",
    })),
  },
  ({ analysis, report }) => ({
    message: ({ html, fields, span }) => {
      if (html === undefined) return;
      for (const problem of readHtml(html).problems)
        if (problem.kind === 'place') report('html-place', problem.value.span, { where: problem.where });
        else report('html-link', fields.get('html') ?? span, { written: problem.written });
      const [only] = html;
      if (html.length === 1 && only !== undefined && typeof only !== 'string' && !analysis.isHtml(only))
        report('html-value', only.span);
    },
  }),
);

/** Reports URLs and senders that no mail server can have. */
export const smtpUrl = rule(
  {
    'smtp-url': error({ problem: 'sentence' }, (p: { problem: string }) => ({
      message: `The URL of this mail server cannot be used: ${p.problem}.`,
      hint: 'Write smtp://mail.example.com:587, where STARTTLS is required, or smtps://mail.example.com.',
    })),
    'smtp-from': error(() => ({
      message: "'from' is not a valid sender.",
      hint: 'Write an address such as shop@example.com, or Shop <shop@example.com>.',
    })),
  },
  ({ report }) => ({
    datasource: (datasource) => {
      if (datasource.type !== 'smtp') return;
      const { url, from } = datasource;
      if (url !== undefined && url.value.trim() !== '' && !url.value.includes('${')) {
        const parsed = parseSmtpUrl(url.value);
        if (typeof parsed === 'string') report('smtp-url', url.span, { problem: parsed });
      }
      if (from !== undefined && !from.value.includes('${') && senderOf(from.value) === undefined)
        report('smtp-from', from.span);
    },
  }),
);
