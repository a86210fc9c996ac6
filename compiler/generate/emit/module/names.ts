/** Assigns the names of one module, so that no name hides another. */
import { name, type Name } from '../../code/code.js';
import { runtimeNames } from '../../plan/names/runtime-symbols.js';

/** item, item2 …: the elements of lists without a name of their own, which would hide a variable of that name. */
const elementName = /^item\d*$/;

const allOfRuntime: ReadonlySet<string> = new Set(runtimeNames);

export class Names {
  readonly #taken: Set<string>;
  /** The names of the runtime that the module imports. */
  readonly #imported: ReadonlySet<string>;
  readonly #avoided = new Set<string>();
  readonly #elements = new Set<string>();
  readonly #shared = new Map<string, Name>();

  /** `imported`: all names of the runtime where it is not known which ones the module imports. */
  constructor(taken: Iterable<string>, imported = allOfRuntime) {
    this.#taken = new Set(['call', 'operation', ...taken]);
    this.#imported = imported;
  }

  /** The wished names that were not free. */
  get avoided(): ReadonlySet<string> {
    return this.#avoided;
  }

  /** The wished name, or one like it: `reply` → replyResult where `suffix` is Result, then replyResult2. */
  take(wished: string, suffix = ''): Name {
    if (this.#isTaken(wished)) this.#avoided.add(wished);
    const base = this.#isTaken(wished) || elementName.test(wished) ? wished + suffix : wished;
    let free = base;
    for (let count = 2; this.#isTaken(free); count += 1) free = `${base}${count}`;
    this.#taken.add(free);
    return name(free);
  }

  /** The wished name for the elements of a list in a schema, shared by sibling lists; undefined if it would hide another name. */
  element(wished: string, outer: string | undefined): Name | undefined {
    if (wished === outer || elementName.test(wished)) return undefined;
    if (this.#elements.has(wished)) return name(wished);
    if (this.#isTaken(wished)) this.#avoided.add(wished);
    if (this.#isTaken(wished)) return undefined;
    this.#taken.add(wished);
    this.#elements.add(wished);
    return name(wished);
  }

  /** The same name for each caller that wishes it, for a parameter that no function inside hides. */
  shared(wished: string, suffix: string): Name {
    const shared = this.#shared.get(wished) ?? this.take(wished, suffix);
    this.#shared.set(wished, shared);
    return shared;
  }

  #isTaken(wished: string): boolean {
    return this.#taken.has(wished) || this.#imported.has(wished);
  }
}
