/** The route of an operation: who may call it, its parameters and body, and its observers. */
import type { Call, UploadedFile } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import type { IncomingMessage } from 'node:http';
import type { Log } from '../server/log.js';
import type { Reply } from '../handler/reply.js';
import type { Exchange } from './exchange.js';

/** One of the configured authentications. */
export interface Authentication {
  /** The challenge of a 401 answer, for `WWW-Authenticate`. */
  readonly challenge: string;
  /** Whether this `Authorization` header gives its credentials; takes the same time whatever is wrong with them. */
  admits(authorization: string | undefined): boolean;
  /** To be told of a request that none has admitted. */
  refused(request: IncomingMessage, log: Log): void;
}

/** Whether one of the authentications admits the header; where there is none, everybody is admitted. */
export function isAdmitted(
  authentications: readonly Authentication[],
  authorization: string | undefined,
): boolean {
  let admitted = authentications.length === 0;
  // All of them are asked: an early way out would tell by its time which one it was.
  for (const authentication of authentications) admitted = authentication.admits(authorization) || admitted;
  return admitted;
}

/** The challenges of all of them, each once, as names and values of headers. */
export function challengesOf(authentications: readonly Authentication[]): string[] {
  const challenges = new Set(authentications.map(({ challenge }) => challenge));
  return [...challenges].flatMap((challenge) => ['WWW-Authenticate', challenge]);
}

/** Declares what an operation takes. */
export interface DeclaredInput {
  /** The values of the declared parameters. Throws a ServiceError 400 that names every fault of the request. */
  read(raw: RawInput): DeclaredValues;
  /** As `read`, in turns: for a large body. Throws what `call.proceed` throws, too. */
  readInTurns(raw: RawInput, call: Call): Promise<DeclaredValues>;
}

/** The parts of a request as they came. */
export interface RawInput {
  readonly path: (name: string) => string | undefined;
  /** By name; an array where a name is repeated. */
  readonly query: ReadonlyMap<string, Json>;
  readonly header: (name: string) => string | undefined;
  /** Undefined when no JSON body was sent. */
  readonly body: Json | undefined;
  /** Undefined when no form was sent. */
  readonly form: Pick<Form, 'texts' | 'files'> | undefined;
}

/** The values of the declared parameters, by their names. */
export interface DeclaredValues {
  /**
   * Null for one that was declared and not given: what the same name stands for elsewhere in the request has not been
   * checked. Undefined for one that was not declared.
   */
  get(name: string): Json | undefined;
  /** Whether it was declared with a type that tells what a string of it is: not one that takes lists, or anything. */
  hasType(name: string): boolean;
}

export interface Form {
  /** A text, or an array of texts where a name is there more than once. */
  readonly texts: ReadonlyMap<string, Json>;
  readonly files: ReadonlyMap<string, UploadedFile>;
  /** Gives back the memory that the files took; they must not be read any more. */
  release(): void;
}

/** How large an upload may be (decisions 9.6). */
export interface FormLimits {
  /** Bytes of a text part. */
  readonly bodyLimit: number;
  /** Bytes of one file. */
  readonly fileLimit: number;
  /** Texts and files of one request. */
  readonly partLimit: number;
  /** Bytes that all uploads of the process together may take. */
  readonly uploadMemory: number;
}

/**
 * Reads the parts. `accept` is called when nothing speaks against reading them, as in `readJsonBody`.
 * Throws a ServiceError: 400, 413, 415, 503.
 */
export type FormReader = (
  exchange: Pick<Exchange, 'request' | 'response'>,
  limits: FormLimits,
  accept: () => void,
) => Promise<Form>;

/** Whether a request says that its body is a form of parts. */
export function isMultipart({ headers }: IncomingMessage): boolean {
  return /^\s*multipart\//i.test(headers['content-type'] ?? '');
}

export interface TestPage {
  /** Says in the log that it is there. */
  announce(log: Log, workers: number): void;
  /** True when the request was for the page or one of its files, and has been answered. */
  answer(exchange: Exchange): boolean;
  /** Runs an operation for the request; keeps a trace of it where the page asks for one. */
  observe(exchange: Exchange, operation: string, handler: Handler, call: Call): Promise<Reply>;
}

/** One API-triggered operation. */
export interface Route {
  /** In upper case. */
  readonly method: string;
  /** As configured: `/news/{id}`, `/files/{name}.json`. */
  readonly path: string;
  readonly handler: Handler;
  /** The operation's name in the configuration, for the log; method and path when it is left out. */
  readonly operation?: string;
  /** Who may call it: one of them has to admit the request; everybody where there is none. */
  readonly authentications?: readonly Authentication[];
  /** True when the operation reads the JSON body of the request. */
  readonly body?: boolean;
  /** Reads the parts of a multipart request, where the operation takes uploads. */
  readonly form?: FormReader;
  /** What the API description declares that it takes. */
  readonly input?: DeclaredInput;
}

/** Runs an operation; as a method, so that TypeScript takes one that knows the types of its request. */
export type Handler = { handle(call: Call): Reply | Promise<Reply> }['handle'];

/** How large a body may be (decisions 9.6). */
export interface BodyLimits {
  /** Bytes. */
  readonly bodyLimit: number;
  /** Levels of arrays and objects. */
  readonly bodyDepth: number;
}

/** The limits of decisions 9.6. */
export interface HttpLimits extends BodyLimits, FormLimits {
  /** Milliseconds for everything that a request does. */
  readonly requestTimeout: number;
  /** Bytes of all headers of a request. */
  readonly headerLimit: number;
  /** Milliseconds in which a client must read something of a response that waits for it. */
  readonly sendTimeout: number;
}
