/** Records the steps of a traced call. Each asynchronous task of the call has a scope with the list for its next step. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isFailure, ServiceError } from '../handler/reply.js';
import type { Trace, TraceStep } from './steps.js';

/** Maximum number of steps in a trace, and of characters in all their strings, to limit memory. */
const maxSteps = 1000;
const maxCharacters = 500_000;

const scopes = new AsyncLocalStorage<Scope>();

/** The scope of the current task; undefined if the call is not traced. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/** Runs work started by a traced call without recording it as steps of the call. */
export function outsideTraces<Result>(run: () => Result): Result {
  return scopes.exit(run);
}

interface Recording {
  readonly trace: Trace;
  /** The number of steps. */
  count: number;
  /** Total characters of the stored steps. */
  characters: number;
}

/** The current list of steps in a trace. */
class Scope {
  constructor(
    private readonly recording: Recording,
    /** The list for the next step, which changes with each loop iteration. */
    public steps: TraceStep[],
  ) {}

  /** Adds a step, and returns it whether it was stored or not. */
  add<Step extends TraceStep>(step: Step): Step {
    this.recording.count += 1;
    const characters = this.recording.characters + textLength(step);
    if (this.recording.count <= maxSteps && characters <= maxCharacters) {
      this.recording.characters = characters;
      this.steps.push(step);
    } else this.recording.trace.omitted += 1;
    return step;
  }

  /** A scope in the same trace that adds steps to another list. */
  at(steps: TraceStep[]): Scope {
    return new Scope(this.recording, steps);
  }

  /** Runs code whose steps are added to this scope. */
  run<Result>(run: () => Result): Result {
    return scopes.run(this, run);
  }

  /** Adds a step, with the duration of `run` and its error. */
  async timed<Result>(
    step: TraceStep & { milliseconds?: number; failure?: string },
    run: () => Promise<Result>,
  ): Promise<Result> {
    const start = performance.now();
    this.add(step);
    try {
      return await run();
    } catch (error) {
      // An exception of the configuration is a response, not an error. If user code throws one, no other step would show it.
      if (!isFailure(error)) step.failure = failureText(error);
      else if (step.kind === 'code') step.failure = `fail(${error.status})`;
      throw error;
    } finally {
      step.milliseconds = since(start);
    }
  }
}

/** Runs an operation and records its steps. The trace is complete when the returned promise settles. */
export function record<Result extends { readonly status: number }>(
  operation: string,
  run: () => Result | Promise<Result>,
): { readonly trace: Trace; readonly result: Promise<Result> } {
  const trace: Trace = { operation, status: 500, milliseconds: 0, steps: [], omitted: 0 };
  const start = performance.now();
  const result = new Scope({ trace, count: 0, characters: 0 }, trace.steps).run(async () => {
    try {
      const reply = await run();
      trace.status = reply.status;
      return reply;
    } catch (error) {
      if (error instanceof ServiceError || isFailure(error)) trace.status = error.status;
      if (!isFailure(error)) trace.failure = failureText(error);
      throw error;
    } finally {
      trace.milliseconds = since(start);
    }
  });
  return { trace, result };
}

function textLength(step: TraceStep): number {
  let length = 0;
  for (const value of Object.values(step)) if (typeof value === 'string') length += value.length;
  return length;
}

/** Milliseconds since `start`, rounded to two decimals. */
export function since(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}

/** The error as shown in the log: names from the configuration and codes, without values. */
export function failureText(error: unknown): string {
  if (!(error instanceof ServiceError)) return 'An unexpected error: see the log';
  const { log = {} } = error.details;
  const details = ['reason', 'code', 'thirdPartyStatus'].flatMap((name) =>
    log[name] === undefined ? [] : [`${name} ${log[name]}`],
  );
  return details.length === 0 ? error.message : `${error.message} (${details.join(', ')})`;
}
