/** Digests of requests: equal requests have equal digests, and the digests reveal nothing about them. */
import { createHash } from 'node:crypto';
import { hasNumbers, isNumberIn, type Json } from '../handler/json.js';
import type { UploadedFile } from '../handler/call.js';
import type { HttpCall } from '../http/http-call.js';

/** The headers and cookies that the operation reads. */
export interface ReadNames {
  readonly headers?: readonly string[];
  readonly cookies?: readonly string[];
  /** Parameters that the API description does not declare: a header has the value if the path, the query and the form have none. */
  readonly parameters?: readonly string[];
}

/** A digest of these values. */
export function digestOf(...values: readonly Json[]): string {
  return createHash('sha256').update(canonical(values)).digest('base64url');
}

/** A digest of all that the operation reads of the request. */
export function requestDigest(
  call: HttpCall,
  { headers = [], cookies = [], parameters = [] }: ReadNames,
): string {
  const { path, query } = call.url;
  return digestOf(
    path,
    query.map((pair) => [...pair]),
    headers.map((name) => call.header(name)),
    cookies.map((name) => call.cookie(name)),
    parameters.map((name) => call.param(name)),
    call.body,
    formOf(call),
  );
}

function formOf({ form }: HttpCall): Json {
  if (form === undefined) return null;
  const files = [...form.files].map(([part, file]) => [
    part,
    ...(form.lists.get(part) ?? [file]).map(fileOf),
  ]);
  return [[...form.texts.all()].map((pair) => [...pair]), files];
}

function fileOf({ name, type, chunks }: UploadedFile): Json {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return [name, type, hash.digest('base64url')];
}

/** The JSON of a value with sorted fields. Numbers that do not fit in a double are written as numbers, so they differ from strings. */
function canonical(value: Json | readonly Json[]): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const exact = hasNumbers(value);
  const part = (name: string | number, one: Json): string =>
    exact && typeof one === 'string' && isNumberIn(value, name) ? one : canonical(one);
  if (Array.isArray(value))
    return `[${(value as readonly Json[]).map((one, index) => part(index, one)).join(',')}]`;
  const fields = Object.entries(value as Readonly<Record<string, Json>>).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${part(name, one)}`).join(',')}}`;
}
