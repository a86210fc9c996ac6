/** Assigns unique names within one module, so that no name shadows another. */
import { name, type Name } from '../../code/code.js';
import { runtimeNames } from '../../plan/names/runtime-symbols.js';

/** item, item2 …: names of list elements without a better name, which would shadow variables of these names. */
const elementName = /^item\d*$/;

const allOfRuntime: ReadonlySet<string> = new Set(runtimeNames);

export class Names {
  readonly #taken: Set<string>;
  /** Runtime names that the module imports. */
  readonly #imported: ReadonlySet<string>;
  readonly #avoided = new Set<string>();
  readonly #elements = new Set<string>();
  readonly #shared = new Map<string, Name>();

  /** `imported` defaults to all runtime names, for when the module's imports are not yet known. */
  constructor(taken: Iterable<string>, imported = allOfRuntime) {
    this.#taken = new Set(['call', 'operation', ...taken]);
    this.#imported = imported;
  }

  /** Wished names that were already in use. */
  get avoided(): ReadonlySet<string> {
    return this.#avoided;
  }

  /** The wished name, or a similar one: if `reply` is in use and `suffix` is Result, replyResult, then replyResult2. */
  take(wished: string, suffix = ''): Name {
    if (this.#isTaken(wished)) this.#avoided.add(wished);
    const base = this.#isTaken(wished) || elementName.test(wished) ? wished + suffix : wished;
    let free = base;
    for (let count = 2; this.#isTaken(free); count += 1) free = `${base}${count}`;
    this.#taken.add(free);
    return name(free);
  }

  /** The wished name for the elements of a list in a schema, shared by sibling lists; undefined if it would shadow another name. */
  element(wished: string, outer: string | undefined): Name | undefined {
    if (wished === outer || elementName.test(wished)) return undefined;
    if (this.#elements.has(wished)) return name(wished);
    if (this.#isTaken(wished)) this.#avoided.add(wished);
    if (this.#isTaken(wished)) return undefined;
    this.#taken.add(wished);
    this.#elements.add(wished);
    return name(wished);
  }

  /** The same name for all callers with the same wish, for a parameter that no nested function shadows. */
  shared(wished: string, suffix: string): Name {
    const shared = this.#shared.get(wished) ?? this.take(wished, suffix);
    this.#shared.set(wished, shared);
    return shared;
  }

  #isTaken(wished: string): boolean {
    return this.#taken.has(wished) || this.#imported.has(wished);
  }
}
