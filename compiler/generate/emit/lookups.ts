/** Lookups in joined results: a lookup that an object needs more than once becomes a variable of the function that builds the object. */
import { printCode } from '../code/print.js';
import { constant, type Code, type Name, type Statement } from '../code/code.js';
import { occurrences, replaced, type Part } from '../code/code-parts.js';

interface Lookup {
  readonly code: Code;
  /** Preferred variable name. */
  readonly wished: string;
  /** The rows that the lookup keys are read from. */
  readonly entries: readonly Name[];
}

export class Lookups {
  readonly #byText = new Map<string, Lookup>();
  readonly #byCode = new Map<Part, Lookup>();

  /** Registers a lookup and returns its node, by which `hoisted` recognizes it; equal lookups share a node. */
  lookup(code: Code, wished: string, entries: readonly Name[]): Code {
    const text = printCode(code);
    const known = this.#byText.get(text) ?? { code, wished, entries };
    this.#byText.set(text, known);
    this.#byCode.set(known.code, known);
    return known.code;
  }

  /** Moves repeated lookups that only depend on the given row to variables; returns the code and the declarations. */
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
