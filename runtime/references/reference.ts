/** Reference calls: one operation calls another. */
import type { Call } from '../handler/call.js';
import { InnerCall } from '../handler/inner-call.js';
import type { Json } from '../handler/json.js';
import { ServiceError, unnamedValue, type Fault, type Reply } from '../handler/reply.js';

/** Values passed to the called operation. */
export interface PassedValues {
  /** Parameters, which take precedence over those of the request. An explicit null counts as passed; undefined becomes null. */
  readonly parameters?: Readonly<Record<string, Json | undefined>>;
  /** The body, which replaces that of the request. */
  readonly body?: Json | undefined;
}

const deepest = 32;

/**
 * Calls another operation, and returns the body of its reply; null if there is no body, as its type allows. Throws the errors of that
 * operation.
 */
export async function callOperation<Body extends Json>(
  call: Call,
  operation: (call: Call) => Promise<Reply<Body>>,
  passed: PassedValues = {},
): Promise<Body> {
  try {
    const { body = null } = await operation(referenceCall(call, passed));
    return body as Body;
  } catch (error) {
    throw withoutPassed(error, call, passed);
  }
}

/** Whether a passed value is that of the request. Two nulls do not count, because the request may not contain the name at all. */
function isSame(passed: Json | undefined, own: Json): boolean {
  return passed !== null && passed === own;
}

/**
 * Hides the names of passed parameters and fields, which belong to the configuration, unless the client has sent the value under the
 * same name.
 */
function withoutPassed(error: unknown, call: Call, passed: PassedValues): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { faults, ...details } = error.details;
  const isOfRequest = (fault: Fault): boolean => {
    if (fault.in === 'body') return !Object.hasOwn(passed, 'body') || isSame(passed.body, call.body);
    const { parameters } = passed;
    const isPassed =
      fault.in === 'parameter' && parameters !== undefined && Object.hasOwn(parameters, fault.name);
    return !isPassed || isSame(parameters[fault.name], call.param(fault.name));
  };
  if (faults === undefined || faults.every(isOfRequest)) return error;
  return new ServiceError(error.status, unnamedValue, details);
}

/** The call of the called operation. Throws a ServiceError 500 if reference calls are nested more than 32 levels deep. */
export function referenceCall(call: Call, passed: PassedValues = {}): Call {
  const depth = (call.depth ?? 0) + 1;
  if (depth > deepest) {
    const log = {
      reason: `reference calls are more than ${deepest} deep: operations call each other in a cycle`,
    };
    throw new ServiceError(500, 'Internal server error', { log });
  }
  return new ReferenceCall(call, passed, depth);
}

class ReferenceCall extends InnerCall {
  constructor(
    outer: Call,
    private readonly passed: PassedValues,
    readonly depth: number,
  ) {
    super(outer);
  }

  override param(name: string): Json {
    const { parameters } = this.passed;
    if (parameters !== undefined && Object.hasOwn(parameters, name)) return parameters[name] ?? null;
    return super.param(name);
  }

  override isDeclared(name: string): boolean {
    const { parameters } = this.passed;
    const isPassed = parameters !== undefined && Object.hasOwn(parameters, name);
    return isPassed || super.isDeclared(name);
  }

  override get body(): Json {
    return Object.hasOwn(this.passed, 'body') ? (this.passed.body ?? null) : this.outer.body;
  }
}
