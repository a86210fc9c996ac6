/** Services for user routes: caller, databases, operations and log of a request. */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { noteChange, type Call } from '../handler/call.js';
import { InnerCall } from '../handler/inner-call.js';
import { textOf, type Json, type JsonObject } from '../handler/json.js';
import { fail, ServiceError } from '../handler/reply.js';
import { ClientGone, HttpCall } from '../http/http-call.js';
import { offeredRequests, type OwnRequest } from '../http/fallback.js';
import { pathAndQuery } from '../http/request-target.js';
import type { Access, DeclaredInput, DeclaredValues, Handler } from '../http/route.js';
import { LimitReached } from '../limits/limit-reached.js';
import type { RequestCount } from '../limits/request-count.js';
import { copyOf } from './copy-json.js';
import { copied, resultOf, type OperationResult } from './operation-result.js';
import type { Accepted, OwnAccess } from './own-access.js';
import type { OwnDatabases, OwnLog } from './own-code.js';
import { passedOn } from './thrown.js';

/**
 * An operation that user code can call. Parameters are passed by name, and the body as `body`, or under another name if a parameter is
 * called `body`.
 */
export interface OwnOperation<Run = unknown> {
  readonly handler: OwnHandler;
  /** The input declared by the API description. */
  readonly input?: DeclaredInput;
  /** The status for invalid requests, if it is not 400. */
  readonly invalid?: 422;
  /** The property name of the body, if it is not `body`. */
  readonly bodyName?: string;
  /** Path parameters that are always converted to strings. */
  readonly texts?: readonly string[];
  /** Parameters that are headers (in any letter case) or cookies. */
  readonly headers?: readonly string[];
  readonly cookies?: readonly string[];
  /**
   * Whether headers and cookies that are not passed are read from the request of the route, because the operation does not have an API
   * description.
   */
  readonly orOfRequest?: true;
  /** Never set; carries the function signature for user code. */
  readonly run?: Run;
}

/** Runs an operation. Timed operations return nothing. */
type OwnHandler = Handler | { handle(call: Call): Promise<void> }['handle'];

/** The function type of an operation. The input is optional if all its fields are optional. */
type RunOf<Input extends object, Body> = (
  ...input: object extends Input ? [input?: Input] : [input: Input]
) => Promise<OperationResult<Body>>;

/** Declares an operation with the types of its input and response body. */
export function ownOperation<Input extends object, Body>(
  handler: OwnHandler,
  options: Omit<OwnOperation, 'handler' | 'run'> = {},
): OwnOperation<RunOf<Input, Body>> {
  return { handler, ...options };
}

type Operations = Readonly<Record<string, OwnOperation>>;

type AllCalled<All extends Operations> = {
  readonly [Name in keyof All]: All[Name] extends OwnOperation<infer Run> ? Run : never;
};

interface OwnRoutes<Source extends OwnDatabases, Name extends string, All extends Operations> {
  readonly datasources?: Source;
  readonly access?: OwnAccess<Name>;
  readonly operations: All;
}

/** The databases and operations. */
export interface OwnService<Databases, All> {
  /** The databases as Knex instances, by datasource name. */
  readonly datasources: Databases;
  /** The configured operations. User code need not catch their exceptions and errors, which then produce the usual responses. */
  readonly operations: All;
}

/** The service for one request. */
export interface OwnRouteContext<Databases, All> extends OwnService<Databases, All> {
  /** The caller, as identified by the credentials; null without a login. */
  readonly caller: JsonObject | null;
  /** Aborted when the client has disconnected or the request has timed out. */
  readonly signal: AbortSignal;
  /** The log of the service; each entry includes the request id. */
  readonly log: OwnLog;
  /** Runs the steps in one transaction per database. If a step throws, all changes are rolled back. */
  inTransaction<Result>(run: (service: OwnService<Databases, All>) => Promise<Result>): Promise<Result>;
}

/** Access control for a route. */
export interface OwnRouteOptions<Name extends string> {
  /**
   * A list as in operations; `[]` makes the route public. Without a list, the route accepts the same callers as operations without a
   * list.
   */
  readonly authentications?: readonly Accepted<Name>[];
  /**
   * Whether each call of an operation is admitted like a separate request: by the authentications, scopes and limits of the operation.
   * The route itself is then public unless it has a list of authentications.
   */
  readonly each?: boolean;
}

/**
 * Creates the function that `src/app.ts` and `src/middleware.ts` call with a request. That function throws a failure (401, 403) if the
 * caller may not use the route.
 */
export function ownRoutes<
  All extends Operations,
  Source extends OwnDatabases = OwnDatabases,
  Name extends string = never,
>(definition: OwnRoutes<Source, Name, All>) {
  type Databases = ReturnType<Source['open']>['databases'];
  return async (
    request: IncomingMessage,
    { authentications, each = false }: OwnRouteOptions<Name> = {},
  ): Promise<OwnRouteContext<Databases, AllCalled<All>>> => {
    const offered = offeredRequests.get(request);
    if (offered === undefined)
      throw new TypeError(
        'contextOf knows the requests that src/app.ts and src/middleware.ts get, and no others',
      );
    offered.endOf = (error) => passedOn(error, { fulfillment: 'own code' });
    const { query } = pathAndQuery(request.url ?? '');
    const { response, deadline, requestId } = offered;
    const call = new HttpCall(request, response, noMatch, query, deadline, requestId);
    const isOpen = each && authentications === undefined;
    const access = isOpen ? undefined : definition.access?.of(authentications);
    call.caller = await admitted(offered, query, access);
    return openContext(call, offered, definition, each ? query : undefined) as unknown as OwnRouteContext<
      Databases,
      AllCalled<All>
    >;
  };
}

const noMatch = { route: undefined, names: [], values: [], allow: [] };

/** The caller, who may call what has this access control. Throws a failure (401, 403). */
async function admitted(
  offered: OwnRequest,
  query: string,
  access: Access | undefined,
): Promise<JsonObject | null> {
  if (access === undefined) return null;
  const { response } = offered;
  const admission = await access.admit({ ...offered, query });
  if ('status' in admission) {
    const { status, headers } = admission;
    throw fail(status, STATUS_CODES[status] ?? 'Error', { header: headers });
  }
  if (admission.isPrivate === true && !response.headersSent)
    response.setHeader('Cache-Control', 'private, no-cache');
  return admission.caller;
}

type AnyRoutes = OwnRoutes<OwnDatabases, never, Operations>;
type AnyContext = OwnRouteContext<object, object>;

/** Opens a context, which ends with the response. `query`: set if each call of an operation is admitted like a request. */
function openContext(
  call: HttpCall,
  offered: OwnRequest,
  routes: unknown,
  query: string | undefined,
): AnyContext {
  const { response, requestId, log } = offered;
  const { datasources, operations } = routes as AnyRoutes;
  const service = serviceFor(call, offered, query, datasources, operations);
  const end = new AbortController();
  const timer = setTimeout(
    () => {
      end.abort(new ServiceError(504, 'The request took too long'));
    },
    Math.max(0, call.deadline - performance.now()),
  );
  timer.unref();
  const close = (): void => {
    clearTimeout(timer);
    if (!response.writableFinished) end.abort(new ClientGone());
    service.close();
    call.release();
  };
  if (response.destroyed) close();
  else response.once('close', close);
  return {
    caller: call.caller && (copyOf(call.caller, true).value as JsonObject),
    signal: end.signal,
    log: log.child({ requestId }),
    get datasources() {
      return service.datasources;
    },
    operations: service.operations,
    async inTransaction(run) {
      if (datasources === undefined) throw new TypeError('the service has no database');
      // The steps may also have had effects outside of databases.
      noteChange(call);
      return datasources.inTransaction(call, async (inner) => {
        const inside = serviceFor(inner, offered, query, datasources, operations);
        try {
          return await run(inside);
        } finally {
          inside.close();
        }
      });
    },
  };
}

interface Closable extends OwnService<object, object> {
  close(): void;
}

function serviceFor(
  call: Call,
  offered: OwnRequest,
  query: string | undefined,
  source: OwnDatabases | undefined,
  operations: Operations,
): Closable {
  const none = { databases: {}, close: () => undefined };
  let opened: { readonly databases: object; close(): void } | undefined;
  const called = Object.entries(operations).map(([name, operation]) => [
    name,
    async (input: object = {}) => {
      call.proceed();
      const admission = query === undefined ? undefined : await admittedAlone(offered, query, operation);
      return callOwn(call, offered, name, operation, input, admission);
    },
  ]);
  return {
    get datasources() {
      // User code may change data, so the call must not be retried.
      if (source !== undefined) noteChange(call);
      opened ??= source?.open({ call, function: 'the request' }) ?? none;
      return opened.databases;
    },
    operations: Object.fromEntries(called) as object,
    close() {
      opened?.close();
    },
  };
}

/** A call that was admitted like a request. */
interface OwnAdmission {
  readonly caller: JsonObject | null;
  /** Counts the call in the limits that read it. Throws a LimitReached. */
  countCall(call: Call): Promise<void>;
}

/** Admits a call like a request; undefined for an operation without an endpoint. Throws a failure (401, 403, 429). */
async function admittedAlone(
  offered: OwnRequest,
  query: string,
  { handler }: OwnOperation,
): Promise<OwnAdmission | undefined> {
  const route = await offered.routeOf(handler);
  if (route === undefined) return undefined;
  const { access, limits } = route;
  const counts: RequestCount[] = [];
  const counted = (count: RequestCount): void => {
    counts.push(count);
    offered.counted(count);
  };
  /** A call over a limit counts in no limit; earlier calls of the request do. */
  const within = async <Result>(counting: () => Promise<Result>): Promise<Result> => {
    try {
      return await counting();
    } catch (error) {
      if (error instanceof LimitReached) {
        for (const count of counts) count.giveBack();
        route.limited(error.limit);
      }
      throw error;
    }
  };
  const caller = await within(async () => {
    for (const one of limits) await one.countClient(offered.request, counted);
    return admitted({ ...offered, counted }, query, access);
  });
  return {
    caller,
    countCall: (call) =>
      within(async () => {
        for (const one of limits) await one.countCall(call, counted);
      }),
  };
}

async function callOwn(
  call: Call,
  offered: OwnRequest,
  name: string,
  operation: OwnOperation,
  passed: object,
  admission: OwnAdmission | undefined,
): Promise<OperationResult<Json>> {
  const { handler, input, invalid, bodyName = 'body', texts = [], headers = [], cookies = [] } = operation;
  const { [bodyName]: body, ...parameters } = copied(passed, `what is passed to ${name}`) as JsonObject;
  for (const text of texts) {
    const value = parameters[text];
    if (value !== undefined && value !== null) parameters[text] = textOf(value);
  }
  for (const header of headers) takeHeader(parameters, header, input);
  let declared: DeclaredValues | undefined;
  try {
    declared = input?.readPassed(parameters, body);
  } catch (error) {
    if (invalid === undefined || !(error instanceof ServiceError)) throw error;
    throw new ServiceError(invalid, error.message, error.details);
  }
  const { orOfRequest = false } = operation;
  const sent = {
    headers: new Map(headers.map((header) => [header.toLowerCase(), textsOf(parameters, header)])),
    cookies: new Map(cookies.map((cookie) => [cookie, textsOf(parameters, cookie)])),
    orOfRequest,
  };
  const inner = new OwnCall(
    call,
    parameters,
    body ?? null,
    { declared, sent, description: input },
    admission,
  );
  await admission?.countCall(inner);
  const reply = await handler(inner);
  if (reply === undefined) return { status: 204, headers: {}, body: null };
  return resultOf(reply, offered.request, inner, name);
}

/** Renames a passed header to its declared name, regardless of letter case. */
function takeHeader(parameters: JsonObject, header: string, input: DeclaredInput | undefined): void {
  const isOther = (name: string): boolean =>
    [...(input?.placesOf(name) ?? [])].some((place) => place !== 'header');
  const [name, second] = Object.keys(parameters).filter(
    (one) => one.toLowerCase() === header.toLowerCase() && (one === header || !isOther(one)),
  );
  if (second !== undefined) throw new TypeError(`the header '${header}' is passed several times`);
  if (name !== undefined) parameters[header] = parameters[name] ?? null;
}

/** A header or cookie as a string; null if null was passed, undefined if nothing was passed. */
function textsOf(parameters: Readonly<JsonObject>, name: string): string | null | undefined {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (value === undefined || value === null) return value;
  return Array.isArray(value) ? value.map(textOf).join(',') : textOf(value);
}

/** The arguments of an operation; headers by lower-case name. */
interface Sent {
  readonly headers: ReadonlyMap<string, string | null | undefined>;
  readonly cookies: ReadonlyMap<string, string | null | undefined>;
  readonly orOfRequest: boolean;
}

interface OwnInput {
  readonly description: DeclaredInput | undefined;
  /** The declared values. */
  readonly declared: DeclaredValues | undefined;
  readonly sent: Sent;
}

/**
 * The call of an operation by user code. From the request, it inherits the caller, and headers and cookies that the operation does not
 * declare.
 */
class OwnCall extends InnerCall {
  readonly isReadHere = true;
  readonly depth: number;

  constructor(
    outer: Call,
    private readonly parameters: Readonly<JsonObject>,
    private readonly passedBody: Json,
    private readonly input: OwnInput,
    private readonly admission: OwnAdmission | undefined,
  ) {
    super(outer);
    this.depth = (outer.depth ?? 0) + 1;
  }

  override get caller(): JsonObject | null {
    return this.admission === undefined ? super.caller : this.admission.caller;
  }

  override param(name: string): Json {
    return this.input.declared?.get(name) ?? this.passed(name) ?? null;
  }

  /** The parameter as a string or list of strings, as in a query. */
  override query(name: string): Json {
    const places = this.input.description?.placesOf(name);
    const isElsewhere = places !== undefined && places.size > 0 && !places.has('query');
    const value = this.passed(name) ?? null;
    if (value === null || isElsewhere) return null;
    if (!Array.isArray(value)) return textOf(value);
    const texts = value.map(textOf);
    return texts.length > 1 ? texts : (texts[0] ?? null);
  }

  override header(name: string): string | null {
    const { headers } = this.input.sent;
    return this.sent(headers, name.toLowerCase())
      ? (headers.get(name.toLowerCase()) ?? null)
      : super.header(name);
  }

  override cookie(name: string): string | null {
    const { cookies } = this.input.sent;
    return this.sent(cookies, name) ? (cookies.get(name) ?? null) : super.cookie(name);
  }

  override isDeclared(name: string): boolean {
    return this.passed(name) !== undefined || this.input.declared?.hasType(name) === true;
  }

  override get body(): Json {
    return this.passedBody;
  }

  override file(): null {
    return null;
  }

  override files(): [] {
    return [];
  }

  private passed(name: string): Json | undefined {
    return Object.hasOwn(this.parameters, name) ? this.parameters[name] : undefined;
  }

  /** Whether the value is an argument of the operation, and not from the request of the route. */
  private sent(texts: ReadonlyMap<string, string | null | undefined>, name: string): boolean {
    return texts.has(name) && !(this.input.sent.orOfRequest && texts.get(name) === undefined);
  }
}
