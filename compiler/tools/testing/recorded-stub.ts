/** A request to a third party and its response as a stub, with every secret left out. */
import { isSecretHeader, isSecretOption } from '../../read/diagnostics/secrets/secret-words.js';
import type { ForwardedResponse } from '../local/forward-request.js';
import { isForm } from '../local/form-type.js';
import type { StubRequest } from '../local/stub-server.js';

export interface RecordedStub {
  /** As a file of stubs has it. */
  readonly stub: Readonly<Record<string, unknown>>;
  /** Secrets of the response that stubs do not contain. */
  readonly learnt: readonly string[];
}

/** The replacement of a secret: in requests any string matches; responses contain a string that is not one. */
const anyText = '<string>';
const instead = 'test';

/** Shorter ones occur in ordinary texts. */
const shortestSecret = 4;

/**
 * `secrets`: values that are known to be secret. All headers of requests are left out, and all headers of responses except the content
 * type. Returns the reason if it cannot be written.
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
        : literal(value)
      : isSecret
        ? '<any>'
        : value;
  const ofResponse = (value: unknown, isSecret: boolean): unknown => {
    if (isSecret && value !== null && typeof value !== 'boolean') {
      if (typeof value === 'string') learnt.push(value);
      return typeof value === 'number' ? 0 : instead;
    }
    return typeof value === 'string' ? without(value, known) : value;
  };
  const type = response.headers['content-type'] ?? '';
  const json = /json/i.test(type) || type === '' ? parsed(text) : undefined;
  // Nor can its secrets be found.
  if (/json/i.test(type) && text !== '' && json === undefined) return 'its response is not valid JSON';
  const body =
    text === '' ? undefined : json === undefined ? without(text, known) : mapped(json.value, ofResponse);
  return {
    stub: {
      request: `${request.method} ${request.path}`,
      // Without it a stub matches every query.
      query: textsOf(request.query, ofRequest),
      ...bodyOf(request, ofRequest),
      response: {
        ...(response.status === 200 ? {} : { statuscode: response.status }),
        ...(body === undefined || json !== undefined
          ? {}
          : { header: { 'Content-Type': type || 'text/plain' } }),
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
    const isSecret = isSecretOption(name) || isSecretHeader(name);
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
      mapped(inner, change, isSecret || isSecretHeader(name)),
    ]),
  );
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, instead), text);
}

/** Escapes a text that would be read as a pattern, such as `/a/`. */
function literal(text: string): string {
  if (/^\\[/<]/.test(text)) return anyText;
  return /^[/<]/.test(text) ? `\\${text}` : text;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
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
