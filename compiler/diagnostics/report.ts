/** Collects diagnostics, so that work goes on after a mistake and all of them are told in one run. */
import type { Place } from '../source.js';
import { catalogue, type Code, type ParametersOf } from './catalogue.js';
import type { Entry } from './catalogue/entry.js';
import type { Diagnostic } from './diagnostic.js';
import { maskUrls } from './secrets.js';

export class Report {
  readonly #diagnostics = new Map<string, Diagnostic>();

  readonly #ignored: Place[] = [];

  /** From now on nothing is added inside these places: something else has already been said of them. */
  ignoreInside(places: readonly Place[]): void {
    this.#ignored.push(...places);
  }

  /** Adds a diagnostic; the same code at the same place is told once. */
  add<C extends Code>(code: C, place: Place, ...parameters: ParametersOf<C>): void {
    const entry = catalogue[code] as Entry<readonly unknown[]>;
    const { message, hint } = entry.say(...parameters);
    const key = `${code} ${place.source.path} ${place.start}`;
    if (this.#diagnostics.has(key) || this.#ignored.some((ignored) => isInside(place, ignored))) return;
    const diagnostic: Diagnostic = { code, severity: entry.severity, message: maskUrls(message), place };
    this.#diagnostics.set(key, hint === undefined ? diagnostic : { ...diagnostic, hint: maskUrls(hint) });
  }

  get hasErrors(): boolean {
    return this.diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  }

  /** All diagnostics in file order. */
  get diagnostics(): Diagnostic[] {
    return [...this.#diagnostics.values()].sort(
      (a, b) =>
        compare(a.place.source.path, b.place.source.path) ||
        a.place.start - b.place.start ||
        compare(a.code, b.code),
    );
  }
}

function isInside(place: Place, outer: Place): boolean {
  return place.source === outer.source && place.start >= outer.start && place.end <= outer.end;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
