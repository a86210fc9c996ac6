/** The JSON-RPC messages of the Model Context Protocol: requests, results, errors, and the revisions of the protocol. */
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type Json, type JsonObject } from '../handler/json.js';

/** The revision without sessions and handshakes: each request names its revision, and has headers with its method and tool. */
const stateless = '2026-07-28';

/** The supported revisions with a handshake, newest first. */
const withHandshake = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** The field of `_meta` that contains the revision of a request. */
const versionField = 'io.modelcontextprotocol/protocolVersion';

/** Error codes of JSON-RPC and of the protocol. */
export const codes = {
  parse: -32700,
  invalid: -32600,
  method: -32601,
  parameters: -32602,
  header: -32020,
  version: -32022,
} as const;

/** A request of a client. */
export interface Request {
  readonly kind: 'request';
  readonly id: string | number;
  readonly method: string;
  readonly parameters: JsonObject;
  readonly isStateless: boolean;
}

/** A message of a client. */
export type Message = Request | { readonly kind: 'notification' };

/** Ends a request with an error of JSON-RPC. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  /** The id of the request, if it could be read. */
  id: string | number | null = null;

  constructor(
    readonly status: 200 | 400 | 404,
    readonly code: number,
    message: string,
    readonly data?: JsonObject,
  ) {
    super(message);
  }
}

/** Reads a message. `headers`: those of its HTTP request; undefined for other transports. Throws a MessageError. */
export function readMessage(body: Json, headers?: IncomingHttpHeaders): Message {
  if (Array.isArray(body))
    throw new MessageError(400, codes.invalid, 'A request has one message, not a batch of messages');
  if (!isObject(body) || body['jsonrpc'] !== '2.0')
    throw new MessageError(400, codes.invalid, 'The body is not a message of JSON-RPC 2.0');
  const { id, method, params = {} } = body;
  if (typeof method !== 'string') {
    // Responses, which only servers with requests of their own expect.
    if ('result' in body || 'error' in body) return { kind: 'notification' };
    throw new MessageError(400, codes.invalid, 'The message has no method');
  }
  if (id === undefined) return { kind: 'notification' };
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new MessageError(400, codes.invalid, 'The id of the message is not a string or number');
  try {
    if (!isObject(params))
      throw new MessageError(400, codes.parameters, "The 'params' of the message are not an object");
    const isStateless = checkRevision(method, params, headers);
    return { kind: 'request', id, method, parameters: params, isStateless };
  } catch (error) {
    if (error instanceof MessageError) error.id = id;
    throw error;
  }
}

/** Checks the revision of a request, and returns whether it is the one without sessions. Throws a MessageError. */
function checkRevision(
  method: string,
  parameters: JsonObject,
  headers: IncomingHttpHeaders | undefined,
): boolean {
  const { _meta: meta = null } = parameters;
  const declared = isObject(meta) ? meta[versionField] : undefined;
  const header = headers?.['mcp-protocol-version'];
  if (declared === undefined) {
    if (header === stateless)
      throw new MessageError(400, codes.parameters, `The request has no '${versionField}' in its '_meta'`);
    if (header !== undefined && !withHandshake.includes(String(header))) throw unsupported(String(header));
    return false;
  }
  if (declared !== stateless) throw unsupported(typeof declared === 'string' ? declared : '');
  if (headers === undefined) return true;
  requireHeader(headers, 'MCP-Protocol-Version', declared);
  requireHeader(headers, 'Mcp-Method', method);
  const { name } = parameters;
  if (method === 'tools/call' && typeof name === 'string') requireHeader(headers, 'Mcp-Name', name);
  return true;
}

function requireHeader(headers: IncomingHttpHeaders, name: string, expected: string): void {
  if (headers[name.toLowerCase()] === expected) return;
  throw new MessageError(400, codes.header, `The header ${name} differs from the message`);
}

function unsupported(requested: string): MessageError {
  return new MessageError(400, codes.version, 'The revision of the protocol is not supported', {
    supported: [stateless, ...withHandshake],
    requested,
  });
}

/** The revision for a client that asks for this one in its handshake. */
function agreedRevision(requested: Json | undefined): string {
  const [newest = ''] = withHandshake;
  return withHandshake.find((one) => one === requested) ?? newest;
}

/** The revisions without a handshake, for `server/discover`. */
const discoveredRevisions: string[] = [stateless];

/** A server of tools, as its clients see it. */
export interface DescribedServer {
  readonly name: string;
  readonly version: string;
  /** Instructions for models. */
  readonly instructions?: string;
  readonly tools: Json[];
}

/** Milliseconds for which clients may keep descriptions. */
const lifetime = 300_000;

/** How long results may be cached, for the revision without sessions. */
const kept: JsonObject = { ttlMs: lifetime, cacheScope: 'private' };

/** The result of a request other than a call of a tool. Throws a MessageError. */
export function descriptionFor(
  { method, parameters, isStateless, id }: Request,
  { name, version, instructions, tools }: DescribedServer,
): JsonObject {
  const capabilities = { tools: {} };
  const about = { capabilities, ...(instructions === undefined ? {} : { instructions }) };
  if (method === 'tools/list') return { tools, ...(isStateless ? kept : {}) };
  if (method === 'server/discover' && isStateless)
    return {
      supportedVersions: discoveredRevisions,
      ...about,
      ...kept,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name, version } },
    };
  if (method === 'initialize' && !isStateless) {
    const protocolVersion = agreedRevision(parameters['protocolVersion']);
    return { protocolVersion, ...about, serverInfo: { name, version } };
  }
  if (method === 'ping' && !isStateless) return {};
  const error = new MessageError(isStateless ? 404 : 200, codes.method, 'The method does not exist');
  error.id = id;
  throw error;
}

/** The response to a request. */
export function responseTo({ id, isStateless }: Request, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result: isStateless ? { resultType: 'complete', ...result } : result };
}

/** The response with an error. */
export function errorResponse({ id, code, message, data }: MessageError): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}
