/** Sends a test's request exactly as written: Node's own client does not alter path and headers. */
import { request as open, type IncomingHttpHeaders } from 'node:http';
import { randomUUID } from 'node:crypto';
import { toolMessage } from './called-tool.js';
import { filledText, jsonOfNode, textEntries, type SavedValues } from './actual-values.js';
import type { Part, RequestAction } from './read/test-model.js';
import type { SentCredentials } from '../local/credentials.js';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed JSON body, or else its text; undefined if there is no body. */
  readonly body: unknown;
}

export interface RequestContext {
  readonly url: string;
  readonly kept: SavedValues;
  /** The credentials of the request, which may depend on its body. */
  readonly credentials: (content: Buffer) => Promise<SentCredentials>;
  /** Reads a file next to the test file. */
  readonly readFile: (path: string) => Buffer;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Throws an Error if there is no response. */
export async function sendRequest(action: RequestAction, context: RequestContext): Promise<ReceivedResponse> {
  const { kept, timeout } = context;
  const { hostname, port } = new URL(context.url);
  const { method } = action.request;
  const { content, type } = contentOf(action, context);
  const credentials = await context.credentials(content ?? Buffer.alloc(0));
  const path = targetOf(action, credentials.query, kept);
  const headers: Record<string, string | string[]> = {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...credentials.headers,
    ...(content === undefined ? {} : { 'content-length': String(content.length) }),
  };
  for (const [name, value] of textEntries(action.header, kept)) headers[name.toLowerCase()] = value;
  return new Promise((resolve, reject) => {
    const outgoing = open({ hostname, port, method, path, headers, agent: false, timeout }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: bodyOf(text, response.headers['content-type'] ?? ''),
        });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no response in ${timeout / 1000} s`)));
    outgoing.on('error', reject);
    outgoing.end(content);
  });
}

function bodyOf(text: string, type: string): unknown {
  if (text === '') return undefined;
  if (!/json/i.test(type)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Path and query, with percent-encoded values. */
function targetOf(
  { request, query }: RequestAction,
  more: SentCredentials['query'],
  kept: SavedValues,
): string {
  const written = filledText(request.target, kept, encodeURIComponent);
  const entries = [...textEntries(query, kept), ...more].map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  if (entries.length === 0) return written;
  return `${written}${written.includes('?') ? '&' : '?'}${entries.join('&')}`;
}

function contentOf(
  { body, bodyText, form, multipart, tool }: RequestAction,
  { kept, readFile }: RequestContext,
): { readonly content: Buffer | undefined; readonly type: string | undefined } {
  if (tool !== undefined) return { content: Buffer.from(toolMessage(tool, kept)), type: 'application/json' };
  if (multipart.length > 0) {
    const boundary = `parts-${randomUUID()}`;
    const parts = multipart.map((part) => partBytes(part, boundary, kept, readFile));
    return {
      content: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
      type: `multipart/form-data; boundary=${boundary}`,
    };
  }
  if (form !== undefined) {
    const content = new URLSearchParams(textEntries(form, kept)).toString();
    return { content: Buffer.from(content), type: 'application/x-www-form-urlencoded' };
  }
  if (bodyText !== undefined) return { content: Buffer.from(bodyText), type: 'application/json' };
  if (body === undefined) return { content: undefined, type: undefined };
  return { content: Buffer.from(JSON.stringify(jsonOfNode(body, kept))), type: 'application/json' };
}

function partBytes(
  { name, text, file, filename, contentType }: Part,
  boundary: string,
  kept: SavedValues,
  readFile: (path: string) => Buffer,
): Buffer {
  const shownName = filename ?? file?.replace(/^.*[\\/]/s, '');
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${name}"${shownName === undefined ? '' : `; filename="${shownName}"`}`,
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
    '',
    '',
  ];
  const content = file === undefined ? Buffer.from(filledText(text, kept)) : readFile(file);
  return Buffer.concat([Buffer.from(head.join('\r\n')), content, Buffer.from('\r\n')]);
}
