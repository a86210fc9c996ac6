/** Reference calls: one operation calls another. */
import type { Call, UploadedFile } from '../handler/call.js';
import type { Json, JsonObject } from '../handler/json.js';
import { ServiceError, type Reply } from '../handler/reply.js';

/** The values that a reference call passes to the called operation. */
export interface PassedValues {
  /** They win over those of the request. A passed null counts as passed; undefined is null. */
  readonly parameters?: Readonly<Record<string, Json | undefined>>;
  /** Replaces the body of the request. */
  readonly body?: Json | undefined;
}

const deepest = 32;

/** Calls another operation, and returns the body of its reply; null without a body, which its type includes. Throws what that operation throws. */
export async function callOperation<Body extends Json>(
  call: Call,
  operation: (call: Call) => Promise<Reply<Body>>,
  passed: PassedValues = {},
): Promise<Body> {
  const { body = null } = await operation(referenceCall(call, passed));
  return body as Body;
}

/** The call object of a called operation. Throws a ServiceError (500) for calls more than 32 deep. */
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

class ReferenceCall implements Call {
  constructor(
    private readonly outer: Call,
    private readonly passed: PassedValues,
    readonly depth: number,
  ) {}

  get root(): Call {
    return this.outer.root ?? this.outer;
  }

  param(name: string): Json {
    const { parameters } = this.passed;
    if (parameters !== undefined && Object.hasOwn(parameters, name)) return parameters[name] ?? null;
    return this.outer.param(name);
  }

  header(name: string): string | null {
    return this.outer.header(name);
  }

  query(name: string): Json {
    return this.outer.query(name);
  }

  cookie(name: string): string | null {
    return this.outer.cookie(name);
  }

  get caller(): JsonObject | null {
    return this.outer.caller;
  }

  isDeclared(name: string): boolean {
    const { parameters } = this.passed;
    const isPassed = parameters !== undefined && Object.hasOwn(parameters, name);
    return isPassed || this.outer.isDeclared?.(name) === true;
  }

  file(part: string): UploadedFile | null {
    return this.outer.file(part);
  }

  get body(): Json {
    return Object.hasOwn(this.passed, 'body') ? (this.passed.body ?? null) : this.outer.body;
  }

  get deadline(): number {
    return this.outer.deadline;
  }

  get transaction(): object | undefined {
    return this.outer.transaction;
  }

  proceed(): void {
    this.outer.proceed();
  }
}
