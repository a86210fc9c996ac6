/** The results of tools: text with a maximum length for models, and the whole body for programs. */
import type { OperationResult } from '../code/operation-result.js';
import { isObject, textOf, type Json, type JsonObject } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import type { Tool, ToolArgument, ToolResult } from './tool.js';

/** Numbers with as many characters fit in a double. */
const maxDigits = 15;

/** Maximum characters of a body in the text of a result. */
const longest = 16 * 1024;

/** The result of a call with a response of the operation. */
export function resultOfResponse(tool: Tool, response: OperationResult<Json>): ToolResult {
  const { status, headers, body } = response;
  if (status >= 400) return failed(status, body === null ? '' : bounded(JSON.stringify(body)));
  const next = argumentsOf(tool, response.next);
  const more = next === undefined ? [] : [`Arguments for the next page: ${JSON.stringify(next)}`];
  const notes = notesOf(status, headers, body);
  if (Array.isArray(body)) {
    const { text, isWhole } = textOfRows(body);
    const page: JsonObject = { items: body, ...(next === undefined ? {} : { next }) };
    // A model that reads the text must not continue after rows that it has not seen.
    return { content: texts(text, ...(isWhole ? more : []), ...notes), structuredContent: page };
  }
  const text = body === null ? [] : [bounded(typeof body === 'object' ? JSON.stringify(body) : textOf(body))];
  const content = texts(...text, ...more, ...notes);
  return isObject(body) ? { content, structuredContent: body } : { content };
}

/** The result of a call that the service refuses or that fails. */
export function failed(status: number, message: string): ToolResult {
  return { content: texts(`${status}: ${message}`), isError: true };
}

function texts(...all: readonly string[]): Json[] {
  return all.map((text) => ({ type: 'text', text }));
}

/** Facts for the next call of a model that the body does not contain. */
function notesOf(status: number, headers: OperationResult<Json>['headers'], body: Json): string[] {
  const { etag, location } = headers;
  const notes: string[] = [];
  if (body === null) notes.push(`Status ${status}, without a body`);
  // The hash of a body cannot be sent with a later change.
  if (typeof etag === 'string' && !etag.startsWith('W/')) notes.push(`ETag: ${etag}`);
  if (typeof location === 'string') notes.push(`Location: ${location}`);
  return notes;
}

/** The rows as JSON, one a line, as many as fit. */
function textOfRows(rows: readonly Json[]): { readonly text: string; readonly isWhole: boolean } {
  const lines: string[] = [];
  let length = 0;
  for (const row of rows) {
    const line = JSON.stringify(row);
    length += line.length + 2;
    if (length > longest) break;
    lines.push(line);
  }
  const shown = `[${lines.join(',\n')}]`;
  if (lines.length === rows.length) return { text: shown, isWhole: true };
  const left = rows.length - lines.length;
  const text = `${shown}\n… ${left} more ${left === 1 ? 'row' : 'rows'}. Ask for fewer rows to see all of them.`;
  return { text, isWhole: false };
}

function bounded(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest)}\n… ${text.length - longest} more characters`;
}

/** The arguments for the page with this URL; undefined for the last page, and without pages. */
function argumentsOf(tool: Tool, target: string | undefined): JsonObject | undefined {
  if (target === undefined) return undefined;
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
  const found: JsonObject = {};
  const properties = tool.inputSchema['properties'] as Readonly<Record<string, JsonObject>> | undefined;
  for (const { name, in: place, parameter = name, list } of tool.arguments ?? []) {
    const values = place === 'query' ? query.getAll(parameter) : [];
    const [first] = values;
    if (first === undefined || first === '') continue;
    found[name] = asArgument(properties?.[name], values, list);
  }
  return found;
}

/** The value of JSON; other strings as they are. */
function jsonOr(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The values of a query parameter as an argument with the type of its schema, which clients check. */
function asArgument(
  schema: JsonObject | undefined,
  values: readonly string[],
  list: ToolArgument['list'],
): Json {
  const [first = ''] = values;
  if (list === 'json') return jsonOr(first);
  const types = [schema?.['type'] ?? []].flat();
  if (values.length > 1 || types.includes('array')) {
    const items = schema?.['items'];
    const ofItems = isObject(items) ? items : undefined;
    const elements = list === undefined ? values : first.split(list);
    return elements.map((one) => asArgument(ofItems, [one], undefined));
  }
  if (types.includes('boolean') && /^(?:true|false)$/.test(first)) return first === 'true';
  const number = Number(first);
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && Number.isFinite(number) && first.length <= maxDigits ? number : first;
}
