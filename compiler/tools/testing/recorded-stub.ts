/** A request to a third party and its response as a stub, with every secret left out. */
import { isSecretHeader, isSecretOption } from '../../read/diagnostics/secrets/secret-words.js';
import type { ForwardedResponse } from '../local/forward-request.js';
import { isForm } from '../local/form-type.js';
import type { StubRequest } from '../local/stub-server.js';
import { decoded } from '../../read/openapi/documents.js';
import { literalText } from './read/value-patterns.js';

export interface RecordedStub {
  /** In the format of stub files. */
  readonly stub: Readonly<Record<string, unknown>>;
  /** Secrets of the response that stubs do not contain. */
  readonly learnt: readonly string[];
}

/** The replacement of a secret: in requests any string matches; responses contain a string that is not one. */
const anyText = '<string>';
const instead = 'test';

/** Shorter ones occur in ordinary texts. */
const shortestSecret = 4;

/** Headers of responses that are kept in addition to the content type: the addresses that the service follows. */
const addresses = [
  ['link', 'Link'],
  ['location', 'Location'],
] as const;

/**
 * `secrets`: values that are known to be secret. All headers of requests are left out, and all headers of responses except the content
 * type and addresses. Returns the reason if it cannot be written.
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
  // Nor can its secrets be found.
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
      // Without it a stub matches every query.
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

/** The values of a query or a form by name, with secrets replaced. */
function textsOf(pairs: URLSearchParams, change: Change): unknown {
  const names = [...new Set(pairs.keys())];
  const valueOf = (name: string): unknown => {
    const isSecret = isSecretParameter(name);
    const values = pairs.getAll(name).map((value) => change(value, isSecret));
    return values.length === 1 ? values[0] : values;
  };
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

/** JSON and forms without files are compared: any other body matches. */
function bodyOf({ headers, body }: StubRequest, change: Change): { body?: unknown; form?: unknown } {
  if (isForm(headers['content-type']))
    return { form: textsOf(new URLSearchParams(body.toString('utf8')), change) };
  const json = /json/i.test(headers['content-type'] ?? '') ? parsed(textOf(body) ?? '') : undefined;
  return json === undefined ? {} : { body: mapped(json.value, change) };
}

/** The value with every leaf changed; all below the name of a secret is one. */
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
 * True for tokens of the next page of a list, such as `nextPageToken`: they are not credentials, and recordings could not be matched
 * without them.
 */
function isPageToken(name: string): boolean {
  return /(?:page|next|continuation|cursor|sync)[-_.]?token$/i.test(name);
}

/** A parameter of a URL in a string: the character before its name, the name and the value. */
const parameter = /([?&])([\w.%-]+)=([^&#\s"'<>]*)/g;

/** The text with the values of secret parameters replaced, which are `learnt`. */
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
