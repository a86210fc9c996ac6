/** Compares third-party responses with their API descriptions. Each mismatch is logged once, and the result is not changed. */
import type { Json } from '../handler/json.js';
import type { Schema } from '../validate/schema.js';
import { ValidationErrors } from '../validate/validation-errors.js';
import { ValuePath } from '../validate/value-path.js';
import type { Described } from './rest.js';

/** Maximum number of logged mismatches for a request. Afterwards, its responses are no longer compared. */
const maxLogged = 20;
/** Maximum number of values compared in a response, because long lists need not be compared completely. */
const maxCompared = 5000;

/** `schemas` are the body schemas by status, `2XX` or `default`. Values are not logged. */
export function describedResponses(schemas: Readonly<Record<string, Schema>>): Described {
  const logged = new Set<string>();
  return ({ status, body }, warn) => {
    const schema = schemas[status] ?? schemas[`${Math.floor(status / 100)}XX`] ?? schemas.default;
    if (schema === undefined || logged.size >= maxLogged) return;
    const found = new Contradictions({ left: maxCompared });
    schema.check(body, new ValuePath(''), found);
    for (const [place, problem] of found.places) {
      const contradiction = `${place} of its response ${status} ${problem}`;
      if (logged.has(contradiction) || logged.size >= maxLogged) continue;
      logged.add(contradiction);
      warn(contradiction);
    }
  };
}

/** Finds the locations of mismatches, in limited time. */
class Contradictions extends ValidationErrors {
  /** The first problem at each location. */
  readonly places = new Map<string, string>();

  constructor(
    private readonly budget: { left: number },
    private readonly isOneOfSeveral = false,
  ) {
    super(isOneOfSeveral);
  }

  override get isDecided(): boolean {
    this.budget.left -= 1;
    return this.budget.left < 0 || super.isDecided;
  }

  override add(at: ValuePath, problem: () => string): void {
    this.count += 1;
    if (this.isOneOfSeveral || this.places.size >= maxLogged) return;
    const place = placeOf(at);
    // The rest of the sentence quotes the value.
    const [sentence = ''] = problem().split(', not ', 1);
    if (!this.places.has(place)) this.places.set(place, sentence);
  }

  override matches(schema: Schema, value: Json, at: ValuePath): boolean {
    const trial = new Contradictions(this.budget, true);
    schema.check(value, at, trial);
    return trial.count === 0;
  }
}

/** A JSON pointer with `*` for list elements. All its names are from the API description. */
function placeOf(at: ValuePath): string {
  const [, ...steps] = at.steps();
  if (steps.length === 0) return 'the body';
  return steps
    .map((step) => (typeof step === 'number' ? '/*' : `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`))
    .join('');
}
