/** One request to a third-party API, and its body as bytes. */
import type { Call } from '../handler/call.js';
import { formBody, type FormFields } from './form-body.js';
import type { Json } from '../handler/json.js';
import { isLarge, jsonInTurns } from '../handler/json-text.js';
import type { Sign } from './http-exchange.js';
import { withoutBlanks } from './header-text.js';
import { multipartBody, type Parts } from './multipart-body.js';

/** One request. */
export interface Message {
  /** Absolute, or a path and query that are appended to the base URL; all values in it are encoded. */
  readonly url: string | URL;
  /** Values by name; undefined ones are omitted. */
  readonly header?: Readonly<Record<string, string | undefined>>;
  /** A JSON body. */
  readonly body?: Json;
  /** An application/x-www-form-urlencoded body. */
  readonly form?: FormFields;
  readonly multipart?: Parts;
  /** Signs what is sent, in place of the datasource. */
  readonly sign?: Sign;
  /** A body that is bytes already. */
  readonly content?: Content;
}

/** A body and the headers that describe it. */
export interface Content {
  readonly chunks: readonly Buffer[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The body of a message: undefined without a body, a promise for a large one. */
export function contentOf(
  call: Call,
  { body, form, multipart, content }: Message,
): Content | Promise<Content> | undefined {
  if (multipart !== undefined) {
    const { chunks, contentType } = multipartBody(multipart);
    return contentIn(chunks, contentType);
  }
  if (form !== undefined) return contentIn([formBody(form)], 'application/x-www-form-urlencoded');
  if (body === undefined) return content;
  if (isLarge(body)) return jsonInTurns(call, body).then(jsonContent);
  return jsonContent([Buffer.from(JSON.stringify(body))]);
}

function jsonContent(chunks: readonly Buffer[]): Content {
  return contentIn(chunks, 'application/json');
}

function contentIn(chunks: readonly Buffer[], type: string): Content {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { chunks, headers: { 'Content-Type': type, 'Content-Length': String(length) } };
}

/** The header of that name, in lower case, whatever the case of its letters is; undefined if there is none. */
export function headerIn(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([written]) => written.toLowerCase() === name)?.[1];
}

/** Headers by name in any letter case. A later one replaces an earlier one. */
export function mergeHeaders(
  ...lists: readonly (Readonly<Record<string, string | undefined>> | undefined)[]
): Record<string, string> {
  const merged = new Map<string, readonly [string, string]>();
  for (const list of lists) {
    for (const [name, value] of Object.entries(list ?? {})) {
      if (value !== undefined) merged.set(name.toLowerCase(), [name, withoutBlanks(value)]);
    }
  }
  return Object.fromEntries(merged.values());
}
