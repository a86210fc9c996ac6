/** Responses whose body is, or has as fields, rows that are JSON already. */
import type { Call } from '../handler/call.js';
import { jsonInTurns, maxJson, takesTurns, tooLarge } from '../handler/json-text.js';
import type { Json } from '../handler/json.js';
import { reply, type Reply } from '../handler/reply.js';
import { type Exchange, isWrapped, ReplyContent } from '../http/exchange.js';
import { sendContent } from '../http/send-response.js';
import { JsonRows } from './json-rows.js';
import { release, type RowsAsJson } from './json-pieces.js';

/** Its fields are in the order of the response; those that are undefined are left out. */
export type BodyWithRows = JsonRows | Readonly<Record<string, JsonRows | Json | undefined>>;

/** Creates the reply of a response: `jsonReply(200, { items: books, size: 3 })`. */
export function jsonReply(status: number, body: BodyWithRows): Reply {
  return isJson(body) ? { status, content: new JsonContent(status, body) } : reply(status, valueOf(body));
}

/** Whether something of it is JSON already. */
export function isJson(body: BodyWithRows): boolean {
  if (body instanceof JsonRows) return 'json' in body.content;
  for (const name in body) {
    const part = body[name];
    if (part instanceof JsonRows && 'json' in part.content) return true;
  }
  return false;
}

/** The body as a value. */
export function valueOf(body: BodyWithRows): Json {
  if (body instanceof JsonRows) return valuesOf(body);
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, part]) =>
      part === undefined ? [] : [[name, part instanceof JsonRows ? valuesOf(part) : part]],
    ),
  );
}

function valuesOf({ content }: JsonRows): Json[] {
  if ('values' in content) return content.values;
  throw new Error('the rows are JSON, and no values any more');
}

class JsonContent extends ReplyContent {
  constructor(
    private readonly status: number,
    private readonly body: BodyWithRows,
  ) {
    super();
  }

  send(exchange: Exchange, call: Call): void | Promise<void> {
    const { body, status } = this;
    // Most bodies are small, and nothing has to be waited for.
    const json = body instanceof JsonRows ? jsonOfRows(body) : smallJson(body);
    if (json !== undefined) send(exchange, status, withinLimit(json));
    else return this.sendPieces(exchange, call);
  }

  private async sendPieces(exchange: Exchange, call: Call): Promise<void> {
    const { body, status } = this;
    send(exchange, status, await jsonOf(body, call));
  }
}

/** Pieces are used again when the network has them; not where middleware, which may keep them, has put itself around the response. */
function send(exchange: Exchange, status: number, content: string | readonly Buffer[]): void {
  const { response } = exchange;
  if (typeof content !== 'string' && !isWrapped(response))
    response.once('finish', () => {
      release(content);
    });
  sendContent(exchange, status, content, []);
}

/** Throws a ServiceError 500 for more than 256 MiB. */
export async function jsonOf(body: BodyWithRows, call: Call): Promise<string | readonly Buffer[]> {
  const pieces = body instanceof JsonRows ? await piecesOf(body, call) : await piecesOfFields(body, call);
  const isText = pieces.every((piece) => typeof piece === 'string');
  return withinLimit(
    isText
      ? pieces.join('')
      : pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}

/** Undefined where some of it is long. */
function smallJson(fields: Exclude<BodyWithRows, JsonRows>): string | undefined {
  let text = '';
  for (const name in fields) {
    const part = fields[name];
    if (part === undefined) continue;
    const json =
      part instanceof JsonRows ? jsonOfRows(part) : takesTurns(part) ? undefined : JSON.stringify(part);
    if (typeof json !== 'string') return undefined;
    text += (text === '' ? '{' : ',') + keyOf(name) + json;
  }
  return `${text}}`;
}

/** By the names of fields, which are of the configuration. */
const keys = new Map<string, string>();

function keyOf(name: string): string {
  let key = keys.get(name);
  if (key === undefined) {
    key = `${JSON.stringify(name)}:`;
    keys.set(name, key);
  }
  return key;
}

/** Undefined where they are values. */
function jsonOfRows({ content }: JsonRows): RowsAsJson | undefined {
  return 'json' in content ? content.json : undefined;
}

type Pieces = readonly (string | Buffer)[];

async function piecesOfFields(fields: Exclude<BodyWithRows, JsonRows>, call: Call): Promise<Pieces> {
  const pieces: (string | Buffer)[] = [];
  for (const [name, part] of Object.entries(fields)) {
    if (part === undefined) continue;
    pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    for (const piece of await piecesOf(part, call)) pieces.push(piece);
  }
  return [...pieces, '}'];
}

async function piecesOf(part: JsonRows | Json, call: Call): Promise<Pieces> {
  const json = part instanceof JsonRows ? jsonOfRows(part) : undefined;
  if (json !== undefined) return typeof json === 'string' ? [json] : json;
  const value = part instanceof JsonRows ? valuesOf(part) : part;
  return takesTurns(value) ? jsonInTurns(call, value) : [JSON.stringify(value)];
}

/** Throws a ServiceError 500 for more than 256 MiB. */
function withinLimit(content: string | readonly Buffer[]): string | readonly Buffer[] {
  if (typeof content !== 'string' && content.reduce((sum, { length }) => sum + length, 0) > maxJson)
    throw tooLarge();
  return content;
}
