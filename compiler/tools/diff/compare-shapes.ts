/** The effects of a changed shape on clients, in requests and in responses. */
import { anything, type Shape, type ShapeChoice, type ShapeField, type ShapeKind } from './value-shape.js';

/** Maximum depth of comparisons, because models may contain themselves. */
const deepest = 24;

/** Compares accepted values: everything accepted before must still be accepted. */
export function compareInput(before: Shape, after: Shape, at: string): ShapeChange[] {
  return new Comparison('input').compare(before, after, at, 0);
}

/** Compares returned values: nothing may be returned that was not returned before. */
export function compareOutput(before: Shape, after: Shape, at: string): ShapeChange[] {
  return new Comparison('output').compare(before, after, at, 0);
}

class Comparison {
  readonly #seen = new Map<Shape, Set<Shape>>();

  constructor(private readonly direction: 'input' | 'output') {}

  compare(before: Shape, after: Shape, at: string, depth: number): ShapeChange[] {
    const seen = this.#seen.get(before) ?? new Set();
    if (before === after || seen.has(after) || depth > deepest) return [];
    this.#seen.set(before, seen.add(after));
    const kinds = this.#kinds(before, after, at);
    const isOther = kinds.some(({ isBreaking, text }) => isBreaking && !text.endsWith(nullNow));
    return [
      ...kinds,
      // If the value's kind changed, its parts are not compared.
      ...(isOther
        ? []
        : [
            ...this.#values(before, after, at),
            ...this.#format(before, after, at),
            ...(this.direction === 'input' ? compareBounds(before, after, at) : []),
            ...this.#fields(before, after, at, depth),
            ...this.#elements(before, after, at, depth),
            ...this.#alternatives(before, after, at, depth),
          ]),
    ];
  }

  #kinds({ kinds: before }: Shape, { kinds: after }: Shape, at: string): ShapeChange[] {
    if (this.direction === 'input') {
      if (after === undefined) return before === undefined ? [] : [fine(`${at} accepts any value now`)];
      if (before === undefined) return [breaking(`${at} must be ${either(after)} now; it could be anything`)];
      const refused = without(before, after);
      if (refused.length > 0) return [breaking(`${at} must be ${either(after)} now, not ${either(before)}`)];
      const taken = named(without(after, before), before);
      return taken === '' ? [] : [fine(`${at} may be ${taken} too`)];
    }
    // An unknown value may have been of any kind before, and may still be of the same kinds now.
    if (before === undefined || after === undefined) return [];
    const added = without(after, before);
    if (added.length === 0) {
      const gone = named(without(before, after), after);
      return gone === '' ? [] : [fine(`${at} is never ${gone} now`)];
    }
    if (added.every((kind) => kind === 'null')) return [breaking(`${at} ${nullNow}`)];
    return [breaking(`${at} is ${either(after)} now; it was ${either(before)}`)];
  }

  #values({ values: before }: Shape, { values: after }: Shape, at: string): ShapeChange[] {
    const isInput = this.direction === 'input';
    if (before === undefined && after === undefined) return [];
    // Fewer values break senders, more values break receivers.
    const change = (isFewer: boolean, verb: string, values: Iterable<string>): ShapeChange => {
      return { isBreaking: isFewer === isInput, text: `${at} ${verb} ${[...values].join(', ')} now` };
    };
    if (before === undefined) return [change(true, isInput ? 'must be one of' : 'is one of', after ?? [])];
    if (after === undefined)
      return [change(false, isInput ? 'accepts values other than' : 'can be a value other than', before)];
    const gone = [...before].filter((value) => !after.has(value));
    const added = [...after].filter((value) => !before.has(value));
    return [
      ...(gone.length === 0 ? [] : [change(true, isInput ? 'does not accept' : 'is never', gone)]),
      ...(added.length === 0 ? [] : [change(false, isInput ? 'accepts' : 'can be', added)]),
    ];
  }

  #format({ format: before }: Shape, { format: after }: Shape, at: string): ShapeChange[] {
    const isInput = this.direction === 'input';
    if (before === undefined)
      return after === undefined ? [] : [{ isBreaking: isInput, text: `${at} has the format ${after} now` }];
    if (after === undefined)
      return [{ isBreaking: !isInput, text: `${at} has no format now; it had ${before}` }];
    if (before === after) return [];
    return [breaking(`${at} has the format ${after} now; it had ${before}`)];
  }

  #fields(before: Shape, after: Shape, at: string, depth: number): ShapeChange[] {
    const [old, now] = [before.fields, after.fields];
    const isInput = this.direction === 'input';
    // If the fields are unknown, no field is known to be missing.
    if (old === undefined && now === undefined) return [];
    if (!isInput && (old === undefined || now === undefined)) return [];
    const changes: ShapeChange[] = [];
    for (const [name, field] of old ?? []) {
      const same = now?.get(name);
      const path = `${at}.${name}`;
      if (same === undefined) changes.push(...this.#gone(field, after, path));
      else {
        changes.push(...this.#required(field, same, path));
        changes.push(...this.compare(field.shape, same.shape, path, depth + 1));
      }
    }
    for (const [name, field] of now ?? []) {
      if (old?.has(name) === true) continue;
      const isNeeded = isInput && field.isRequired && !field.isReadOnly;
      const path = `${at}.${name}`;
      changes.push(isNeeded ? breaking(`${path} is new and required`) : fine(`${path} ${isNew}`));
    }
    if (isInput && after.isClosed && !before.isClosed)
      changes.push(breaking(`${at} does not accept other fields now`));
    return changes;
  }

  #gone({ isReadOnly }: ShapeField, { isClosed }: Shape, path: string): ShapeChange[] {
    if (this.direction === 'output') return [breaking(`${path} ${isGone}`)];
    if (isReadOnly) return [];
    return [breaking(isClosed ? `${path} is refused now` : `${path} was removed: it is no longer read`)];
  }

  #required(before: ShapeField, after: ShapeField, path: string): ShapeChange[] {
    if (before.isRequired === after.isRequired) return [];
    if (this.direction === 'output')
      return [after.isRequired ? fine(`${path} ${isAlwaysThere}`) : breaking(`${path} ${mayBeMissing}`)];
    if (after.isReadOnly) return [];
    return [after.isRequired ? breaking(`${path} is required now`) : fine(`${path} is optional now`)];
  }

  #elements({ element: before }: Shape, { element: after }: Shape, at: string, depth: number): ShapeChange[] {
    return before === undefined || after === undefined
      ? []
      : this.compare(before, after, `${at}[]`, depth + 1);
  }

  #alternatives(old: Shape, now: Shape, at: string, depth: number): ShapeChange[] {
    const [{ choice: chosen, alternatives: before }, { choice, alternatives: after }] = [old, now];
    if (choice !== undefined && chosen !== undefined && choice.property === chosen.property)
      return this.#choices(chosen, choice, at, depth);
    // With a discriminating property, other values are rejected; without it, any alternative was accepted.
    if (choice !== undefined && this.direction === 'input')
      return [breaking(`${at}.${choice.property} must be one of ${words(choice.shapes.keys())} now`)];
    if (chosen !== undefined && this.direction === 'input')
      return [fine(`${at}.${chosen.property} does not choose the alternative now`)];
    if (before.length === after.length)
      return before.flatMap((one, index) => this.compare(one, after[index] ?? one, at, depth + 1));
    const isFewer = after.length < before.length;
    const text = `${at} has ${after.length} alternatives now; it had ${before.length}`;
    return [{ isBreaking: this.direction === 'input' ? isFewer && after.length > 0 : !isFewer, text }];
  }

  /** Matches alternatives by property value, regardless of order. */
  #choices(before: ShapeChoice, after: ShapeChoice, at: string, depth: number): ShapeChange[] {
    const shapeOf = ({ shapes }: ShapeChoice): Shape => ({
      ...anything,
      values: new Set([...shapes.keys()].map((word) => JSON.stringify(word))),
    });
    return [
      ...this.#values(shapeOf(before), shapeOf(after), `${at}.${after.property}`),
      ...[...before.shapes].flatMap(([word, shape]) => {
        const same = after.shapes.get(word);
        return same === undefined ? [] : this.compare(shape, same, at, depth + 1);
      }),
    ];
  }
}

const nullNow = 'can be null now';

/** Texts about fields, used to recognize changes. */
export const isGone = 'was removed';
export const isNew = 'is new';
export const isAlwaysThere = 'is always there now';
export const mayBeMissing = 'may be missing now';

/** The kinds that are not in `others`. An integer also counts as a number. */
function without(kinds: ReadonlySet<ShapeKind>, others: ReadonlySet<ShapeKind>): ShapeKind[] {
  return [...kinds].filter((kind) => !others.has(kind) && !(kind === 'integer' && others.has('number')));
}

/** Names of the kinds, given the other side's kinds: a number next to integers is called a fraction. */
function named(kinds: readonly ShapeKind[], others: ReadonlySet<ShapeKind>): string {
  return kinds.map((kind) => (kind === 'number' && others.has('integer') ? 'a fraction' : kind)).join(' or ');
}

function words(values: Iterable<string>): string {
  return [...values].map((word) => JSON.stringify(word)).join(', ');
}

function either(kinds: ReadonlySet<ShapeKind>): string {
  return [...kinds].join(' or ');
}

/** A change at a path of a value, such as `body.title`. */
export interface ShapeChange {
  readonly isBreaking: boolean;
  readonly text: string;
}

/** A change that may break clients. */
export function breaking(text: string): ShapeChange {
  return { isBreaking: true, text };
}

/** A change that clients following the old contract do not notice. */
export function fine(text: string): ShapeChange {
  return { isBreaking: false, text };
}

/** Bounds for which a higher number accepts more values. */
const upper = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const lower = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);

/** Changes to the bounds of accepted values. */
function compareBounds({ bounds: before }: Shape, { bounds: after }: Shape, at: string): ShapeChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === now || now === false) return [];
    if (now === undefined) return [fine(`${at} has no ${name} now; it was ${String(old)}`)];
    if (old === undefined || old === false) return [breaking(`${at} has the ${name} ${String(now)} now`)];
    const isWider =
      (upper.has(name) && Number(now) > Number(old)) || (lower.has(name) && Number(now) < Number(old));
    return [
      { isBreaking: !isWider, text: `${at} has the ${name} ${String(now)} now; it was ${String(old)}` },
    ];
  });
}
