/** The stored form of a call of an operation: its parameters and its caller. */
import { randomUUID } from 'node:crypto';
import { givenOf, type GivenCredentials } from '../authentication/find-caller.js';
import type { Call } from '../handler/call.js';
import { exactJson } from '../handler/exact-numbers.js';
import type { Json, JsonObject } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import type { PassedValues } from '../references/reference.js';
import { callMethod, type StoredRequest } from './stored-request.js';

/** The configuration of a call, without the values of a call. */
export interface CallDefinition {
  /** The names of the operation and the fulfillment that store the call. */
  readonly operation: string;
  readonly fulfillment: string;
  /** The name of the operation that is called. */
  readonly calls: string;
  /** The claims of the caller that are stored, in addition to `authentication` and `sub`; `all` if the whole caller is read. */
  readonly claims?: readonly string[] | 'all';
  /** Whether the call is stored encrypted. */
  readonly sealed?: true;
  /** Maximum number of attempts. */
  readonly times?: number;
  /** Maximum seconds between storing the call and its last attempt. */
  readonly within?: number;
}

/** Stores a call in the transaction of the given call. Throws a ServiceError of the statement. */
export type StoreCall = (call: Call, passed?: PassedValues) => Promise<void>;

/** The stored parts of a call, except the passed values. */
export interface CallHead extends Pick<CallDefinition, 'times' | 'within'> {
  /** Null if nobody is logged in. */
  readonly caller: JsonObject | null;
  /** The input of the authentication's operation; undefined if there is no such operation. */
  readonly given?: GivenCredentials;
}

/** Creates the stored form of a call. `database` is the name of the database in which it is stored. */
export function storedCall(
  { caller }: Pick<Call, 'caller'>,
  database: string,
  { operation, fulfillment, calls, claims = [], times, within }: CallDefinition,
  { parameters, body }: PassedValues,
): StoredRequest {
  const head: CallHead = {
    ...storedCaller(caller, claims),
    ...(times === undefined ? {} : { times }),
    ...(within === undefined ? {} : { within }),
  };
  return {
    id: randomUUID(),
    datasource: database,
    operation,
    fulfillment,
    orderKey: null,
    method: callMethod,
    url: calls,
    header: exactJson({ ...head } as unknown as JsonObject),
    content: exactJson({
      ...(parameters === undefined ? {} : { parameters: defined(parameters) }),
      ...(body === undefined ? {} : { body }),
    }),
  };
}

/** The head and the passed values of a stored call, with all digits of numbers. */
export function readCall({ header, content }: Pick<StoredRequest, 'header' | 'content'>): {
  readonly head: CallHead;
  readonly passed: PassedValues;
} {
  return {
    head: parseJson(header) as unknown as CallHead,
    passed: parseJson(content ?? '{}') as PassedValues,
  };
}

function storedCaller(
  caller: JsonObject | null,
  claims: readonly string[] | 'all',
): Pick<CallHead, 'caller' | 'given'> {
  if (caller === null) return { caller };
  const given = givenOf(caller);
  if (given === undefined) return { caller: pick(caller, claims) };
  // The operation returns the claims again.
  const { parameters, caller: claimed = null } = given;
  return {
    caller: pick(caller, []),
    given: { parameters, caller: claimed === null ? null : pick(claimed, claims) },
  };
}

function pick(caller: JsonObject, claims: readonly string[] | 'all'): JsonObject {
  if (claims === 'all') return caller;
  const names = ['authentication', 'sub', ...claims].filter((name) => Object.hasOwn(caller, name));
  return Object.fromEntries(names.map((name) => [name, caller[name] ?? null]));
}

/** An undefined value is null in the called operation, as in other references. */
function defined(parameters: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, value ?? null]));
}
