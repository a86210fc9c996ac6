/** Sends the requests shown in a document to a running service. */
import type { CodeBlock } from './code-blocks.js';

/** Sends the request of an `http` block: a line with method and path, header fields, and a body after an empty line. */
export function sendPageRequest(url: string, { text }: CodeBlock): Promise<Response> {
  const [head = '', ...rest] = text.split('\n\n');
  const [first = '', ...fields] = head.trim().split('\n');
  const [method = '', path = ''] = first.split(' ');
  const body = rest.join('\n\n').trim();
  return fetch(`${url}${path}`, {
    method,
    headers: fields.map((field) => field.split(': ', 2) as [string, string]),
    ...(body === '' ? {} : { body }),
  });
}
