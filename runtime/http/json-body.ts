/** Reads the JSON body of a request. */
import type { IncomingMessage } from 'node:http';
import type { Json } from '../handler/json.js';
import { JsonDepthError, parseJson } from '../handler/parse-json.js';
import { ServiceError } from '../handler/reply.js';
import { assertBodyIsThere, bodyTooLarge, decodeBody, readBodyBytes } from './body-bytes.js';
import { jsonError } from './json-error.js';
import type { BodyLimits, BodyReader } from './route.js';

/** The body is JSON. */
export const jsonBody: BodyReader = async ({ request }, call, limits, accept) => {
  assertBodyIsThere(request);
  const body = await readJsonBody(request, limits, accept);
  call.body = body ?? null;
  return body;
};

/**
 * The value of the body; undefined if it is missing or empty. `accept` is called before the body is read: a client with
 * `Expect: 100-continue` then sends it.
 * Throws a ServiceError: 413 too large, 415 another content type, character set or encoding, 400 not JSON or too deep.
 */
async function readJsonBody(
  request: IncomingMessage,
  limits: BodyLimits,
  accept: () => void,
): Promise<Json | undefined> {
  const length = request.headers['content-length'];
  const chunked = request.headers['transfer-encoding'] !== undefined;
  if (!chunked && (length === undefined || Number(length) === 0)) return undefined;

  const refusal = unsupported(request);
  if (refusal !== undefined && !chunked) throw refusal;
  if (Number(length) > limits.bodyLimit) throw bodyTooLarge(limits);
  accept();
  const bytes = await readBodyBytes(request, limits);
  if (bytes.length === 0) return undefined;
  // Only now it is known whether a chunked body is empty. An empty one needs no content type.
  if (refusal !== undefined) throw refusal;
  return parseBody(decodeBody(bytes), limits);
}

const jsonType = /^\s*application\/(?:json|[^\s;]+\+json)\s*(?:;(.*))?$/i;
const charset = /(?:^|;)\s*charset="?([^\s;"]*)/i;

/** The error in the content type or encoding; undefined if they are valid. */
function unsupported({ headers }: IncomingMessage): ServiceError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    return new ServiceError(415, 'The request body must not be compressed');
  }
  const type = headers['content-type'];
  // The value that nearly every client sends.
  if (type === 'application/json') return undefined;
  const match = jsonType.exec(type ?? '');
  if (!match) return new ServiceError(415, 'The request body must have the content type application/json');
  const named = charset.exec(match[1] ?? '')?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(named) ? undefined : new ServiceError(415, 'The request body must be UTF-8');
}

function parseBody(text: string, limits: BodyLimits): Json {
  try {
    return parseJson(text, limits.bodyDepth);
  } catch (error) {
    if (error instanceof JsonDepthError) {
      throw new ServiceError(400, `The request body is nested deeper than ${limits.bodyDepth} levels`);
    }
    // The parser's own message quotes the body.
    const found = jsonError(text);
    if (found === undefined) throw error;
    const position = `line ${found.line}, column ${found.column}`;
    throw new ServiceError(
      400,
      found.atEnd
        ? `The request body is not valid JSON: it ends too early, at ${position}`
        : `The request body is not valid JSON at ${position}`,
    );
  }
}
