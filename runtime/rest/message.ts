/** One request to a third-party API, and its body as bytes. */
import { type Call, UploadedFile } from '../handler/call.js';
import { type Json, textOf } from '../handler/json.js';
import { isLarge, jsonInTurns } from '../handler/json-text.js';
import type { Sign } from './http-exchange.js';
import { withoutBlanks } from './header-text.js';
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../handler/reply.js';

/** A request to a third-party API. */
export interface Message {
  /** An absolute URL, or a path and query that are appended to the base URL. All values in it are encoded. */
  readonly url: string | URL;
  /** Header values by name; undefined values are omitted. */
  readonly header?: Readonly<Record<string, string | undefined>>;
  /** A JSON body. */
  readonly body?: Json;
  /** An application/x-www-form-urlencoded body. */
  readonly form?: FormFields;
  readonly multipart?: Parts;
  /** Signs the message; takes precedence over the signature of the datasource. */
  readonly sign?: Sign;
  /** A body that is already serialized. */
  readonly content?: Content;
}

/** A serialized body, and the headers that describe it. */
export interface Content {
  readonly chunks: readonly Buffer[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The serialized body of a message: undefined without a body, a promise for a large body. */
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

/** The named header, in any letter case; `name` must be lower-case. Undefined if missing. */
export function headerIn(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([written]) => written.toLowerCase() === name)?.[1];
}

/** Merges headers, ignoring the letter case of names. Later headers replace earlier ones. */
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

/** A multipart body, in pieces. */
interface MultipartBody {
  readonly contentType: string;
  readonly chunks: readonly Buffer[];
}

/** Parts by name, in order. Null omits a part; a list of files is one part for each file. */
export type Parts = Readonly<Record<string, Json | UploadedFile | readonly UploadedFile[] | undefined>>;

/** A multipart body with the given parts. */
export function multipartBody(parts: Parts): MultipartBody {
  // The boundary is random, so that values cannot contain it.
  const boundary = `----part-${randomBytes(18).toString('hex')}`;
  const chunks: Buffer[] = [];
  for (const [name, value] of Object.entries(parts).flatMap(eachFile)) {
    if (value === null || value === undefined) continue;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
    if (value instanceof UploadedFile) {
      const type = `Content-Type: ${value.type}\r\n`;
      chunks.push(
        Buffer.from(`${head}; filename="${escapeName(value.name)}"\r\n${type}\r\n`),
        ...value.chunks,
      );
    } else {
      chunks.push(Buffer.from(`${head}\r\n\r\n${textOf(value)}`));
    }
    chunks.push(Buffer.from('\r\n'));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, chunks };
}

/** A part, or one for each file of a list. */
function eachFile([name, value]: [string, Parts[string]]): [string, Json | UploadedFile | undefined][] {
  return isFiles(value) ? value.map((file) => [name, file]) : [[name, value]];
}

function isFiles(value: Parts[string]): value is readonly UploadedFile[] {
  return Array.isArray(value) && value.every((one) => one instanceof UploadedFile);
}

/**
 * Escapes names as browsers do (HTML, multipart form data): in UTF-8, with escapes for characters that would end the name. Other
 * control characters are also escaped, because some parsers stop at U+0000.
 */
function escapeName(name: string): string {
  return name.replace(/["\p{Cc}]/gu, (character) => encodeURIComponent(character));
}

/** Fields by name, in order. A list repeats its field for each element; null omits the field. */
export type FormFields = Readonly<Record<string, Json | undefined>>;

/** A URL-encoded body. Throws a ServiceError 400 for invalid Unicode. */
export function formBody(fields: FormFields): Buffer {
  const form = new URLSearchParams();
  for (const [name, given] of Object.entries(fields)) {
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value !== null && value !== undefined) form.append(name, wellFormed(textOf(value)));
    }
  }
  return Buffer.from(form.toString());
}

const loneSurrogate = /\p{Surrogate}/u;

/** Rejects invalid Unicode, which URLSearchParams would silently replace. */
function wellFormed(text: string): string {
  if (!loneSurrogate.test(text)) return text;
  throw new ServiceError(400, 'A value cannot be sent in a form: it is not valid Unicode');
}
