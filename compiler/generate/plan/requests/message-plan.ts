/** The plan of a mail. */
import type { CheckedMessage } from '../../../analyze/check/checked.js';
import type { Expression, Template } from '../../../read/expression/ast.js';
import { readHtml, type HtmlPart } from '../../../read/html/html-places.js';
import type { DatasourceIdentifier } from '../names/identifiers.js';

export type { HtmlPart };

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

export function planMessage(
  { to, cc, replyTo, subject, text, html, isDelivered }: CheckedMessage,
  use: MessageUse,
): MessagePlan {
  return {
    kind: 'message',
    ...use,
    to,
    cc,
    replyTo,
    subject,
    text,
    html: html && readHtml(html).parts,
    isDelivered,
  };
}
