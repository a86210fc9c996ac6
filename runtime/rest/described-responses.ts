/** Compares responses of third parties with their descriptions. Contradictions are logged once, and do not change the result. */
import type { Json } from '../handler/json.js';
import type { Schema } from '../validate/schema.js';
import { ValidationErrors } from '../validate/validation-errors.js';
import { ValuePath } from '../validate/value-path.js';
import type { Described } from './rest.js';

/** Contradictions that are logged for one request. After that, its responses are not compared any more. */
const maxLogged = 20;
/** Values of a response that are compared: a long list need not be compared completely. */
const maxCompared = 5000;

/** `schemas`: of the bodies, by status, `2XX` or `default`. No value is logged. */
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

/** The places of contradictions, in limited time. */
class Contradictions extends ValidationErrors {
  /** The first problem of each place. */
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
    // The rest of the sentence is the value.
    const [sentence = ''] = problem().split(', not ', 1);
    if (!this.places.has(place)) this.places.set(place, sentence);
  }

  override matches(schema: Schema, value: Json, at: ValuePath): boolean {
    const trial = new Contradictions(this.budget, true);
    schema.check(value, at, trial);
    return trial.count === 0;
  }
}

/** A JSON pointer with `*` for the elements of a list. All its names are of the description. */
function placeOf(at: ValuePath): string {
  const [, ...steps] = at.steps();
  if (steps.length === 0) return 'the body';
  return steps
    .map((step) => (typeof step === 'number' ? '/*' : `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`))
    .join('');
}
