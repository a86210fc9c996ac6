/** The third parties of one step: each request must be expected, and each expected request must arrive. */
import type { StubRequest, StubResponse } from '../local/stub-server.js';
import type { MapNode } from '../../read/config/yaml/node.js';
import { formType, isForm } from '../local/form-type.js';
import type { Span } from '../../read/source.js';
import { filledText, jsonOfNode, textEntries, textOfJson, type SavedValues } from './actual-values.js';
import { differences, matches, type Difference } from './compare-values.js';
import type { ExpectedMail, Stub, TestStep } from './read/test-model.js';
import { quotedList } from '../../read/diagnostics/quoted-list.js';
import { createHmac } from 'node:crypto';
import { schemes } from '../../../runtime/signature/schemes.js';

/** The part of a step that its stubs need. */
export type StubbedStep = Pick<TestStep, 'stubs' | 'mails' | 'node' | 'action'>;

/** A problem between the service and a third party. */
export interface StubFailure {
  readonly span: Span;
  readonly message: string;
}

/** A mail as the service under test sends it (runtime/testing/tested-smtp.ts). */
interface SentMail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

interface Expected {
  readonly stub: Stub;
  received: number;
}

export class StubbedApis {
  readonly #failures: StubFailure[] = [];
  readonly #expected: readonly Expected[];
  /** Expected mails that have not arrived. */
  readonly #mails: ExpectedMail[];
  readonly #kept = new Map<string, string>();

  constructor(
    private readonly step: StubbedStep,
    private readonly kept: SavedValues,
  ) {
    this.#expected = step.stubs.map((stub) => ({ stub, received: 0 }));
    this.#mails = [...step.mails];
  }

  /** Responds to a mail, as the service under test sends it. If several expected mails match, uses the first one. */
  playMail(datasource: string, request: Pick<StubRequest, 'body'>): StubResponse {
    const mail = JSON.parse(request.body.toString('utf8')) as SentMail;
    const open = this.#mails.filter((one) => one.datasource === datasource);
    const found = open.find((one) => this.#otherParts(one, mail).length === 0) ?? open[0];
    if (found === undefined) {
      const { action, node } = this.step;
      this.#failures.push({
        span: action.kind === 'request' ? action.request.span : node.span,
        message: `${datasource} got a mail that was not expected: ${mail.subject}, to ${mail.to.join(', ')}`,
      });
      return { status: 550 };
    }
    this.#mails.splice(this.#mails.indexOf(found), 1);
    for (const { path, message, span } of this.#otherParts(found, mail))
      this.#failures.push({ span, message: `mail of ${datasource}: ${path}: ${message}` });
    for (const { name, pattern } of found.keep) {
      const [, part] = new RegExp(pattern.value, 'u').exec(mail.text) ?? [];
      if (part !== undefined) this.#kept.set(name, part);
      else
        this.#failures.push({
          span: pattern.span,
          message: `the text of the mail has nothing for ${pattern.value}, so '${name}' cannot be kept`,
        });
    }
    return { status: found.status };
  }

  /** Strings of the step's mails that later steps can read, by name. */
  get keptOfMails(): ReadonlyMap<string, string> {
    return this.#kept;
  }

  #otherParts(expected: ExpectedMail, mail: SentMail): Difference[] {
    const parts = ['to', 'cc', 'replyTo', 'subject', 'text', 'html'] as const;
    return parts.flatMap((part) => {
      const node = expected[part];
      if (node === undefined) return [];
      const sent: readonly unknown[] | string | undefined = mail[part];
      // One address may be written without a list.
      const actual: unknown =
        typeof sent === 'object' && sent.length === 1 && node.kind === 'scalar' ? sent[0] : sent;
      return differences(node, actual, { kept: this.kept, isPartial: false }, part);
    });
  }

  /** Responds to a request to a datasource. If several expected requests match, uses the first one that has not arrived yet. */
  play(datasource: string, request: StubRequest): StubResponse {
    const own = this.#expected.filter(({ stub }) => stub.datasource === datasource);
    const open = own.filter(({ stub, received }) => received < stub.times);
    const found = open.find(({ stub }) => this.#whyNot(stub, request).length === 0);
    if (found !== undefined) {
      found.received += 1;
      return this.#respond(found.stub);
    }
    const line = `${request.method} ${request.path}${request.query.size === 0 ? '' : `?${request.query.toString()}`}`;
    const near = open.find(({ stub }) => stub.request.method === request.method && this.#isAt(stub, request));
    if (near === undefined) {
      const message = `${datasource} got a request that was not expected: ${line}`;
      this.#failures.push({
        span: this.step.action.kind === 'request' ? this.step.action.request.span : this.step.node.span,
        message,
      });
    } else {
      near.received += 1;
      for (const { path, message, span } of this.#whyNot(near.stub, request))
        this.#failures.push({ span, message: `request ${line} to ${datasource}: ${path}: ${message}` });
    }
    return {
      status: 501,
      headers: { 'content-type': 'application/json' },
      body: '{"message":"The test does not expect this request"}',
    };
  }

  /** The failures of the step; call after its end. */
  failures(): StubFailure[] {
    const missing = this.#expected.flatMap(({ stub, received }): StubFailure[] => {
      const { request, datasource, times } = stub;
      if (received >= times) return [];
      const count = times === 1 ? 'did not arrive' : `arrived ${received} of ${times} times`;
      return [
        {
          span: request.span,
          message: `the request ${request.method} ${request.target} to ${datasource} ${count}`,
        },
      ];
    });
    const mails = this.#mails.map(({ datasource, span }): StubFailure => ({
      span,
      message: `the mail of ${datasource} was not sent`,
    }));
    return [...this.#failures, ...missing, ...mails];
  }

  /** Differences between a request and an expected one; a single difference if method or path do not match. */
  #whyNot(stub: Stub, request: StubRequest): Difference[] {
    const { request: line } = stub;
    if (line.method !== request.method || !this.#isAt(stub, request)) {
      const node = stub.query ?? stub.header ?? this.step.node;
      return [
        {
          path: '$',
          span: line.span,
          message: 'another request',
          change: { kind: 'value', node, actual: undefined },
        },
      ];
    }
    return [
      ...this.#query(stub, request),
      ...this.#headers(stub, request),
      ...this.#body(stub, request),
      ...this.#form(stub, request),
      ...this.#signature(stub, request),
    ];
  }

  #isAt(stub: Stub, { path }: StubRequest): boolean {
    return plainPath(this.#path(stub)) === plainPath(path);
  }

  #path({ request }: Stub): string {
    return filledText(request.target, this.kept, encodeURIComponent).replace(/\?.*$/s, '');
  }

  #query({ request, query }: Stub, { query: actual }: StubRequest): Difference[] {
    const written = new URLSearchParams(
      /\?(.*)$/s.exec(filledText(request.target, this.kept, encodeURIComponent))?.[1] ?? '',
    );
    if (query === undefined && written.size === 0) return [];
    const inLine = [...written].filter(([name, value]) => !actual.getAll(name).includes(value));
    return [
      ...inLine.map(([name, value]) =>
        this.#otherText(`query ${name}`, request.span, `'${value}'`, actual.getAll(name), query),
      ),
      ...this.#texts('query', query, actual, { span: request.span, known: new Set(written.keys()) }),
    ];
  }

  #form({ form, request: { span } }: Stub, { headers, body }: StubRequest): Difference[] {
    if (form === undefined) return [];
    const type = headers['content-type'] ?? '';
    if (isForm(type))
      return this.#texts('form', form, new URLSearchParams(body.toString('utf8')), {
        span,
        known: new Set(),
      });
    const actual = type === '' ? [] : [type];
    return [this.#otherText('header Content-Type', form.span, formType, actual, form)];
  }

  /** Compares names and values of a query or form: all must be expected, in any order. `known`: names that are expected elsewhere. */
  #texts(
    kind: 'query' | 'form',
    expected: MapNode | undefined,
    actual: URLSearchParams,
    { span, known }: { readonly span: Span; readonly known: ReadonlySet<string> },
  ): Difference[] {
    const names = new Set(known);
    const found = (expected?.entries ?? []).flatMap(({ key, value }): Difference[] => {
      const name = key.text.value;
      names.add(name);
      const values = actual.getAll(name);
      const nodes = value.kind === 'list' ? value.items : [value];
      const isSame =
        nodes.length === values.length && nodes.every((node, index) => this.#isText(node, values[index]));
      const text = textOfJson(jsonOfNode(value, this.kept));
      return isSame ? [] : [this.#otherText(`${kind} ${name}`, value.span, text, values, expected)];
    });
    const others = [...new Set(actual.keys())].filter((name) => !names.has(name));
    return [
      ...found,
      ...others.map((name): Difference => {
        const message = `not expected, but it is ${shownTexts(actual.getAll(name))}`;
        return { path: `${kind} ${name}`, span, message, change: this.#noChange(expected) };
      }),
    ];
  }

  #otherText(
    path: string,
    span: Span,
    expected: string,
    actual: readonly string[],
    node: MapNode | undefined,
  ): Difference {
    const message = `expected ${expected}, but it is ${shownTexts(actual)}`;
    return { path, span, message, change: this.#noChange(node) };
  }

  /** The content of third-party requests is never written to the test. */
  #noChange(node: MapNode | undefined): Difference['change'] {
    return { kind: 'value', node: node ?? this.step.node, actual: undefined };
  }

  /** Other headers are allowed; null means that the header must be absent. */
  #headers({ header }: Stub, { headers }: StubRequest): Difference[] {
    return (header?.entries ?? []).flatMap(({ key, value }): Difference[] => {
      const actualValue = headers[key.text.value.toLowerCase()];
      const actual = Array.isArray(actualValue) ? actualValue.join(', ') : actualValue;
      const isAbsent = value.kind === 'scalar' && value.value === null;
      if (isAbsent ? actual === undefined : this.#isText(value, actual)) return [];
      const expected = isAbsent ? 'none' : textOfJson(jsonOfNode(value, this.kept));
      const message = `expected ${expected}, but it is ${actual ?? 'missing'}`;
      return [
        {
          path: `header ${key.text.value}`,
          span: value.span,
          message,
          change: { kind: 'value', node: value, actual },
        },
      ];
    });
  }

  #body({ body, bodyIncludes }: Stub, request: StubRequest): Difference[] {
    const text = request.body.toString('utf8');
    const isJson = /json/i.test(request.headers['content-type'] ?? '');
    const actual: unknown = text === '' ? undefined : isJson ? parsed(text) : text;
    const { kept } = this;
    return [
      ...(body === undefined ? [] : differences(body, actual, { kept, isPartial: false }, 'body')),
      ...(bodyIncludes === undefined
        ? []
        : differences(bodyIncludes, actual, { kept, isPartial: true }, 'body')),
    ];
  }

  #signature({ signedWith }: Stub, request: StubRequest): Difference[] {
    if (signedWith === undefined) return [];
    const why = whyNotSigned(request, filledText(signedWith.value, this.kept));
    if (why === undefined) return [];
    return [{ path: 'signature', span: signedWith.span, message: why, change: this.#noChange(undefined) }];
  }

  #isText(node: Parameters<typeof jsonOfNode>[0], actual: string | undefined): boolean {
    if (node.kind !== 'scalar') return false;
    return (
      (typeof node.value === 'string' && matches(node, actual, this.kept)) ||
      filledText(node.text.value, this.kept) === actual
    );
  }

  #respond({ status, responseHeader, responseBody, fault, delay }: Stub): StubResponse {
    const headers = Object.fromEntries(
      textEntries(responseHeader, this.kept).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const type = headers['content-type'];
    const value = responseBody && jsonOfNode(responseBody, this.kept);
    // With an explicit type, a string is sent unchanged, so that even malformed JSON is possible.
    const isText = type !== undefined && (typeof value === 'string' || !/json/i.test(type));
    return {
      status,
      headers: { ...(responseBody === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(responseBody === undefined ? {} : { body: isText ? textOfJson(value) : JSON.stringify(value) }),
      ...(fault === undefined ? {} : { fault }),
      delay,
    };
  }
}

/** A path with only the necessary characters encoded: clients may send either `'` or `%27`. */
function plainPath(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return encodeURIComponent(character) === character ? character : code.toUpperCase();
  });
}

function shownTexts(values: readonly string[]): string {
  return values.length === 0 ? 'missing' : quotedList(values);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/**
 * Undefined if the signature is valid for the scheme whose headers are present, otherwise the reason. The signature's time is not compared.
 */
function whyNotSigned({ headers, body }: StubRequest, secret: string): string | undefined {
  const scheme = Object.values(schemes).find(({ header }) => headers[header] !== undefined);
  if (scheme === undefined) return 'expected a signature, but there is none';
  const key = scheme.keyOf(secret);
  if (key === undefined) return `this is not a secret of the scheme with the header ${scheme.header}`;
  const signed = scheme.read(headers);
  const digest = createHmac('sha256', key)
    .update(signed?.prefix ?? '')
    .update(body)
    .digest();
  return signed?.signatures.some((one) => one.equals(digest)) === true
    ? undefined
    : `expected a signature with this secret, but that in ${scheme.header} is of another one`;
}
