/** A call of an operation by an HTTP request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterChanges, hasChanged, type RequestUrl, type UploadedFile } from '../handler/call.js';
import type { Json, JsonObject } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { addressOf } from './client-address.js';
import { cookiesOf, decodeHeader, parseQuery, urlOf } from './request-target.js';
import type { DeclaredValues, Form, RequestedCall } from './route.js';
import { Texts } from './texts.js';
import { shareOfCopies, shareOfResults, type MemoryShare } from '../handler/memory.js';
import type { Match } from './router.js';

/** Ends a call whose client has disconnected. Not an error of the service. */
export class ClientGone extends ServiceError {
  constructor() {
    super(499, 'The client has gone away');
  }
}

/** Parses each part of the request only when an expression reads it. */
export class HttpCall implements RequestedCall {
  /** Set by the server before the handler runs, if the operation has a body. */
  body: Json = null;
  /** Set by the server before the handler runs, if credentials were accepted. */
  caller: JsonObject | null = null;
  /** The converted parameters declared by the API description. */
  declared: DeclaredValues | undefined;
  /** Set by the server before the handler runs, if the operation accepts uploads and the request contains a form. */
  form: Form | undefined;
  #query: Texts | undefined;
  #held: MemoryShare | undefined;
  #copies: MemoryShare | undefined;
  #onDisconnect: Set<() => void> | undefined;
  mayLag: boolean;

  /**
   * `queryText` is the part of the URL after `?`. Throws a ServiceError 400 if it is not percent-encoded UTF-8, before anything has
   * run. A query without percent signs is always valid, so it is parsed later, when needed.
   */
  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly match: Match,
    private readonly queryText: string,
    readonly deadline: number,
    readonly requestId: string,
  ) {
    if (queryText.includes('%')) this.#query = parseQuery(queryText);
    // In other requests, data that is read may determine what is written, so it must be current.
    this.mayLag = request.method === 'GET' || request.method === 'HEAD';
  }

  /**
   * The value from the first match of: path, query, form field, header. The parameters of a reference call take precedence, because its
   * call wraps this call. Throws a ServiceError 400 if the value is a file.
   */
  param(name: string): Json {
    const declared = this.declared?.get(name);
    if (declared !== undefined) return declared;
    const value = this.path(name) ?? this.queryTexts.get(name) ?? this.form?.texts.get(name);
    if (value !== undefined) return value;
    if (this.form?.files.has(name) === true)
      throw new ServiceError(400, `The part ${JSON.stringify(name)} is a file, but a string is expected`);
    return this.header(name);
  }

  query(name: string): Json {
    return this.queryTexts.get(name) ?? null;
  }

  get url(): RequestUrl {
    return urlOf(this.request.url ?? '');
  }

  queries(): ReadonlyMap<string, Json> {
    return this.queryTexts.all();
  }

  get address(): string | null {
    return addressOf(this.request);
  }

  cookie(name: string): string | null {
    return cookiesOf(this.request.headers.cookie, name)[0] ?? null;
  }

  isDeclared(name: string): boolean {
    return this.declared?.hasType(name) === true;
  }

  path(name: string): string | undefined {
    const index = this.match.names.indexOf(name);
    return index === -1 ? undefined : this.match.values[index];
  }

  get queryTexts(): Texts {
    return (this.#query ??= this.queryText === '' ? emptyQuery : parseQuery(this.queryText));
  }

  /** The uploaded file in a part. Throws a ServiceError 400 if the part is a string, or if several files were sent as a list (`part[]`). */
  file(part: string): UploadedFile | null {
    const file = this.form?.files.get(part);
    if ((this.form?.lists.get(part)?.length ?? 0) > 1)
      throw new ServiceError(400, `The part ${JSON.stringify(part)} is there more than once`);
    // Browsers send an empty part if no file was chosen.
    if (file === undefined && (this.form?.texts.get(part) ?? '') !== '')
      throw new ServiceError(400, `The part ${JSON.stringify(part)} is a string, but a file is expected`);
    if (
      file === undefined &&
      [...(this.form?.files.keys() ?? [])].some((name) => name.startsWith(`${part}[`))
    )
      throw new ServiceError(400, `The part ${JSON.stringify(part)} is one file, but its name has brackets`);
    return file ?? null;
  }

  /** Throws a ServiceError 400 if a part of the name is a string. */
  files(part: string): UploadedFile[] {
    const files = this.form?.lists.get(part);
    if (files !== undefined) return [...files];
    const file = this.file(part);
    return file === null ? [] : [file];
  }

  onDisconnect(run: () => void): () => void {
    const waiting = (this.#onDisconnect ??= this.#watch());
    waiting.add(run);
    return () => {
      waiting.delete(run);
    };
  }

  /** One listener for all of them: a loop can have many at the same time. */
  #watch(): Set<() => void> {
    const waiting = new Set<() => void>();
    this.response.once('close', () => {
      for (const run of waiting) run();
    });
    return waiting;
  }

  proceed(now = performance.now()): void {
    if (this.response.destroyed) throw new ClientGone();
    if (now > this.deadline) throw new ServiceError(504, 'The request took too long');
  }

  hold(bytes: number): void {
    this.#held ??= shareOfResults();
    this.take(this.#held, bytes);
  }

  holdCopies(bytes: number): void {
    this.#copies ??= shareOfCopies();
    this.take(this.#copies, bytes);
  }

  private take(share: MemoryShare, bytes: number): void {
    try {
      share.take(bytes, hasChanged(this));
    } catch (error) {
      throw afterChanges(this, error);
    }
  }

  /** Releases all memory of the call; the memory of its response is counted separately. */
  release(): void {
    this.form?.release();
    this.#held?.release();
    this.#copies?.release();
  }

  /** Repeated headers are joined by commas, as in HTTP. */
  header(name: string): string | null {
    const headers = this.request.headers;
    const key = name.toLowerCase();
    const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
    if (value === undefined) return null;
    return Array.isArray(value) ? value.join(', ') : decodeHeader(value);
  }
}

const emptyQuery = new Texts();
