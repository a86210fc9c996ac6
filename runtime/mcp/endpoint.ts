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
import type { Access, AccessRequest, RequestLimits } from '../http/route.js';
import { sendContent, sendJson, sendMessage } from '../http/send-response.js';
import { withoutFieldsInTurns } from '../responses/omitted-fields.js';
import type { Environment } from '../server/environment.js';
import {
  codes,
  descriptionFor,
  errorResponse,
  MessageError,
  readMessage,
  responseTo,
  type Message,
  type Request,
} from './messages.js';
import { ResourceMetadata, type Issuing } from './resource-metadata.js';
import type { Tool, ToolResult } from './tool.js';
import { sentParts, ToolCall } from './tool-call.js';
import { failed, resultOfResponse } from './tool-result.js';

/** The endpoint, as the generated code declares it. */
interface McpOptions {
  readonly path: string;
  /** The name and version of the service. */
  readonly name: string;
  readonly version: string;
  /** Instructions for models. */
  readonly instructions?: string;
  /** The headers that user middleware sets, in lower case. Calls read them from the MCP request, and no argument sets them. */
  readonly ownHeaders?: readonly string[];
  /** Access control for requests other than calls; calls have that of their operations. */
  readonly access?: Access;
  /** The authentications whose issuers give tokens to clients. With the setting MCP_URL, clients can find these issuers. */
  readonly issuers?: readonly Issuing[];
  readonly tools: readonly Tool[];
}

/** Creates the endpoint. */
export function mcpEndpoint(options: McpOptions): ToolEndpoint {
  return new McpEndpoint(options);
}

class McpEndpoint implements ToolEndpoint {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #listed: Json[];
  readonly #ownHeaders: ReadonlySet<string>;
  #origins: ReadonlySet<string> = new Set();
  #metadata: ResourceMetadata | undefined;

  constructor(private readonly options: McpOptions) {
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
    this.#ownHeaders = new Set(options.ownHeaders);
    this.#listed = options.tools.map(
      ({ operation: _operation, arguments: _arguments, ...tool }) => tool as unknown as JsonObject,
    );
  }

  readSettings(environment: Environment): void {
    this.#origins = new Set(originsIn(environment.text('CORS_ORIGIN')));
    const { issuers = [], path } = this.options;
    this.#metadata = ResourceMetadata.from(environment, issuers, path);
  }

  methods(path: string): readonly string[] {
    if (path === this.options.path) return ofEndpoint;
    return this.#metadata?.owns(path) === true ? ofMetadata : [];
  }

  async respond(exchange: Exchange, offered: OwnRequest, limits: readonly RequestLimits[]): Promise<void> {
    const { request } = exchange;
    const { path, query } = pathAndQuery(request.url ?? '');
    if (path !== this.options.path) {
      for (const one of limits) await one.countClient(request, offered.counted);
      this.#sendMetadata(exchange);
      return;
    }
    // Also if the host is the same: foreign pages can have names that lead to this address.
    if (isOfOtherPage(request, this.#origins)) {
      sendMessage(exchange, 403, 'Only programs, and pages of the origins in CORS_ORIGIN, can call tools');
      return;
    }
    if (request.method !== 'POST') {
      sendMessage(exchange, 405, undefined, ['Allow', ofEndpoint.join(', ')]);
      return;
    }
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
      const admission = await this.options.access?.admit(this.#asked(offered, query));
      if (admission !== undefined && 'status' in admission)
        sendMessage(exchange, admission.status, undefined, admission.headers(response));
      else if (message.kind === 'notification') sendContent(exchange, 202, '', []);
      else send(exchange, message, descriptionFor(message, { ...this.options, tools: this.#listed }));
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      sendJson(exchange, error.status, errorResponse(error));
    } finally {
      call.release();
    }
  }

  /** The request, as authentications see it. */
  #asked(offered: OwnRequest, query: string): AccessRequest {
    return { ...offered, query, resourceMetadata: this.#metadata?.address };
  }

  /** The metadata are public, and the same for everybody. */
  #sendMetadata(exchange: Exchange): void {
    const { method = '' } = exchange.request;
    if (ofMetadata.includes(method)) sendJson(exchange, 200, this.#metadata?.body, cached);
    else sendMessage(exchange, 405, undefined, ['Allow', ofMetadata.join(', ')]);
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
      const admission = await operation.route.access?.admit(this.#asked(offered, query));
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

const ofEndpoint: readonly string[] = ['POST'];
const ofMetadata: readonly string[] = ['GET', 'HEAD'];
const cached = ['Cache-Control', 'max-age=300'];
const noMatch = { route: undefined, names: [], values: [], allow: [] };

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

function send(exchange: Exchange, message: Request, result: JsonObject): void {
  sendJson(exchange, 200, responseTo(message, result));
}
