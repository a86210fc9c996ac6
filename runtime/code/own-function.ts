/** User functions in `src/code` that expressions call: synchronous, and of their arguments alone. */
import { types } from 'node:util';
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { ValidationErrors } from '../validate/validation-errors.js';
import { ValuePath } from '../validate/value-path.js';
import type { Schema } from '../validate/schema.js';
import { copyOf, NotJson } from './copy-json.js';
import { endOf } from './thrown.js';

export interface FunctionDefinition<Input extends readonly unknown[], Result> {
  readonly name: string;
  /** The user's function. */
  readonly run: (...input: Input) => Result;
  /** A schema for each argument. */
  readonly input: readonly Schema[];
  /** The schema for every result. */
  readonly returns: Schema;
}

/** A user function, as expressions call it. Undefined arguments are null. */
export interface CalledFunction<Input extends readonly unknown[], Result> {
  /** An argument that contradicts its schema is an error of the service: 500. */
  (...input: Unchecked<Input>): Result;
  /** An argument that contradicts its schema is an error of the request: 400. */
  ofRequest(...input: Unchecked<Input>): Result;
}

/** As many arguments, of any type. */
type Unchecked<Input extends readonly unknown[]> = { readonly [Index in keyof Input]: unknown };

/**
 * Wraps a user function: it receives validated arguments, lists and objects as frozen copies, and its result is copied and validated.
 * Rethrows failures of `fail` unchanged, and all other errors as a ServiceError.
 */
export function ownFunction<Input extends readonly unknown[], Result>(
  definition: FunctionDefinition<Input, Result>,
): CalledFunction<Input, Result> {
  const plain = definition as unknown as FunctionDefinition<readonly Json[], unknown>;
  const called = (...input: readonly unknown[]) => runOnce(plain, input, false);
  const ofRequest = (...input: readonly unknown[]) => runOnce(plain, input, true);
  return Object.assign(called, { ofRequest }) as unknown as CalledFunction<Input, Result>;
}

type Definition = FunctionDefinition<readonly Json[], unknown>;

function runOnce(definition: Definition, input: readonly unknown[], isOfRequest: boolean): Json {
  const { name, run, input: schemas } = definition;
  const passed = schemas.map((schema, index) => {
    const value = passedValue(name, input[index]);
    const problem = problemOf(schema, value, 'argument');
    if (problem !== undefined) throw wrongArgument(name, problem, isOfRequest);
    return value;
  });
  let result: unknown;
  try {
    result = run(...passed);
  } catch (error) {
    throw endOf(error, { function: name });
  }
  return resultOf(definition, result);
}

/** Arguments that functions could change are copied and frozen. */
function passedValue(name: string, value: unknown): Json {
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
  try {
    return copyOf(value, true).value;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw wrong(name, error.pointer, `an argument ${error.problem}`);
  }
}

function resultOf({ name, returns }: Definition, result: unknown): Json {
  if (types.isPromise(result)) {
    // Nobody waits for the promise, so its rejection would be reported a second time.
    result.catch(nothing);
    throw wrong(name, '', 'the result is a promise, and functions in expressions are synchronous');
  }
  let value: Json;
  try {
    ({ value } = copyOf(result));
  } catch (error) {
    if (error instanceof NotJson) throw wrong(name, error.pointer, `the result ${error.problem}`);
    throw endOf(error, { function: name });
  }
  const problem = problemOf(returns, value, 'result');
  if (problem !== undefined) throw wrong(name, problem.pointer, `the result ${problem.expected}`);
  return value;
}

function nothing(): void {
  // The call has already ended with an error.
}

interface Problem {
  readonly pointer: string;
  /** The end of a sentence without the value: `is a string`. */
  readonly expected: string;
}

/** The first error; undefined for a valid value. */
function problemOf(schema: Schema, value: Json, at: string): Problem | undefined {
  const errors = new ValidationErrors();
  schema.check(value, new ValuePath(at), errors);
  const [first] = errors.faults;
  // The text after ', not ' is the value, which must not be logged.
  return first && { pointer: first.pointer ?? '', expected: first.message.split(/, not /)[0] ?? '' };
}

function wrongArgument(name: string, { pointer, expected }: Problem, isOfRequest: boolean): ServiceError {
  const error = wrong(name, pointer, `an argument ${expected}`);
  if (!isOfRequest) return error;
  const part = pointer === '' ? 'it' : pointer;
  return new ServiceError(400, `A value of the request is not valid: ${part} ${expected}`, error.details);
}

function wrong(name: string, pointer: string, reason: string): ServiceError {
  return new ServiceError(500, 'Internal server error', { log: { function: name, pointer, reason } });
}
