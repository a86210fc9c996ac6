/** Records a third-party request and its response as a stub without secrets. */
import { isSecretHeader, isSecretOption } from '../../read/diagnostics/secrets/secret-words.js';
import type { ForwardedResponse } from '../local/forward-request.js';
import { isForm } from '../local/form-type.js';
import type { StubRequest } from '../local/stub-server.js';
import { decoded } from '../../read/openapi/documents.js';
import { literalText } from './read/value-patterns.js';

export interface RecordedStub {
  /** The stub in the format of stub files. */
  readonly stub: Readonly<Record<string, unknown>>;
  /** Secrets found in the response, which stubs must not contain. */
  readonly learnt: readonly string[];
}

/** Replacements of secrets: any string in requests, a fixed string in responses. */
const anyText = '<string>';
const instead = 'test';

/** Shorter values occur in ordinary strings. */
const shortestSecret = 4;

/** Response headers that are kept in addition to the content type: URLs that the service follows. */
const addresses = [
  ['link', 'Link'],
  ['location', 'Location'],
] as const;

/**
 * `secrets` are known secret values. All request headers are omitted, as are all response headers except content type and URLs. Returns the
 * reason if the stub cannot be written.
 */
export function recordedStub(
  request: StubRequest,
  response: ForwardedResponse,
  secrets: ReadonlySet<string>,
): RecordedStub | string {
  const known = [...secrets].filter((secret) => secret.length >= shortestSecret);
  const hides = (text: string): boolean => known.some((secret) => text.includes(secret));
  if (hides(request.path) || hides(decoded(request.path))) return 'its path has a secret in it';
  const text = textOf(response.body);
  if (text === undefined) return 'its response is not text';
  const learnt: string[] = [];
  const ofRequest = (value: unknown, isSecret: boolean): unknown =>
    typeof value === 'string'
      ? isSecret || hides(value)
        ? anyText
        : literalText(value)
      : isSecret
        ? '<any>'
        : value;
  const ofResponse = (value: unknown, isSecret: boolean): unknown => {
    if (isSecret && value !== null && typeof value !== 'boolean') {
      if (typeof value === 'string') learnt.push(value);
      return typeof value === 'number' ? 0 : instead;
    }
    return typeof value === 'string' ? clean(value) : value;
  };
  const clean = (written: string): string => withoutParameters(without(written, known), learnt);
  const type = response.headers['content-type'] ?? '';
  const json = /json/i.test(type) || type === '' ? parsed(text) : undefined;
  // Secrets in invalid JSON could not be found.
  if (/json/i.test(type) && text !== '' && json === undefined) return 'its response is not valid JSON';
  const body = text === '' ? undefined : json === undefined ? clean(text) : mapped(json.value, ofResponse);
  const header = {
    ...(body === undefined || json !== undefined ? {} : { 'Content-Type': type || 'text/plain' }),
    ...Object.fromEntries(
      addresses.flatMap(([name, written]) => {
        const value = response.headers[name];
        return value === undefined ? [] : [[written, clean(value)]];
      }),
    ),
  };
  return {
    stub: {
      request: `${request.method} ${request.path}`,
      // Always written, because a stub without `query` matches every query.
      query: textsOf(request.query, ofRequest),
      ...bodyOf(request, ofRequest),
      response: {
        ...(response.status === 200 ? {} : { statuscode: response.status }),
        ...(Object.keys(header).length === 0 ? {} : { header }),
        ...(body === undefined ? {} : { body }),
      },
    },
    learnt,
  };
}

type Change = (value: unknown, isSecret: boolean) => unknown;

/** The values of a query or form by name, with secrets replaced. */
function textsOf(pairs: URLSearchParams, change: Change): unknown {
  const names = [...new Set(pairs.keys())];
  const valueOf = (name: string): unknown => {
    const isSecret = isSecretParameter(name);
    const values = pairs.getAll(name).map((value) => change(value, isSecret));
    return values.length === 1 ? values[0] : values;
  };
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

/** JSON and forms without files are compared; any other body matches. */
function bodyOf({ headers, body }: StubRequest, change: Change): { body?: unknown; form?: unknown } {
  if (isForm(headers['content-type']))
    return { form: textsOf(new URLSearchParams(body.toString('utf8')), change) };
  const json = /json/i.test(headers['content-type'] ?? '') ? parsed(textOf(body) ?? '') : undefined;
  return json === undefined ? {} : { body: mapped(json.value, change) };
}

/** Changes every leaf of the value; everything below the name of a secret counts as secret. */
function mapped(value: unknown, change: Change, isSecret = false): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, isSecret));
  if (typeof value !== 'object' || value === null) return change(value, isSecret);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      mapped(inner, change, isSecret || (isSecretHeader(name) && !isPageToken(name))),
    ]),
  );
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, instead), text);
}

function isSecretParameter(name: string): boolean {
  return (isSecretOption(name) || isSecretHeader(name)) && !isPageToken(name);
}

/**
 * Whether the name is that of a next-page token, such as `nextPageToken`: these are not credentials, and recordings could not be matched
 * without them.
 */
function isPageToken(name: string): boolean {
  return /(?:page|next|continuation|cursor|sync)[-_.]?token$/i.test(name);
}

/** A URL parameter in a string: the preceding character, the name and the value. */
const parameter = /([?&])([\w.%-]+)=([^&#\s"'<>]*)/g;

/** The text with the values of secret parameters replaced and added to `learnt`. */
function withoutParameters(text: string, learnt: string[]): string {
  return text.replaceAll(parameter, (whole, before: string, name: string, value: string) => {
    if (value === '' || value === instead || !isSecretParameter(decoded(name))) return whole;
    learnt.push(value, decoded(value));
    return `${before}${name}=${instead}`;
  });
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
