/** Calls of tools in tests: the message to the service, and its result as a response. */
import { isJsonMap } from '../../read/json.js';
import { jsonOfNode, type SavedValues } from './actual-values.js';
import type { CalledTool } from './read/test-model.js';

/** The body of the request that calls the tool. */
export function toolMessage({ name, arguments: given }: CalledTool, kept: SavedValues): string {
  const params = { name, arguments: given === undefined ? {} : jsonOfNode(given, kept) };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

/** The parts of a response that the result of a tool replaces. */
interface ResponseParts {
  readonly status: number;
  readonly body: unknown;
}

/**
 * The result as tests compare it: `structuredContent` as the body, or the texts without one. A result with `isError` has the status at
 * the beginning of its text, and `message` as its body. Other responses are unchanged.
 */
export function toolResponse<Response extends ResponseParts>(response: Response): Response {
  const { body } = response;
  const result = isJsonMap(body) ? body['result'] : undefined;
  if (response.status !== 200 || !isJsonMap(result)) return response;
  const { content, structuredContent, isError } = result;
  const texts = (Array.isArray(content) ? content : []).flatMap((one: unknown) =>
    isJsonMap(one) && typeof one['text'] === 'string' ? [one['text']] : [],
  );
  const text = texts.join('\n');
  if (isError !== true) return { ...response, body: structuredContent ?? text };
  const [, status = '500', message = ''] = /^(\d{3}): ([^]*)$/.exec(text) ?? [];
  return { ...response, status: Number(status), body: { message } };
}
