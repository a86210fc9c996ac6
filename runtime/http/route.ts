/** The route of an operation: its access control, parameters, body and observers. */
import type { Call, UploadedFile } from '../handler/call.js';
import type { Json, JsonObject } from '../handler/json.js';
import type { IncomingMessage } from 'node:http';
import type { Log } from '../server/log.js';
import type { HeaderLines, Reply } from '../handler/reply.js';
import type { Exchange } from './exchange.js';
import type { CountRequest } from '../limits/request-count.js';
import type { Texts } from './texts.js';
import type { Refusal } from '../authentication/refusal.js';

/** Decides which requests may call an operation. */
export interface Access {
  /** Checks the credentials of a request before its body is read. Throws a ServiceError: 403, 413, 503. */
  admit(request: AccessRequest): Promise<Admission>;
}

/** A request, as authentications see it. */
export interface AccessRequest {
  readonly request: IncomingMessage;
  /** The part of the URL after `?`. */
  readonly query: string;
  readonly log: Log;
  /** The limits for checks that read the body before the operation does. Call `accept` first. */
  readonly limits: Pick<BodyLimits, 'bodyLimit'>;
  readonly accept: () => void;
  /** The deadline of the request, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Called for each count of a limit. */
  readonly counted: CountRequest;
  /** Called once with the outcome, for the log and the metrics: the reason of a refusal, or undefined if the request is admitted. */
  readonly decided: (refusal: Refusal | undefined) => void;
  /** The URL of the metadata that name the issuers of tokens (RFC 9728), for challenges. */
  readonly resourceMetadata?: string | undefined;
}

/**
 * Limits on the number of requests. Methods return a promise only if a database counts. They throw a ServiceError: 400 for a value that
 * cannot be counted, 429, 503.
 */
export interface RequestLimits {
  /** Counts the request by the address of its client, before authentication. */
  countClient(request: IncomingMessage, counted: CountRequest): Promise<void> | undefined;
  /** Counts the call by other values, after validation. */
  countCall(call: Call, counted: CountRequest): Promise<void> | undefined;
}

/**
 * The caller, null if nobody needs to log in, and whether only the client may store the response; or the refusal: its reason is
 * not sent.
 */
export type Admission =
  | { readonly caller: JsonObject | null; readonly isPrivate?: boolean }
  | { readonly status: 401 | 403; readonly headers: HeaderLines; readonly refusal: Refusal };

/** Validates the parameters and body of an operation. Methods throw a ServiceError 400 with all validation errors of the request. */
export interface DeclaredInput {
  /** Sets the values of the declared parameters. Pauses for a large body, and can then throw the errors of `proceed`. */
  accept(call: RequestedCall, body: Json | undefined): void | Promise<void>;
  /** The locations in which a parameter with exactly this name is declared. */
  placesOf(name: string): ReadonlySet<'path' | 'query' | 'header' | 'form'>;
  /** Values passed by user code, by parameter name. They already have the declared types. */
  readPassed(values: Readonly<JsonObject>, body: Json | undefined): DeclaredValues;
}

/** A call by an HTTP request, before its parameters are validated. */
export interface RequestedCall extends Call {
  declared: DeclaredValues | undefined;
  /** The form; undefined if the request does not contain one. */
  readonly form: Pick<Form, 'texts' | 'files'> | undefined;
  readonly queryTexts: Texts;
  /** The path parameter; undefined if the path does not contain it. */
  path(name: string): string | undefined;
}

/** The values of the declared parameters, by name. */
export interface DeclaredValues {
  /**
   * The value. Null for a declared parameter that is missing: a value of the same name elsewhere in the request is not validated.
   * Undefined for an undeclared parameter.
   */
  get(name: string): Json | undefined;
  /** Whether the declared type determines how a string is interpreted: false for lists, and for parameters of any type. */
  hasType(name: string): boolean;
}

export interface Form {
  readonly texts: Texts;
  /** The first file of each part. */
  readonly files: ReadonlyMap<string, UploadedFile>;
  /** All files of the parts that may be there several times. */
  readonly lists: ReadonlyMap<string, readonly UploadedFile[]>;
  /** Releases the memory of the files, which must not be read afterwards. */
  release(): void;
}

/** Limits for uploads: files, parts, and the total memory of all uploads. */
export interface FormLimits {
  /** Maximum bytes of a text part, or of all fields of a form that is not multipart. */
  readonly bodyLimit: number;
  /** Maximum bytes of one file. */
  readonly fileLimit: number;
  /** Maximum number of parts in one request, both text and files. */
  readonly partLimit: number;
  /** Maximum total bytes of all uploads in the process. */
  readonly uploadMemory: number;
}

/**
 * Reads the body of a request for its operation: a form, or JSON, which is returned. `accept` is called before reading: clients with
 * `Expect: 100-continue` then send the body. Throws a ServiceError: 400, 413, 415, 503.
 */
export interface BodyReader {
  (
    exchange: Pick<Exchange, 'request' | 'response'>,
    call: { body: Json; form: Form | undefined; hold?(bytes: number): void },
    limits: HttpLimits,
    accept: () => void,
  ): Promise<Json | undefined>;
  /** Whether the body may contain uploads. */
  readonly readsFiles?: boolean;
}

export interface TestPage {
  /** Logs the address of the page. */
  announce(log: Log, workers: number): void;
  /** Whether the target is the page or one of its files. */
  owns(target: string): boolean;
  /** Serves the page and its files. Returns true if the request was for one of them. */
  respond(exchange: Exchange): boolean;
  /** Runs an operation for the request, and stores a trace if the test page requested one. */
  observe(exchange: Exchange, operation: string, handler: Handler, call: Call): Promise<Reply>;
}

/** An API-triggered operation: its handler, or the module of the handler, which is loaded after the start or by the first request. */
export type Route = Endpoint & ({ readonly handler: Handler } | { readonly load: () => Loaded });

/** The module of an operation. It exports only the handler. */
export type OperationModule = Readonly<Record<string, Handler>>;

/**
 * The result of `load`. Generated routes declare this type: if all routes had different types, TypeScript would compare them pairwise,
 * and fail for lists of more than 1,000.
 */
export type Loaded = Promise<OperationModule>;

/** Properties of an operation that are known before it is loaded. */
export interface Endpoint {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The configured path: `/news/{id}`, `/files/{name}.json`. */
  readonly path: string;
  /** The configured name of the operation, for the log; defaults to the method and path. */
  readonly operation?: string;
  /** Access control; if undefined, the operation is public. */
  readonly access?: Access;
  /** Limits on the number of its requests. */
  readonly limits?: RequestLimits;
  /** Reads the request body, if the operation has a body. */
  readonly body?: BodyReader;
  /** The parameters and body declared by the API description. */
  readonly input?: DeclaredInput;
  /** The status for invalid requests, if the API description declares 422 instead of 400. */
  readonly invalid?: 422;
}

/** Runs an operation. Derived from a method, so that TypeScript accepts handlers with typed requests. */
export type Handler = { handle(call: Call): Reply | Promise<Reply> }['handle'];

/** Limits for JSON bodies: size and nesting depth. */
export interface BodyLimits {
  /** Bytes. */
  readonly bodyLimit: number;
  /** Maximum depth of arrays and objects. */
  readonly bodyDepth: number;
}

/** Limits for requests, each a setting of the service. */
export interface HttpLimits extends BodyLimits, FormLimits {
  /** Milliseconds for a whole request. */
  readonly requestTimeout: number;
  /** Maximum bytes of all headers of a request. */
  readonly headerLimit: number;
  /** Maximum milliseconds between two reads by a client that has a response pending. */
  readonly sendTimeout: number;
}
