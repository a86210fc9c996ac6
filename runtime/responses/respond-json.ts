/** Responses with headers or a version whose body is, or has as fields, rows that are JSON already. */
import type { Call } from '../handler/call.js';
import type { Reply } from '../handler/reply.js';
import { isJson, jsonOf, valueOf, type BodyWithRows } from './json-reply.js';
import { ownContent, respond, type ResponseOptions } from './respond.js';

/** Creates the reply of a response: `respondJson(200, books, { etag: true })`. */
export function respondJson(
  status: number,
  body: BodyWithRows,
  options: Pick<ResponseOptions, 'header' | 'etag'>,
): Reply {
  if (!isJson(body)) return respond(status, valueOf(body), options);
  const content = async (call: Call): Promise<readonly Buffer[]> => {
    const json = await jsonOf(body, call);
    return typeof json === 'string' ? [Buffer.from(json)] : json;
  };
  return { status, content: ownContent(status, content, options) };
}
