/** Collects diagnostics, so that work goes on after a mistake and all of them are told in one run. */
import type { Place, Source } from '../source.js';
import { catalogue, type Code, type ParametersOf } from './catalogue.js';
import type { Sink } from './findings.js';
import type { Entry, Wording } from './catalogue/entry-messages.js';
import type { Diagnostic } from './diagnostic.js';
import { fixOf, type Fix } from './fix.js';
import { Aliases } from './aliases.js';
import { conceal, concealed } from './conceal.js';

/** A longer text would be more than anybody reads, and many of them more than anybody waits for. */
const longestText = 2000;

export class Report implements Sink {
  readonly #diagnostics = new Map<string, Diagnostic>();
  readonly #ignored = new Map<Source, Stretches>();
  readonly #aliases = new Aliases();
  /** The paths of files that YAML could not read as a whole. */
  readonly #incomplete = new Set<string>();
  #hasErrors = false;

  /** From now on nothing is added inside these places: something else has already been said of them. */
  ignoreInside(places: readonly Place[]): void {
    for (const { source, start, end } of places) {
      const ignored = this.#ignored.get(source) ?? new Stretches();
      this.#ignored.set(source, ignored);
      ignored.add(start, end);
    }
  }

  /** From now on what is added inside of `anchored` names the line of the alias that uses it too. */
  addAlias(anchored: Place, alias: Place): void {
    this.#aliases.add(anchored, alias);
  }

  /** Adds a diagnostic; the same code at the same place is told once. */
  add<C extends Code>(code: C, place: Place, ...parameters: ParametersOf<C>): void {
    this.tell(code, catalogue[code] as Entry<ParametersOf<C>>, place, ...parameters);
  }

  /** The same of an entry that stands elsewhere than in the catalogue: beside its rule. */
  tell<Parameters extends readonly unknown[]>(
    code: string,
    entry: Entry<Parameters>,
    place: Place,
    ...parameters: Parameters
  ): void {
    const key = `${code} ${place.source.path} ${place.start}`;
    if (this.#diagnostics.has(key) || this.#ignored.get(place.source)?.hold(place.start, place.end) === true)
      return;
    const wording = entry.say(...conceal(parameters, place));
    const hints = [wording.hint, this.#aliases.noteOn(place)].flatMap((hint) => hint ?? []);
    const fix = fixIn(wording, place);
    this.#diagnostics.set(key, {
      code,
      severity: entry.severity,
      message: cut(wording.message),
      ...(hints.length === 0 ? {} : { hint: cut(hints.join(' ')) }),
      ...(fix === undefined ? {} : { fix }),
      place,
    });
    if (entry.severity === 'error') this.#hasErrors = true;
    if (code === 'invalid-yaml') this.#incomplete.add(place.source.path);
  }

  /** Whether YAML could not read a part of the source: then nothing can be said of what is missing in it. */
  isIncomplete(source: Source): boolean {
    return this.#incomplete.has(source.path);
  }

  get hasErrors(): boolean {
    return this.#hasErrors;
  }

  /** The places of what stops the build, in the order in which it was found. */
  get errors(): Place[] {
    const errors = [...this.#diagnostics.values()].filter(({ severity }) => severity === 'error');
    return errors.map(({ place }) => place);
  }

  /** All diagnostics in file order; a file that YAML could not read as a whole comes first, for others follow from it. */
  get diagnostics(): Diagnostic[] {
    const rank = ({ place }: Diagnostic): number => (this.isIncomplete(place.source) ? 0 : 1);
    return [...this.#diagnostics.values()].sort(
      (a, b) =>
        rank(a) - rank(b) ||
        compare(a.place.source.path, b.place.source.path) ||
        a.place.start - b.place.start ||
        compare(a.code, b.code),
    );
  }
}

/** Stretches of one source, in the order of their beginnings. */
class Stretches {
  readonly #starts: number[] = [];
  /** For each the farthest end of it and of all before it. */
  readonly #farthest: number[] = [];

  add(start: number, end: number): void {
    const index = this.#indexBehind(start);
    this.#starts.splice(index, 0, start);
    this.#farthest.splice(index, 0, Math.max(end, this.#farthest[index - 1] ?? 0));
    for (let next = index + 1; (this.#farthest[next] ?? end) < end; next += 1) this.#farthest[next] = end;
  }

  /** Whether one of them holds all from `start` to `end`. */
  hold(start: number, end: number): boolean {
    return (this.#farthest[this.#indexBehind(start) - 1] ?? -1) >= end;
  }

  /** The number of those that begin at `start` or before. */
  #indexBehind(start: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What was concealed cannot be written. */
function fixIn({ instead, yamlInstead, insteadOf }: Wording, place: Place): Fix | undefined {
  const text = yamlInstead ?? instead;
  if (text === undefined || text.includes(concealed)) return undefined;
  return fixOf(insteadOf ?? place, text, yamlInstead !== undefined);
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
