/** The endpoint of MCP clients: Streamable HTTP without sessions, each request one message and its response. */
import type { IncomingMessage } from 'node:http';
import { resultOf } from '../code/operation-result.js';
import { isObject, type Json, type JsonObject } from '../handler/json.js';
import { isFailure, ServiceError } from '../handler/reply.js';
import { ReplyContent, type Exchange } from '../http/exchange.js';
import { ClientGone, HttpCall } from '../http/http-call.js';
import { jsonBody } from '../http/json-body.js';
import { originsIn } from '../http/page-origin.js';
import { pathAndQuery } from '../http/request-target.js';
import type { OfferedTool, OwnRequest, ToolEndpoint } from '../http/fallback.js';
import type { Access, RequestLimits } from '../http/route.js';
import { sendContent, sendMessage } from '../http/send-response.js';
import { withoutFieldsInTurns } from '../responses/omitted-fields.js';
import type { Environment } from '../server/environment.js';
import {
  agreedRevision,
  codes,
  discoveredRevisions,
  MessageError,
  readMessage,
  type Message,
} from './messages.js';
import type { Tool, ToolResult } from './tool.js';
import { sentParts, ToolCall } from './tool-call.js';
import { failed, resultOfResponse } from './tool-result.js';

/** The endpoint, as the generated code declares it. */
interface McpOptions {
  readonly path: string;
  /** The name and version of the service. */
  readonly name: string;
  readonly version: string;
  /** What models should know about the tools. */
  readonly instructions?: string;
  /** The headers that user middleware sets, in lower case. Calls read them from the MCP request, and no argument sets them. */
  readonly ownHeaders?: readonly string[];
  /** Access control for requests other than calls; calls have that of their operations. */
  readonly access?: Access;
  readonly tools: readonly Tool[];
}

/** Creates the endpoint. */
export function mcpEndpoint(options: McpOptions): ToolEndpoint {
  return new McpEndpoint(options);
}

type Request = Extract<Message, { kind: 'request' }>;

/** Milliseconds for which clients may keep the list of tools. */
const lifetime = 300_000;

class McpEndpoint implements ToolEndpoint {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #listed: Json[];
  readonly #ownHeaders: ReadonlySet<string>;
  #origins: ReadonlySet<string> = new Set();

  constructor(private readonly options: McpOptions) {
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
    this.#ownHeaders = new Set(options.ownHeaders);
    this.#listed = options.tools.map(
      ({ operation: _operation, arguments: _arguments, ...tool }) => tool as unknown as JsonObject,
    );
  }

  readSettings(environment: Environment): void {
    this.#origins = new Set(originsIn(environment.text('CORS_ORIGIN')));
  }

  owns(path: string): boolean {
    return path === this.options.path;
  }

  async respond(exchange: Exchange, offered: OwnRequest, limits: readonly RequestLimits[]): Promise<void> {
    const { request } = exchange;
    // Also if the host is the same: foreign pages can have names that lead to this address.
    if (isOfOtherPage(request, this.#origins)) {
      sendMessage(exchange, 403, 'Only programs, and pages of the origins in CORS_ORIGIN, can call tools');
      return;
    }
    if (request.method !== 'POST') {
      sendMessage(exchange, 405, undefined, ['Allow', 'POST']);
      return;
    }
    const { query } = pathAndQuery(request.url ?? '');
    const { response, deadline, requestId } = offered;
    const call = new HttpCall(request, response, noMatch, query, deadline, requestId);
    exchange.call = call;
    try {
      const message = await readRequest(exchange, call, offered);
      if (message.kind === 'request' && message.method === 'tools/call') {
        await this.#respondToCall(exchange, message, offered, query);
        return;
      }
      for (const one of limits) await one.countClient(request, offered.counted);
      const admission = await this.options.access?.admit({ ...offered, query });
      if (admission !== undefined && 'status' in admission)
        sendMessage(exchange, admission.status, undefined, admission.headers(response));
      else if (message.kind === 'notification') sendContent(exchange, 202, '', []);
      else send(exchange, message, this.#resultOf(message));
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      const { status, id, code, message, data } = error;
      sendJsonRpc(exchange, status, id, {
        error: { code, message, ...(data === undefined ? {} : { data }) },
      });
    } finally {
      call.release();
    }
  }

  /** The result of a request other than a call. Throws a MessageError. */
  #resultOf({ method, parameters, isStateless, id }: Request): JsonObject {
    const { name, version, instructions } = this.options;
    const capabilities = { tools: {} };
    const about = { capabilities, ...(instructions === undefined ? {} : { instructions }) };
    if (method === 'tools/list') return { tools: this.#listed, ...(isStateless ? kept : {}) };
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

  async #respondToCall(
    exchange: Exchange,
    message: Request,
    offered: OwnRequest,
    query: string,
  ): Promise<void> {
    const { name, arguments: given = {} } = message.parameters;
    const tool = typeof name === 'string' ? this.#tools.get(name) : undefined;
    if (tool === undefined || !isObject(given)) {
      const problem =
        tool === undefined ? 'The tool does not exist' : "The 'arguments' of the call are not an object";
      const error = new MessageError(200, codes.parameters, problem);
      error.id = message.id;
      throw error;
    }
    const operation = await offered.toolOf(tool.operation);
    exchange.response.setHeader('Cache-Control', 'no-store');
    try {
      for (const one of operation.limits) await one.countClient(offered.request, offered.counted);
      const admission = await operation.route.access?.admit({ ...offered, query });
      if (admission !== undefined && 'status' in admission) {
        const header = admission.headers(offered.response);
        // A client asks for a token, or for one with more scopes, only after a challenge.
        if (admission.status === 403 && header.length === 0) throw new ServiceError(403, 'Forbidden');
        sendMessage(exchange, admission.status, undefined, header);
        return;
      }
      const call = new ToolCall(offered, operation.route, sentParts(tool, given), this.#ownHeaders);
      call.caller = admission?.caller ?? null;
      send(exchange, message, await run(tool, operation, offered, call));
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      send(exchange, message, resultOfError(operation.failed(error), error));
    }
  }
}

const noMatch = { route: undefined, names: [], values: [], allow: [] };
/** How long results may be cached, for the revision without sessions. */
const kept: JsonObject = { ttlMs: lifetime, cacheScope: 'private' };

/** Runs the operation as a request would, and releases the call. */
async function run(
  tool: Tool,
  operation: OfferedTool,
  offered: OwnRequest,
  call: ToolCall,
): Promise<ToolResult> {
  const { route, limits } = operation;
  const { body: sent } = call.sent;
  try {
    call.body = sent ?? null;
    const accepting = route.input?.accept(call, sent);
    if (accepting !== undefined) await accepting;
    for (const one of limits) await one.countCall(call, offered.counted);
    const reply = await operation.run(call);
    const { content } = reply;
    const result = await resultOf(reply, offered.request, call, tool.name);
    const omitted = content instanceof ReplyContent ? content.omitted?.() : undefined;
    const body = omitted === undefined ? result.body : await withoutFieldsInTurns(result.body, omitted, call);
    operation.ended(result.status);
    return resultOfResponse(tool, { ...result, body });
  } finally {
    call.release();
  }
}

/** The result of a call that failed with this status. The messages are those of responses. */
function resultOfError(status: number, error: unknown): ToolResult {
  if (isFailure(error)) {
    const { code, message } = error;
    return failed(status, code === undefined ? message : `${message} (${code})`);
  }
  if (!(error instanceof ServiceError)) return failed(status, 'Internal server error');
  const { retryAfter } = error.details;
  const retry = retryAfter === undefined ? '' : `. Try again in ${retryAfter} s`;
  return failed(status, `${error.message}${retry}`);
}

/** Reads the message in the body. Throws a MessageError, or a ServiceError 413, 415 or 503. */
async function readRequest(
  exchange: Exchange,
  call: HttpCall,
  { limits, accept }: OwnRequest,
): Promise<Message> {
  let body: Json | undefined;
  try {
    body = await jsonBody(exchange, call, limits, accept);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    throw new MessageError(400, codes.parse, error.message);
  }
  return readMessage(body ?? null, exchange.request.headers);
}

function isOfOtherPage(
  { headers: { origin, host = '' } }: IncomingMessage,
  origins: ReadonlySet<string>,
): boolean {
  if (origin === undefined) return false;
  const isOwn = loopback.test(host) && origin.toLowerCase() === `http://${host.toLowerCase()}`;
  return !isOwn && !originsIn(origin).some((one) => origins.has(one));
}

/** Names that lead to this computer for all programs on it, and that no foreign page has as its origin. */
const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

function send(exchange: Exchange, { id, isStateless }: Request, result: JsonObject): void {
  sendJsonRpc(exchange, 200, id, { result: isStateless ? { resultType: 'complete', ...result } : result });
}

function sendJsonRpc(exchange: Exchange, status: number, id: string | number | null, rest: JsonObject): void {
  sendContent(exchange, status, JSON.stringify({ jsonrpc: '2.0', id, ...rest }), []);
}
