/** Counts of calls that depend on loop iterations: sums of products such as `2 + 3 × n`. */

/** A sum of terms, keyed by their factors, which are in loop order, outermost first. */
export class CallCount {
  private constructor(private readonly terms: ReadonlyMap<string, Term>) {}

  static readonly none = new CallCount(new Map());

  static of(count: number): CallCount {
    return count === 0 ? CallCount.none : new CallCount(new Map([['', { count, factors: [] }]]));
  }

  get isNone(): boolean {
    return this.terms.size === 0;
  }

  plus(other: CallCount): CallCount {
    const terms = new Map(this.terms);
    for (const [key, { count, factors }] of other.terms)
      terms.set(key, { count: count + (terms.get(key)?.count ?? 0), factors });
    return new CallCount(terms);
  }

  /** Multiplies by a loop's number of iterations: a number or its symbol. */
  times(factor: number | string): CallCount {
    if (factor === 0) return CallCount.none;
    const terms = [...this.terms.values()].map(({ count, factors }): Term =>
      typeof factor === 'number'
        ? { count: count * factor, factors }
        : { count, factors: [factor, ...factors] },
    );
    return new CallCount(new Map(terms.map((term) => [term.factors.join(' × '), term])));
  }

  /** A number, or a string: the constant first, then the products in the order in which they were added. */
  print(): number | string {
    const products = [...this.terms.values()].sort((a, b) => a.factors.length - b.factors.length);
    const texts = products.map(({ count, factors }) =>
      [...(count === 1 && factors.length > 0 ? [] : [String(count)]), ...factors].join(' × '),
    );
    const [only] = products;
    if (only === undefined) return 0;
    return products.length === 1 && only.factors.length === 0 ? only.count : texts.join(' + ');
  }
}

interface Term {
  readonly count: number;
  readonly factors: readonly string[];
}
