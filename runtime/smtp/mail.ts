/** A mail with the values of a call, checked before it is sent or stored. */
import { domainToASCII } from 'node:url';
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { hasControl, partsOfAddress } from './address-form.js';

/** The values of a mail. Addresses are strings or lists of strings; null and undefined mean none. */
export interface Mail {
  readonly to: Json | undefined;
  readonly cc?: Json | undefined;
  readonly replyTo?: Json | undefined;
  readonly subject: Json | undefined;
  readonly text: string;
  /** Values in it are escaped for their places. */
  readonly html?: string;
}

/** A mail that can be sent: addresses with ASCII domains. */
export interface CheckedMail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** A mail with the values that all its attempts share. */
export interface OutgoingMail extends CheckedMail {
  readonly from: { readonly name: string; readonly address: string };
  /** With angle brackets. */
  readonly messageId: string;
  /** The recipients of this exchange. */
  readonly recipients: readonly string[];
}

/** A mail without its sender. `messageId` is a UUID. */
export type UnsignedMail = Omit<OutgoingMail, 'from'>;

/** Maximum number of addresses in a list. */
const maxAddresses = 50;

/** Checks the values. Throws a ServiceError 400. */
export function checkedMail({
  to = null,
  cc = null,
  replyTo = null,
  subject,
  text,
  html,
}: Mail): CheckedMail {
  const recipients = addressesIn('to', to);
  if (recipients.length === 0) throw invalid("'to' has no address");
  if (typeof subject !== 'string') throw invalid("'subject' is not a string");
  if (hasControl(subject)) throw invalid("'subject' has a line break or another control character");
  return {
    to: recipients,
    cc: addressesIn('cc', cc),
    replyTo: addressesIn('replyTo', replyTo),
    subject,
    text,
    ...(html === undefined ? {} : { html }),
  };
}

function addressesIn(field: keyof Mail, value: Json): string[] {
  const items = Array.isArray(value) ? value : value === null ? [] : [value];
  if (items.length > maxAddresses) throw invalid(`'${field}' has more than ${maxAddresses} addresses`);
  return [...new Set(items.map((item) => addressOf(field, item)))];
}

function addressOf(field: keyof Mail, value: Json): string {
  const parts = typeof value === 'string' ? partsOfAddress(value) : undefined;
  const domain = parts && domainToASCII(parts.domain);
  // Numbers are host addresses, in any of their notations.
  const isDomain = domain !== undefined && domain.length <= 253 && /(?:^|\.)[a-z][a-z\d-]*$/.test(domain);
  if (parts === undefined || !isDomain)
    throw invalid(`'${field}' has a value that is not an e-mail address such as anna@example.com`);
  return `${parts.local}@${domain}`;
}

function invalid(reason: string): ServiceError {
  return new ServiceError(400, `The message cannot be sent: ${reason}`);
}
