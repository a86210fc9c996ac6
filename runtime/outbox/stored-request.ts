/** The stored form of a request: its own values, without those of its datasource. */
import { createHash, randomUUID } from 'node:crypto';
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { contentOf, mergeHeaders, type Message } from '../rest/message.js';

/** A request that is sent after the commit. */
export interface OutboxMessage extends Message {
  /** Requests with the same key are sent in the order of their commits. Null and undefined mean unordered. */
  readonly key?: Json | undefined;
}

export interface StoredRequest {
  /** The Idempotency-Key, unless the request sets this header. */
  readonly id: string;
  readonly datasource: string;
  readonly operation: string;
  readonly fulfillment: string;
  /** A digest of the datasource and the key, because keys may be long. */
  readonly orderKey: string | null;
  readonly method: string;
  /**
   * A path and query, or an absolute URL. A URL that consists entirely of a value is in angle brackets, because it does not belong to
   * the datasource.
   */
  readonly url: string;
  /** The headers as JSON. */
  readonly header: string;
  readonly content: string | null;
}

/** The `method` of stored calls of operations, and of stored mails; other rows have that of an HTTP request. */
export const callMethod = 'CALL';
export const messageMethod = 'MESSAGE';

/** Names from the configuration that identify a request. */
export type RequestNames = Pick<StoredRequest, 'datasource' | 'operation' | 'fulfillment' | 'method'>;

/** Creates the stored form of a request. Throws a ServiceError 400 for values that cannot be sent. */
export async function storedRequest(
  call: Call,
  names: RequestNames,
  { key = null, ...message }: OutboxMessage,
): Promise<StoredRequest> {
  const content = await contentOf(call, message);
  const id = randomUUID();
  const { url } = message;
  return {
    id,
    ...names,
    orderKey: key === null ? null : digestOf(names.datasource, key),
    url: typeof url === 'string' ? url : `<${url.href}>`,
    header: JSON.stringify(mergeHeaders({ 'Idempotency-Key': id }, content?.headers, message.header)),
    content: content === undefined ? null : Buffer.concat(content.chunks).toString(),
  };
}

/** The message to send, with the stored bytes. */
export function messageOf({
  url,
  header,
  content,
}: Pick<StoredRequest, 'url' | 'header' | 'content'>): Message {
  const headers = JSON.parse(header) as Readonly<Record<string, string>>;
  return {
    url: url.startsWith('<') ? new URL(url.slice(1, -1)) : url,
    header: headers,
    ...(content === null ? {} : { content: { chunks: [Buffer.from(content)], headers: {} } }),
  };
}

function digestOf(datasource: string, key: Json): string {
  return createHash('sha256')
    .update(JSON.stringify([datasource, key]))
    .digest('hex');
}
