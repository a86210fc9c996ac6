/** Reads the JSON body of a request. */
import type { IncomingMessage } from 'node:http';
import type { Json } from '../handler/json.js';
import { JsonDepthError, parseJson } from '../handler/parse-json.js';
import { ServiceError } from '../handler/reply.js';
import { ClientGone } from './http-call.js';
import { jsonFault } from './json-fault.js';
import type { BodyLimits } from './route.js';

/**
 * The value of the body; undefined when there is none, or an empty one. `accept` is called when nothing speaks against reading
 * the body: a client that waits to be asked for it (`Expect: 100-continue`) sends it then.
 * Throws a ServiceError: 413 too large, 415 another content type, character set or encoding, 400 not JSON or too deep.
 */
export async function readJsonBody(
  request: IncomingMessage,
  limits: BodyLimits,
  accept: () => void,
): Promise<Json | undefined> {
  const length = request.headers['content-length'];
  const chunked = request.headers['transfer-encoding'] !== undefined;
  if (!chunked && (length === undefined || Number(length) === 0)) return undefined;

  const refusal = unsupported(request);
  if (refusal !== undefined && !chunked) throw refusal;
  if (Number(length) > limits.bodyLimit) throw tooLarge(limits);
  accept();
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return undefined;
  // Whether a chunked body is empty shows only now; an empty one needs no content type.
  if (refusal !== undefined) throw refusal;
  return parseBody(decodeText(bytes), limits);
}

const jsonType = /^\s*application\/(?:json|[^\s;]+\+json)\s*(?:;(.*))?$/i;
const charset = /(?:^|;)\s*charset="?([^\s;"]*)/i;

/** What is wrong with the content type or encoding; undefined when nothing is. */
function unsupported({ headers }: IncomingMessage): ServiceError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    return new ServiceError(415, 'The request body must not be compressed');
  }
  const type = headers['content-type'];
  // The form that nearly every client sends.
  if (type === 'application/json') return undefined;
  const match = jsonType.exec(type ?? '');
  if (!match) return new ServiceError(415, 'The request body must have the content type application/json');
  const named = charset.exec(match[1] ?? '')?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(named) ? undefined : new ServiceError(415, 'The request body must be UTF-8');
}

function tooLarge(limits: BodyLimits): ServiceError {
  return new ServiceError(413, `The request body is larger than ${limits.bodyLimit} bytes`);
}

function readBytes(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limits.bodyLimit) return;
      // What still comes is thrown away: a connection that is cut while the client writes would lose it our answer.
      request.off('data', collect).resume();
      reject(tooLarge(limits));
    };
    // A middleware may have stopped it.
    request.on('data', collect).resume();
    request.once('end', () => {
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    });
    // After 'end' this comes too late to matter.
    request.once('close', () => {
      reject(new ClientGone());
    });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError(400, 'The request body is not valid UTF-8');
  }
}

function parseBody(text: string, limits: BodyLimits): Json {
  try {
    return parseJson(text, limits.bodyDepth);
  } catch (error) {
    if (error instanceof JsonDepthError) {
      throw new ServiceError(400, `The request body is nested deeper than ${limits.bodyDepth} levels`);
    }
    // The parser's own message repeats a piece of the body.
    const fault = jsonFault(text);
    if (fault === undefined) throw error;
    const place = `line ${fault.line}, column ${fault.column}`;
    throw new ServiceError(
      400,
      fault.atEnd
        ? `The request body is not valid JSON: it ends too early, at ${place}`
        : `The request body is not valid JSON at ${place}`,
    );
  }
}
