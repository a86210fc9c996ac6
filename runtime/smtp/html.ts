/** Values in the HTML of mails, escaped for their places. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { encode } from '../rest/url-values.js';

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

/** A value between tags, or in a quoted attribute. Null is an empty string. */
export function htmlText(value: Json | undefined): string {
  return textOf(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * The beginning of a link: an https or mailto URL, or one of the same machine for development. Throws a ServiceError 400 for anything else,
 * such as `javascript:`.
 */
export function htmlLink(value: Json | undefined): string {
  const link = textOf(value);
  const isGood = /^(?:https:\/\/[^\s/]|mailto:|http:\/\/(?:localhost|127\.0\.0\.1)(?:[:/?#]|$))/i.test(link);
  if (!isGood || /\p{Cc}/u.test(link))
    throw new ServiceError(400, 'The message cannot be sent: a link is neither https nor mailto');
  return htmlText(link);
}

/** A later part of a link: characters with a meaning in URLs are percent-encoded. */
export function htmlLinkPart(value: Json | undefined): string {
  return htmlText(encode(value));
}
