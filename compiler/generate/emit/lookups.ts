/** Look-ups in joined results: one that an object needs more than once becomes a variable of the function that builds it. */

interface Lookup {
  readonly text: string;
  /** The variable that it wishes to be. */
  readonly wished: string;
  /** The rows that its keys are read from. */
  readonly entries: readonly string[];
}

/** The placeholder of a look-up until its number of uses is known. No code contains this character, since literals escape it. */
const mark = /\0\((\d+)\)/g;

export class Lookups {
  readonly #found: Lookup[] = [];
  readonly #numbers = new Map<string, number>();

  /** The placeholder of the look-up in code that `hoisted` or `written` completes. */
  lookup(text: string, wished: string, entries: readonly string[]): string {
    const number = this.#numbers.get(text) ?? this.#found.length;
    if (number === this.#found.length) this.#found.push({ text, wished, entries });
    this.#numbers.set(text, number);
    return `\0(${number})`;
  }

  /** The code with variables for what it looks up by that row alone and more than once, and their declarations. */
  hoisted(
    code: string,
    entry: string,
    nameOf: (wished: string) => string,
  ): { readonly text: string; readonly declarations: readonly string[] } {
    const counts = new Map<number, number>();
    for (const [, number] of code.matchAll(mark))
      counts.set(Number(number), (counts.get(Number(number)) ?? 0) + 1);
    const variables = new Map<number, string>();
    const declarations: string[] = [];
    const taken = new Set<string>();
    for (const [number, count] of counts) {
      const found = this.#found[number];
      if (found === undefined || count < 2) continue;
      const { text, wished, entries } = found;
      if (taken.has(wished) || entries.some((one) => one !== entry)) continue;
      taken.add(wished);
      const name = nameOf(wished);
      variables.set(number, name);
      declarations.push(`const ${name} = ${text};`);
    }
    const text = code.replaceAll(mark, (whole, number: string) => variables.get(Number(number)) ?? whole);
    return { text, declarations };
  }

  /** The code with the look-ups in their positions. */
  written(code: string): string {
    return code.replaceAll(mark, (_, number: string) => this.#found[Number(number)]?.text ?? '');
  }
}
