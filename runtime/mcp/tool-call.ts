/** The call of an operation as a tool: its request has the arguments, and nothing else of the MCP request than the credentials. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestUrl } from '../handler/call.js';
import { isObject, textOf, type Json, type JsonObject } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { HttpCall } from '../http/http-call.js';
import { withoutSpace } from '../http/header-space.js';
import { parsePath } from '../http/router.js';
import type { Endpoint } from '../http/route.js';
import { Texts } from '../http/texts.js';
import type { Tool, ToolArgument } from './tool.js';

/** The parts of the operation's request. */
interface SentParts {
  readonly path: readonly string[];
  readonly query: readonly [name: string, value: string][];
  readonly headers: ReadonlyMap<string, string>;
  readonly cookies: ReadonlyMap<string, string>;
  /** Undefined without a body. */
  readonly body: Json | undefined;
}

/** Converts the arguments to the parts of a request. Throws a ServiceError 400 for arguments that no request can have. */
export function sentParts(tool: Tool, given: JsonObject): SentParts {
  const { arguments: all = [] } = tool;
  const known = new Set(all.map(({ name }) => name));
  for (const name of Object.keys(given)) if (!known.has(name)) throw unknownArgument(name, [...known]);
  const path: string[] = [];
  const query: [string, string][] = [];
  const headers = new Map<string, string>();
  const cookies = new Map<string, string>();
  let body: Json | undefined;
  for (const argument of all) {
    const { name, in: place, parameter = name } = argument;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (place === 'body') {
      if (value !== undefined) body = value;
    } else if (place === 'path') path.push(pathValue(argument, value));
    else if (value === undefined || value === null) continue;
    else if (place === 'query') query.push(...pairsOf(argument, value));
    else if (place === 'header') headers.set(parameter.toLowerCase(), headerValue(argument, value));
    else cookies.set(parameter, joined(argument, value));
  }
  return { path, query, headers, cookies, body };
}

function unknownArgument(name: string, known: readonly string[]): ServiceError {
  const has = known.length === 0 ? 'none' : known.join(', ');
  return new ServiceError(400, `There is no argument ${JSON.stringify(name)}; the arguments are: ${has}`);
}

function pathValue(argument: ToolArgument, value: Json | undefined): string {
  const text = joined(argument, value);
  if (text !== '') return text;
  throw new ServiceError(400, `The argument '${argument.name}' must be set and not empty`);
}

/** Headers cannot contain control characters, and spaces around their values are ignored. */
function headerValue(argument: ToolArgument, value: Json): string {
  const text = withoutSpace(joined(argument, value));
  if (!Array.from(text).some(isControl)) return text;
  throw new ServiceError(400, `The argument '${argument.name}' must not contain control characters`);
}

function isControl(character: string): boolean {
  return (character < ' ' && character !== '\t') || character === '\u007f';
}

/** The value as a single string. */
function joined(argument: ToolArgument, value: Json | undefined): string {
  const { list = ',' } = argument;
  const text =
    list === 'json' && value !== undefined
      ? JSON.stringify(value)
      : Array.isArray(value)
        ? value.map(textOf).join(list)
        : textOf(value);
  return wellFormed(argument, text);
}

/** A string of a URL or header cannot contain half of a character. */
function wellFormed({ name }: ToolArgument, text: string): string {
  if (!/\p{Surrogate}/u.test(text)) return text;
  throw new ServiceError(400, `The argument '${name}' is not valid Unicode`);
}

/** The query parameters of an argument. The parts of an object have names with brackets: `created[gte]`. */
function pairsOf(argument: ToolArgument, value: Json): [string, string][] {
  const { parameter = argument.name } = argument;
  if (argument.list !== undefined) return [[parameter, joined(argument, value)]];
  const pairs: [string, string][] = [];
  const add = (name: string, part: Json): void => {
    if (part === null) return;
    if (Array.isArray(part)) for (const element of part) add(isObject(element) ? `${name}[]` : name, element);
    else if (isObject(part))
      for (const [key, inner] of Object.entries(part)) add(`${name}[${wellFormed(argument, key)}]`, inner);
    else pairs.push([name, wellFormed(argument, textOf(part))]);
  };
  add(parameter, value);
  return pairs;
}

/** The MCP request, as far as a call knows it. */
interface Carrier {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly deadline: number;
  readonly requestId: string;
}

export class ToolCall extends HttpCall {
  /** The result is read here, and not sent as the bytes of rows. */
  readonly isReadHere = true;
  readonly #texts = new Texts();

  constructor(
    { request, response, deadline, requestId }: Carrier,
    private readonly endpoint: Endpoint,
    readonly sent: SentParts,
    /** The headers that user middleware sets, in lower case. */
    private readonly ownHeaders: ReadonlySet<string>,
  ) {
    const names = parsePath(endpoint.path).flatMap((segment) => segment.names);
    const match = { route: undefined, names, values: sent.path, allow: [] };
    super(request, response, match, '', deadline, requestId);
    for (const [name, value] of sent.query) this.#texts.add(name, value);
    this.#texts.findBrackets();
    // The method of the operation decides, and not that of the MCP request.
    this.mayLag = endpoint.method === 'GET';
  }

  override get queryTexts(): Texts {
    return this.#texts;
  }

  override queries(): ReadonlyMap<string, Json> {
    return this.#texts.all();
  }

  override get url(): RequestUrl {
    let index = 0;
    const path = this.endpoint.path.replaceAll(/\{[^{}]*\}/g, () => {
      index += 1;
      return encodeURIComponent(this.sent.path[index - 1] ?? '');
    });
    return { path, query: this.sent.query };
  }

  override header(name: string): string | null {
    const key = name.toLowerCase();
    return this.ownHeaders.has(key) ? super.header(key) : (this.sent.headers.get(key) ?? null);
  }

  override cookie(name: string): string | null {
    return this.sent.cookies.get(name) ?? null;
  }
}
