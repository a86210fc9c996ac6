/** Records the steps of a traced call. Each asynchronous task of the call knows the list of its next step. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isFailure, ServiceError } from '../handler/reply.js';
import type { Trace, TraceStep } from './steps.js';

/** Steps that a trace keeps, and the characters of all their texts; a loop over everything must not fill the memory. */
const mostSteps = 1000;
const mostCharacters = 500_000;

const scopes = new AsyncLocalStorage<Scope>();

/** The scope of the code that asks; undefined where nobody traces. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

interface Recording {
  readonly trace: Trace;
  /** How many steps there were. */
  count: number;
  /** How many characters the texts of those have that were kept. */
  characters: number;
}

/** A list of steps, within a trace. */
export class Scope {
  constructor(
    private readonly recording: Recording,
    /** Where the next step goes; changes where a loop goes from one iteration to the next. */
    public steps: TraceStep[],
  ) {}

  /** Gives the step, kept or not. */
  add<Step extends TraceStep>(step: Step): Step {
    this.recording.count += 1;
    const characters = this.recording.characters + textLength(step);
    if (this.recording.count <= mostSteps && characters <= mostCharacters) {
      this.recording.characters = characters;
      this.steps.push(step);
    } else this.recording.trace.omitted += 1;
    return step;
  }

  /** The same trace, but steps go there. */
  at(steps: TraceStep[]): Scope {
    return new Scope(this.recording, steps);
  }

  /** All that `run` does goes to this scope, whatever else the call does meanwhile. */
  run<Result>(run: () => Result): Result {
    return scopes.run(this, run);
  }

  /** Adds the step, and notes how long `run` took and how it failed. */
  async timed<Result>(
    step: TraceStep & { milliseconds?: number; failure?: string },
    run: () => Promise<Result>,
  ): Promise<Result> {
    const start = performance.now();
    this.add(step);
    try {
      return await run();
    } catch (error) {
      // An exception is the operation's own answer, and nothing has failed.
      if (!isFailure(error)) step.failure = failureText(error);
      throw error;
    } finally {
      step.milliseconds = since(start);
    }
  }
}

/** Runs the operation and records its steps. The trace is complete when this has ended, well or not. */
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

/** To a hundredth. */
function since(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}

/** What the log says of the error: words of the configuration and codes, no value. */
function failureText(error: unknown): string {
  if (!(error instanceof ServiceError)) return 'An unexpected fault: the log tells more';
  const { log = {} } = error.details;
  const details = ['reason', 'code', 'answered'].flatMap((name) =>
    log[name] === undefined ? [] : [`${name} ${log[name]}`],
  );
  return details.length === 0 ? error.message : `${error.message} (${details.join(', ')})`;
}
