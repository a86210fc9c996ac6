/** Collects the validation errors of a request with their positions, in limited memory and time. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';
import type { Fault } from '../handler/reply.js';
import { faultAt, type ValuePath } from './value-path.js';

/** Maximum number of listed errors. Further errors are only counted. */
const maxNamed = 20;
/** Maximum number of counted errors, so that validating an invalid body does not take longer than a valid one. */
const maxCounted = 1000;

/** A schema, as a cache key. */
interface Check {
  check(value: Json, at: ValuePath, errors: ValidationErrors): void;
}

/** Cached results for arrays and objects, by schema. */
type ValidationCache = Map<Check, WeakMap<object, boolean>>;

/** Validates the elements or properties from `start` to `end`. */
export type Part = (start: number, end: number, at: ValuePath) => void;

interface Parts {
  readonly length: number;
  readonly at: ValuePath;
  readonly check: Part;
}

/** Number of elements or properties validated between two pauses. */
const atATime = 128;

export class ValidationErrors {
  /** The number of errors. */
  count = 0;
  /** Long lists and large objects to be validated later, with pauses; undefined if everything is validated synchronously. */
  #parts: Parts[] | undefined;
  readonly #named = new Set<string>();
  /** The listed errors. */
  readonly faults: Fault[] = [];
  readonly #reported: ValidationCache = new Map();

  /** `isTrial`: whether the first error ends the validation. */
  constructor(
    private readonly isTrial = false,
    private readonly verdicts: ValidationCache = new Map(),
  ) {}

  /** Whether further errors would not change the result. */
  get isDecided(): boolean {
    return this.count >= (this.isTrial ? 1 : maxCounted);
  }

  /** Validates elements or properties: immediately, or later with pauses (`inTurns`) if there are many. */
  inParts(length: number, at: ValuePath, check: Part): void {
    if (this.#parts === undefined || length <= atATime) check(0, length, at);
    else this.#parts.push({ length, at: at.copy(), check });
  }

  /**
   * Runs a validation in which long lists are validated with pauses, after the values around them. Trials for `anyOf` and similar
   * keywords run without pauses. Throws the errors of `call.proceed`.
   */
  async inTurns(call: Call, check: () => void): Promise<void> {
    const parts: Parts[] = (this.#parts = []);
    check();
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      for (let start = 0; start < part.length && !this.isDecided; start += atATime) {
        if (isTurnOver()) await nextTurn(call);
        part.check(start, Math.min(start + atATime, part.length), part.at);
      }
    }
  }

  /** Adds an error. `problem` returns the rest of the sentence after the position: `is missing`. */
  add(at: ValuePath, problem: () => string): void {
    this.count += 1;
    if (this.isTrial || this.#named.size >= maxNamed) return;
    const message = problem();
    const named = `${shortened(at.toString())} ${message}`;
    if (!this.#named.has(named)) this.faults.push(faultAt(at, message));
    this.#named.add(named);
  }

  /** Whether the value matches the schema. Does not report errors. */
  matches(schema: Check, value: Json, at: ValuePath): boolean {
    const known = typeof value === 'object' && value !== null ? cacheOf(this.verdicts, schema) : undefined;
    const verdict = known?.get(value as object);
    if (verdict !== undefined) return verdict;
    const trial = new ValidationErrors(true, this.verdicts);
    schema.check(value, at, trial);
    known?.set(value as object, trial.count === 0);
    return trial.count === 0;
  }

  /**
   * Validates a value with a recursive schema, only once for each array and object. Otherwise, the time for a model that contains
   * itself twice would double with every level of the body.
   */
  checkOnce(schema: Check, value: Json, at: ValuePath): void {
    if (typeof value !== 'object' || value === null) {
      schema.check(value, at, this);
    } else if (this.isTrial) {
      if (!this.matches(schema, value, at)) this.count += 1;
    } else {
      const reported = cacheOf(this.#reported, schema);
      if (reported.has(value)) return;
      reported.set(value, true);
      schema.check(value, at, this);
    }
  }

  /** All errors in one sentence; undefined if there are none. */
  get message(): string | undefined {
    if (this.count === 0) return undefined;
    const named = [...this.#named];
    // Two schemas may report the same message for one position, which is listed only once.
    const more = this.#named.size < maxNamed ? 0 : this.count - named.length;
    const atLeast = this.count >= maxCounted ? 'at least ' : '';
    return `The request is not valid: ${named.join('; ')}${more === 0 ? '' : `; and ${atLeast}${more} more`}`;
  }
}

/** Shortens the position of a deeply nested value to its start and end. */
function shortened(path: string): string {
  return path.length > 150 ? `${path.slice(0, 30)}…${path.slice(-100)}` : path;
}

function cacheOf(cache: ValidationCache, schema: Check): WeakMap<object, boolean> {
  const known = cache.get(schema);
  if (known !== undefined) return known;
  const added = new WeakMap<object, boolean>();
  cache.set(schema, added);
  return added;
}
