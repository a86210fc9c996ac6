/** Hands out the names of one module, so that none hides another. */
import { runtimeNames } from '../../plan/names/runtime-symbols.js';

/** item, item2 …: the elements of lists in a schema, which would hide a variable of that name. */
const elementName = /^item\d*$/;

export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set([...runtimeNames, 'call', 'operation', ...taken]);
  }

  /** The wished name, or one like it: `reply` → replyResult where `suffix` is Result, then replyResult2. */
  take(wished: string, suffix = ''): string {
    const base = this.#taken.has(wished) || elementName.test(wished) ? wished + suffix : wished;
    let name = base;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${base}${count}`;
    this.#taken.add(name);
    return name;
  }
}
