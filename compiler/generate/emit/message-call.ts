/** Mails: the declaration at the top of the module, and the values passed by each call. */
import {
  array,
  call,
  field,
  fieldOf,
  literal,
  method,
  name,
  object,
  tallObject,
  template,
  type Code,
} from '../code/code.js';
import type { Expression } from '../plan/model.js';
import type { HtmlPart, MessagePlan } from '../plan/requests/message-plan.js';
import { argument } from './module/emitted-expression.js';
import type { Module } from './module/module.js';
import { emitExpression, emitTemplate, emitText } from './expression.js';
import type { Scope } from './scope.js';

/** The initializer of the mail constant. */
export function emitMessage(
  { datasource, fulfillment, isDelivered, isSealed, continues }: MessagePlan,
  module: Module,
): Code {
  const source = module.import('src/datasources', datasource);
  const names = [field('operation', name('operation')), field('fulfillment', literal(fulfillment))];
  if (!isDelivered) return method(source, continues ? 'messageOrFailure' : 'message', object(names));
  const sealed = fieldOf('sealed', isSealed ? literal(true) : undefined);
  const outbox = module.import('src/datasources', 'outbox');
  return method(outbox, 'message', object([...names, field('datasource', source), ...sealed]));
}

/** The values of one call. */
export function emitMail({ to, cc, replyTo, subject, text, html }: MessagePlan, scope: Scope): Code {
  return tallObject([
    ...fieldOf('to', emitAddresses(to, scope)),
    ...fieldOf('cc', emitAddresses(cc, scope)),
    ...fieldOf('replyTo', emitAddresses(replyTo, scope)),
    field('subject', argument(emitExpression(subject, scope))),
    field('text', emitTemplate(text, scope)),
    ...fieldOf('html', html && emitHtml(html, scope)),
  ]);
}

const writers = {
  text: 'htmlText',
  attribute: 'htmlText',
  link: 'htmlLink',
  'link part': 'htmlLinkPart',
} as const;

/** Each value is escaped for its place, except HTML of user functions. */
function emitHtml(parts: readonly HtmlPart[], scope: Scope): Code {
  if (parts.every((part) => typeof part === 'string')) return literal(parts.join(''));
  return template(
    parts.map((part) => {
      if (typeof part === 'string') return part;
      if (part.place === 'html') return emitText(part.value, scope);
      const writer = scope.module.runtime(writers[part.place]);
      return call(writer, argument(emitExpression(part.value, scope)));
    }),
  );
}

function emitAddresses(addresses: readonly Expression[], scope: Scope): Code | undefined {
  const [first, ...others] = addresses.map((one) => argument(emitExpression(one, scope)));
  if (first === undefined) return undefined;
  return others.length === 0 ? first : array([first, ...others]);
}
