/** Runs the operation that finds the caller of credentials; the outcome decides whether they are refused. */
import type { Call } from '../handler/call.js';
import type { Json, JsonObject } from '../handler/json.js';
import { shareOfResults } from '../handler/memory.js';
import { isFailure, ServiceError, type Failure, type HeaderLines } from '../handler/reply.js';
import type { AccessRequest, Handler } from '../http/route.js';
import { RefusedCredentials, type Refusal } from './refusal.js';

/** The only part of the request that the operation can read. */
export interface GivenCredentials {
  readonly parameters: Readonly<Record<string, string>>;
  /** The caller within the operation: the claims of a verified token. */
  readonly caller?: JsonObject | null;
}

/** The operation's input for each caller. */
const givenFor = new WeakMap<JsonObject, GivenCredentials>();

/** The input of the operation that found this caller; undefined if the caller was found otherwise. */
export function givenOf(caller: JsonObject): GivenCredentials | undefined {
  return givenFor.get(caller);
}

/** Stores the parameters of the operation that found this caller. */
export function noteGiven(caller: JsonObject, given: GivenCredentials | undefined): void {
  if (given !== undefined) givenFor.set(caller, given);
}

/** The part of an authentication that finds its callers by an operation. */
export interface CallerFinder {
  readonly operation: Handler;
  /** The reason if the operation does not know the credentials. */
  readonly unknown: Refusal;
  /** Whether the credentials are known to be right before the operation runs. */
  readonly areVerified: boolean;
}

/** Statuses with which the operation refuses verified credentials. */
const refusals = [401, 403, 404];

/**
 * Whether the operation refuses the credentials with this status. Before they are verified, every status of a refusal except 429 is the
 * same to the client: a 423 without a password would reveal that the account exists.
 */
function isRefusal(status: number, { areVerified }: CallerFinder): boolean {
  return refusals.includes(status) || (!areVerified && status < 500 && status !== 429);
}

/**
 * The response of the operation, which is the caller; or the refusal. Throws what ends the request with another status than 401: an
 * exception with a status that is not a refusal, a 403 with a code for verified credentials, and errors, which are 500 if they are below.
 */
export async function findCaller(
  finder: CallerFinder,
  given: GivenCredentials,
  request: Pick<AccessRequest, 'deadline' | 'decided'>,
): Promise<JsonObject | RefusedCredentials> {
  const { operation, unknown, areVerified } = finder;
  const held = shareOfResults();
  try {
    const { status, body = null } = await operation(callWith(given, request, held));
    if (body === null) return new RefusedCredentials(unknown);
    const isSuccess = status >= 200 && status < 300;
    if (isSuccess && typeof body === 'object' && !Array.isArray(body)) {
      // A constant body is the same object for all callers.
      const caller = { ...body };
      noteGiven(caller, given);
      return caller;
    }
    if (!isSuccess && isRefusal(status, finder)) return new RefusedCredentials(unknown);
    throw new ServiceError(500, 'Internal server error', {
      log: { reason: `the operation that finds a caller returned no object, or status ${status}` },
    });
  } catch (error) {
    if (isFailure(error)) {
      const isDenied = error.status === 403 && error.code !== undefined && areVerified;
      if (isDenied) request.decided('denied');
      if (isDenied || !isRefusal(error.status, finder)) throw error;
      return new RefusedCredentials(unknown, areVerified ? headerOf(error) : undefined);
    }
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    if (!isRaised(error)) throw ofOperation(error);
    if (isRefusal(error.status, finder)) return new RefusedCredentials(unknown);
    throw error;
  } finally {
    held.release();
  }
}

/** The headers of an exception. Caches do not store those with a secret that the operation made. */
function headerOf({ header, secret }: Failure): HeaderLines | undefined {
  if (header === undefined || secret !== true) return header;
  return (response) => {
    response.setHeader('Cache-Control', 'no-store');
    return header(response);
  };
}

/** Whether a database rule deliberately refuses the credentials (RAISE, SIGNAL), like an exception. */
function isRaised({ details }: ServiceError): boolean {
  const code = details.log?.['code'];
  return code === 'P0001' || code === 1644 || /^PT4\d\d$/.test(String(code));
}

/** An error that the client did not cause: it must not look like wrong credentials. */
function ofOperation({ status, details }: ServiceError): ServiceError {
  const reason = `the operation that finds a caller ended with status ${status}`;
  return new ServiceError(500, 'Internal server error', {
    log: { reason, ...details.log },
    cause: details.cause,
  });
}

function callWith(
  { parameters, caller = null }: GivenCredentials,
  { deadline }: Pick<AccessRequest, 'deadline'>,
  held: { take(bytes: number): void },
): Call {
  return {
    param: (name): Json => (Object.hasOwn(parameters, name) ? (parameters[name] ?? null) : null),
    header: () => null,
    query: () => null,
    cookie: () => null,
    file: () => null,
    files: () => [],
    caller,
    body: null,
    deadline,
    hold: (bytes) => {
      held.take(bytes);
    },
    proceed() {
      if (performance.now() > deadline) throw new ServiceError(504, 'The request took too long');
    },
  };
}
