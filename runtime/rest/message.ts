/** One request to a third-party API, and its body as bytes. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { isLarge, jsonInTurns } from '../handler/json-text.js';
import { multipartBody, type Parts } from './multipart-body.js';

/** One request. */
export interface Message {
  /** Absolute, or a path and query that are appended to the base URL; all values in it are encoded. */
  readonly url: string | URL;
  /** Values by name; undefined ones are omitted. */
  readonly header?: Readonly<Record<string, string | undefined>>;
  /** A JSON body. */
  readonly body?: Json;
  readonly multipart?: Parts;
}

/** A body and the headers that describe it. */
export interface Content {
  readonly chunks: readonly Buffer[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The body of a message: undefined without a body, a promise for a large one. */
export function contentOf(call: Call, { body, multipart }: Message): Content | Promise<Content> | undefined {
  if (multipart !== undefined) {
    const { chunks, contentType, length } = multipartBody(multipart);
    return { chunks, headers: { 'Content-Type': contentType, 'Content-Length': String(length) } };
  }
  if (body === undefined) return undefined;
  if (isLarge(body)) return jsonInTurns(call, body).then(jsonContent);
  return jsonContent([Buffer.from(JSON.stringify(body))]);
}

function jsonContent(chunks: readonly Buffer[]): Content {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { chunks, headers: { 'Content-Type': 'application/json', 'Content-Length': String(length) } };
}

/** Headers by name in any letter case. A later one replaces an earlier one. */
export function mergeHeaders(
  ...lists: readonly (Readonly<Record<string, string | undefined>> | undefined)[]
): Record<string, string> {
  const merged = new Map<string, readonly [string, string]>();
  for (const list of lists) {
    for (const [name, value] of Object.entries(list ?? {})) {
      if (value !== undefined) merged.set(name.toLowerCase(), [name, value]);
    }
  }
  return Object.fromEntries(merged.values());
}
