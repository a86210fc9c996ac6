/** What the HTTP side knows of the API description: services without one have nothing more of it. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import type { Form } from './form.js';

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
