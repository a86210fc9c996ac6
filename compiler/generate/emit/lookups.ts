/** Look-ups in joined results: one that an object needs more than once becomes a variable of the function that builds it. */
import { printCode } from '../code/print.js';
import { constant, type Code, type Name, type Statement } from '../code/code.js';
import { occurrences, replaced, type Part } from '../code/code-parts.js';

interface Lookup {
  readonly code: Code;
  /** The variable that it wishes to be. */
  readonly wished: string;
  /** The rows that its keys are read from. */
  readonly entries: readonly Name[];
}

export class Lookups {
  readonly #byText = new Map<string, Lookup>();
  readonly #byCode = new Map<Part, Lookup>();

  /** The look-up itself, as a node by which `hoisted` knows it: one for equal look-ups. */
  lookup(code: Code, wished: string, entries: readonly Name[]): Code {
    const text = printCode(code);
    const known = this.#byText.get(text) ?? { code, wished, entries };
    this.#byText.set(text, known);
    this.#byCode.set(known.code, known);
    return known.code;
  }

  /** The code with variables for lookups that depend only on that row and occur more than once, and their declarations. */
  hoisted(
    code: Code,
    entry: Name,
    nameOf: (wished: string) => Name,
  ): { readonly code: Code; readonly declarations: readonly Statement[] } {
    const counts = new Map<Lookup, number>();
    for (const part of occurrences(code, this.#byCode)) {
      const found = this.#byCode.get(part);
      if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1);
    }
    const variables = new Map<Code, Name>();
    const taken = new Set<string>();
    for (const [{ code: lookup, wished, entries }, count] of counts) {
      if (count < 2 || taken.has(wished) || entries.some(({ name }) => name !== entry.name)) continue;
      taken.add(wished);
      variables.set(lookup, nameOf(wished));
    }
    return {
      code: variables.size === 0 ? code : replaced(code, variables),
      declarations: [...variables].map(([lookup, name]) => constant(name, lookup)),
    };
  }
}
