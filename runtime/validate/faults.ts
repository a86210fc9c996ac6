/** Collects the validation errors of a request with their positions, in limited memory and time. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';
import type { Place } from './place.js';

/** So many faults are named; of the others only the number. */
const mostNamed = 20;
/** So many are looked for: a body of nothing but faults must not take longer than one without. */
const mostCounted = 1000;

/** Verdicts on arrays and objects that were found on the way. */
/** What a schema is to those who count. */
interface Check {
  check(value: Json, at: Place, faults: Faults): void;
}

type Memory = Map<Check, WeakMap<object, boolean>>;

/** Checks the elements or properties from `start` to `end`. */
export type Part = (start: number, end: number) => void;

interface Parts {
  readonly length: number;
  readonly check: Part;
}

/** So many elements or properties are checked at a time where others get their turn between. */
const atATime = 128;

export class Faults {
  /** How many there are. */
  count = 0;
  /** Long lists and large objects that are still to be checked; undefined where all is checked at once. */
  #parts: Parts[] | undefined;
  readonly #named = new Set<string>();
  readonly #reported: Memory = new Map();

  /** `isTrial`: only whether there is a fault matters, so the first one decides. */
  constructor(
    private readonly isTrial = false,
    private readonly verdicts: Memory = new Map(),
  ) {}

  /** True when more faults would change nothing. */
  get isDecided(): boolean {
    return this.count >= (this.isTrial ? 1 : mostCounted);
  }

  /** Checks so many elements or properties: at once, or in turns where they are many and `inTurns` goes on with them. */
  inParts(length: number, check: Part): void {
    if (this.#parts === undefined || length <= atATime) check(0, length);
    else this.#parts.push({ length, check });
  }

  /**
   * Runs a check of which long lists are checked in turns, each after what stands around it. What is tried, for `anyOf` and its like, is checked
   * at once. Throws what `call.proceed` throws.
   */
  async inTurns(call: Call, check: () => void): Promise<void> {
    const parts: Parts[] = (this.#parts = []);
    check();
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      for (let start = 0; start < part.length && !this.isDecided; start += atATime) {
        if (isTurnOver()) await nextTurn(call);
        part.check(start, Math.min(start + atATime, part.length));
      }
    }
  }

  /** `problem` goes on where the place ends: `is missing`. */
  add(at: Place, problem: () => string): void {
    this.count += 1;
    if (!this.isTrial && this.#named.size < mostNamed)
      this.#named.add(`${shortened(at.toString())} ${problem()}`);
  }

  /** Whether the value fits the schema; reports nothing. */
  fits(schema: Check, value: Json, at: Place): boolean {
    const known = typeof value === 'object' && value !== null ? memoryOf(this.verdicts, schema) : undefined;
    const verdict = known?.get(value as object);
    if (verdict !== undefined) return verdict;
    const trial = new Faults(true, this.verdicts);
    schema.check(value, at, trial);
    known?.set(value as object, trial.count === 0);
    return trial.count === 0;
  }

  /**
   * Checks a value against a schema that may contain itself, once for each array and object: otherwise a model that refers to
   * itself on two ways would take a time that doubles with every level of the body.
   */
  checkOnce(schema: Check, value: Json, at: Place): void {
    if (typeof value !== 'object' || value === null) {
      schema.check(value, at, this);
    } else if (this.isTrial) {
      if (!this.fits(schema, value, at)) this.count += 1;
    } else {
      const reported = memoryOf(this.#reported, schema);
      if (reported.has(value)) return;
      reported.set(value, true);
      schema.check(value, at, this);
    }
  }

  /** All of them in one sentence; undefined when there is none. */
  get message(): string | undefined {
    if (this.count === 0) return undefined;
    const named = [...this.#named];
    // What two schemas say of one place in the same words is named once.
    const more = this.#named.size < mostNamed ? 0 : this.count - named.length;
    const atLeast = this.count >= mostCounted ? 'at least ' : '';
    return `The request is not valid: ${named.join('; ')}${more === 0 ? '' : `; and ${atLeast}${more} more`}`;
  }
}

/** A place deep in a body by its beginning and its end. */
function shortened(place: string): string {
  return place.length > 150 ? `${place.slice(0, 30)}…${place.slice(-100)}` : place;
}

function memoryOf(memory: Memory, schema: Check): WeakMap<object, boolean> {
  const known = memory.get(schema);
  if (known !== undefined) return known;
  const added = new WeakMap<object, boolean>();
  memory.set(schema, added);
  return added;
}
