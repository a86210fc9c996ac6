/** The route of an operation: its access control, parameters, body and observers. */
import type { Call, UploadedFile } from '../handler/call.js';
import type { Json, JsonObject } from '../handler/json.js';
import type { IncomingMessage } from 'node:http';
import type { Log } from '../server/log.js';
import type { Reply } from '../handler/reply.js';
import type { Exchange } from './exchange.js';
import type { Texts } from './texts.js';

/** Decides who may call an operation. */
export interface Access {
  /** Checks the credentials of a request before anything else of it is read. Throws a ServiceError: 403, 413, 503. */
  admit(request: AccessRequest): Promise<Admission>;
}

/** A request as authentications see it. */
export interface AccessRequest {
  readonly request: IncomingMessage;
  /** The part of the URL after `?`. */
  readonly query: string;
  readonly log: Log;
  /** For checks that read the body, which the operation reads again. Call `accept` first. */
  readonly limits: Pick<BodyLimits, 'bodyLimit'>;
  readonly accept: () => void;
  /** The end of the time limit for the whole request, in milliseconds of `performance.now()`. */
  readonly deadline: number;
}

/**
 * The caller, null if nobody needs to log in, and whether only the client may store the response; or the refusal: names and values of its
 * headers alternate.
 */
export type Admission =
  | { readonly caller: JsonObject | null; readonly isPrivate?: boolean }
  | { readonly status: 401 | 403; readonly headers: readonly string[] };

/** Validates the parameters and the body of an operation. Its methods throw a ServiceError 400 with every validation error of the request. */
export interface DeclaredInput {
  /** Sets the values of the declared parameters. For a large body it pauses, and then it can throw the errors of `proceed`. */
  accept(call: RequestedCall, body: Json | undefined): void | Promise<void>;
  /** The places in which a parameter of exactly that name is declared. */
  placesOf(name: string): ReadonlySet<'path' | 'query' | 'header' | 'form'>;
  /** The values that user code passes, by the names of the parameters: they have their types already. */
  readPassed(values: Readonly<JsonObject>, body: Json | undefined): DeclaredValues;
}

/** A call by a request, before its parameters are validated. */
export interface RequestedCall extends Call {
  declared: DeclaredValues | undefined;
  /** Undefined without a form. */
  readonly form: Pick<Form, 'texts' | 'files'> | undefined;
  readonly queryTexts: Texts;
  /** Undefined if the path has no parameter of this name. */
  path(name: string): string | undefined;
}

/** The values of the declared parameters, by their names. */
export interface DeclaredValues {
  /**
   * Null for a declared parameter that is missing: a value of the same name elsewhere in the request is not validated. Undefined for one
   * that is not declared.
   */
  get(name: string): Json | undefined;
  /** Whether its declared type determines the meaning of a string: false for lists, and for any value. */
  hasType(name: string): boolean;
}

export interface Form {
  readonly texts: Texts;
  readonly files: ReadonlyMap<string, UploadedFile>;
  /** Releases the memory of the files. They must not be read after that. */
  release(): void;
}

/** The limits of uploads: files, parts, and the memory of all uploads together. */
export interface FormLimits {
  /** Maximum bytes of a text part, or of all fields of a form without parts. */
  readonly bodyLimit: number;
  /** Maximum bytes of one file. */
  readonly fileLimit: number;
  /** Maximum number of text parts and files of one request. */
  readonly partLimit: number;
  /** Maximum bytes of all uploads of the process together. */
  readonly uploadMemory: number;
}

/**
 * Reads the body of a request for its operation: a form, or JSON, which it returns. `accept` is called before: a client with
 * `Expect: 100-continue` then sends it. Throws a ServiceError: 400, 413, 415, 503.
 */
export interface BodyReader {
  (
    exchange: Pick<Exchange, 'request' | 'response'>,
    call: { body: Json; form: Form | undefined; hold?(bytes: number): void },
    limits: HttpLimits,
    accept: () => void,
  ): Promise<Json | undefined>;
  /** Whether the body may hold uploads. */
  readonly readsFiles?: boolean;
}

export interface TestPage {
  /** Logs that the page is available. */
  announce(log: Log, workers: number): void;
  /** Whether the target is the page or one of its files. */
  owns(target: string): boolean;
  /** True if the request was for the page or one of its files; then it has been served. */
  respond(exchange: Exchange): boolean;
  /** Runs an operation for the request, and stores a trace if the page requests one. */
  observe(exchange: Exchange, operation: string, handler: Handler, call: Call): Promise<Reply>;
}

/** One API-triggered operation: its handler, or the module of it, which is loaded after the start or by the first request. */
export type Route = Endpoint & ({ readonly handler: Handler } | { readonly load: () => Loaded });

/** The module of an operation. Its handler is all that it exports. */
export type OperationModule = Readonly<Record<string, Handler>>;

/**
 * The result of a `load`. Generated routes state it: TypeScript compares the routes of a list pairwise if the type of each is another one,
 * and refuses more than 1,000 of them.
 */
export type Loaded = Promise<OperationModule>;

/** The properties of an operation that are known before it is loaded. */
export interface Endpoint {
  /** In upper case. */
  readonly method: string;
  /** As configured: `/news/{id}`, `/files/{name}.json`. */
  readonly path: string;
  /** The operation's name in the configuration, for the log; method and path if it is undefined. */
  readonly operation?: string;
  /** Access control; without it, everybody may call the operation. */
  readonly access?: Access;
  /** Reads the body of the request, if the operation has one. */
  readonly body?: BodyReader;
  /** The parameters and body that the API description declares. */
  readonly input?: DeclaredInput;
  /** 422 if the API description declares it, instead of 400, as the status of an invalid request. */
  readonly invalid?: 422;
}

/** Runs an operation. A method, so that TypeScript accepts one with a typed request. */
export type Handler = { handle(call: Call): Reply | Promise<Reply> }['handle'];

/** The limits of JSON bodies: size and levels. */
export interface BodyLimits {
  /** Bytes. */
  readonly bodyLimit: number;
  /** Levels of arrays and objects. */
  readonly bodyDepth: number;
}

/** The limits of a request, each a setting of the service. */
export interface HttpLimits extends BodyLimits, FormLimits {
  /** Milliseconds for a whole request. */
  readonly requestTimeout: number;
  /** Bytes of all headers of a request. */
  readonly headerLimit: number;
  /** Milliseconds in which a client must read a part of a waiting response. */
  readonly sendTimeout: number;
}
