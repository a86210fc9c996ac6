/** Sends JSON bodies that are long, or contain rows that are already JSON. */
import type { Call } from '../handler/call.js';
import { jsonInTurns, maxJson, takesTurns, tooLarge } from '../handler/json-text.js';
import type { Json, JsonObject } from '../handler/json.js';
import { JsonRows } from '../handler/rows-as-json.js';
import { type Exchange, isWrapped } from '../http/exchange.js';
import { sendContent } from '../http/send-response.js';
import { release } from './json-pieces.js';

/** Sends a body for which `takesTurns` returns true. Throws a ServiceError. */
export function sendInTurns(
  exchange: Exchange,
  call: Call,
  status: number,
  body: Json,
): void | Promise<void> {
  // Most lists of rows are short enough to be sent without waiting.
  const json =
    body instanceof JsonRows ? withinLimit(body.json) : hasRows(body) ? smallJson(body) : undefined;
  if (json !== undefined) send(exchange, status, json);
  else return sendPieces(exchange, call, status, body);
}

async function sendPieces(exchange: Exchange, call: Call, status: number, body: Json): Promise<void> {
  send(exchange, status, await jsonOf(body, call));
}

/** Reuses the memory of pieces after they have been sent, unless middleware wraps the response and may keep them. */
function send(exchange: Exchange, status: number, content: string | readonly Buffer[]): void {
  const { response } = exchange;
  if (typeof content !== 'string' && !isWrapped(response))
    response.once('finish', () => {
      release(content);
    });
  sendContent(exchange, status, content, []);
}

/** The JSON of any body, written with pauses if it is long. Throws a ServiceError 500 for more than 256 MiB. */
export async function jsonOf(body: Json, call: Call): Promise<string | readonly Buffer[]> {
  const pieces = hasRows(body) ? await piecesOfFields(body, call) : await piecesOf(body, call);
  const isText = pieces.every((piece) => typeof piece === 'string');
  return withinLimit(
    isText
      ? pieces.join('')
      : pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}

/** Whether some fields are already JSON. */
function hasRows(body: Json): body is JsonObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  for (const name in body) if (body[name] instanceof JsonRows) return true;
  return false;
}

/** The JSON of fields; undefined if a field is long. */
function smallJson(fields: JsonObject): string | undefined {
  let text = '';
  for (const name in fields) {
    const part: Json | undefined = fields[name];
    if (part === undefined) continue;
    const json = part instanceof JsonRows ? part.json : takesTurns(part) ? undefined : JSON.stringify(part);
    if (typeof json !== 'string') return undefined;
    text += (text === '' ? '{' : ',') + keyOf(name) + json;
  }
  return `${text}}`;
}

/** Serialized field names. All names are from the configuration, so the map stays small. */
const keys = new Map<string, string>();

function keyOf(name: string): string {
  let key = keys.get(name);
  if (key === undefined) {
    key = `${JSON.stringify(name)}:`;
    keys.set(name, key);
  }
  return key;
}

type Pieces = readonly (string | Buffer)[];

async function piecesOfFields(fields: JsonObject, call: Call): Promise<Pieces> {
  const pieces: (string | Buffer)[] = [];
  for (const [name, part] of Object.entries<Json | undefined>(fields)) {
    if (part === undefined) continue;
    pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    for (const piece of await piecesOf(part, call)) pieces.push(piece);
  }
  return [...pieces, '}'];
}

async function piecesOf(part: Json, call: Call): Promise<Pieces> {
  if (part instanceof JsonRows) return typeof part.json === 'string' ? [part.json] : part.json;
  return takesTurns(part) ? jsonInTurns(call, part) : [JSON.stringify(part)];
}

/** Returns the content. Throws a ServiceError 500 for more than 256 MiB. */
function withinLimit(content: string | readonly Buffer[]): string | readonly Buffer[] {
  if (typeof content !== 'string' && content.reduce((sum, { length }) => sum + length, 0) > maxJson)
    throw tooLarge();
  return content;
}
