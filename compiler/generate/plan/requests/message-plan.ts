/** The plan of a mail. */
import type { CheckedMessage } from '../../../analyze/check/checked.js';
import type { Expression, Template } from '../../../read/expression/ast.js';
import { readHtml, type HtmlValue } from '../../../read/html/html-places.js';
import type { DatasourceIdentifier } from '../names/identifiers.js';

/** Text, or a value with its place; `html`: HTML of a user function, which is not escaped. */
export type HtmlPart = string | (Pick<HtmlValue, 'value'> & { readonly place: HtmlValue['place'] | 'html' });

export interface MessagePlan {
  readonly kind: 'message';
  /** The identifier of the mail's datasource. */
  readonly datasource: DatasourceIdentifier;
  readonly fulfillment: string;
  /** One expression, whose value may be a list, or several expressions. */
  readonly to: readonly Expression[];
  readonly cc: readonly Expression[];
  readonly replyTo: readonly Expression[];
  readonly subject: Expression;
  readonly text: Template;
  /** Undefined without HTML. */
  readonly html: readonly HtmlPart[] | undefined;
  /** Whether the operation continues if the mail is not sent. */
  readonly continues: boolean;
  /** Whether the mail is stored and sent after the commit. */
  readonly isDelivered: boolean;
  /** Whether it is stored encrypted, because it has a secret that the operation made. */
  readonly isSealed: boolean;
}

/** Properties of the fulfillment that contains a mail. */
export interface MessageUse {
  readonly datasource: DatasourceIdentifier;
  readonly fulfillment: string;
  readonly continues: boolean;
  readonly isSealed: boolean;
}

/** `isHtml`: whether a user function returns the value as HTML. */
export function planMessage(
  { to, cc, replyTo, subject, text, html, isDelivered }: CheckedMessage,
  use: MessageUse,
  isHtml: (value: Expression) => boolean,
): MessagePlan {
  const partOf = (part: string | HtmlValue): HtmlPart =>
    typeof part !== 'string' && part.place === 'text' && isHtml(part.value)
      ? { ...part, place: 'html' }
      : part;
  return {
    kind: 'message',
    ...use,
    to,
    cc,
    replyTo,
    subject,
    text,
    html: html && readHtml(html).parts.map(partOf),
    isDelivered,
  };
}
