/** Mappings and joins once more, as slow and as plain as can be: what the compiled code is compared with. */
import { equal } from '../../runtime/compare.js';
import type { Json, Row } from '../../runtime/json.js';

export interface PlainJoin {
  readonly left: string;
  readonly leftField: string;
  readonly right: string;
  readonly rightField: string;
}

/** A model: its own fields, and models in it, each as a list or single. */
export interface PlainModel {
  readonly name: string;
  /** Model field to the fulfillment and its field; the first one gives the entries. */
  readonly fields: readonly { readonly key: string; readonly of: string; readonly field: string }[];
  /** Model fields that count a fulfillment. */
  readonly counts: readonly { readonly key: string; readonly of: string }[];
  readonly inner: readonly { readonly key: string; readonly isList: boolean; readonly model: PlainModel }[];
}

export type Results = Readonly<Record<string, readonly Row[] | null>>;

interface Current {
  readonly of: string;
  readonly entry: Row;
  /** The list that the entry stands in. */
  readonly list: readonly Row[];
}

/** One hop between fulfillments. */
interface Hop {
  readonly from: string;
  readonly to: string;
  readonly against: boolean;
}

export class NestedLoops {
  constructor(
    private readonly joins: readonly PlainJoin[],
    private readonly results: Results,
  ) {}

  build(model: PlainModel, isList: boolean, around: readonly Current[] = []): Json {
    const source = this.#source(model, isList, around);
    const own = around.find(({ of }) => of === source);
    if (own !== undefined) {
      const built = this.#object(model, around);
      return isList ? [built] : built;
    }
    const list = this.#entries(source, around);
    const built = list.map((entry) => this.#object(model, [{ of: source, entry, list }, ...around]));
    return isList ? built : (built[0] ?? null);
  }

  #object(model: PlainModel, around: readonly Current[]): Json {
    const object: Record<string, Json> = {};
    for (const { key, of, field } of model.fields) {
      const entry = around.find((current) => current.of === of)?.entry ?? this.#entries(of, around)[0];
      object[key] = entry?.[field] ?? null;
    }
    for (const { key, of } of model.counts) {
      object[key] = (around.find((current) => current.of === of)?.list ?? this.#entries(of, around)).length;
    }
    for (const { key, isList, model: inner } of model.inner) object[key] = this.build(inner, isList, around);
    return object;
  }

  #source(model: PlainModel, isList: boolean, around: readonly Current[]): string {
    const names = model.fields.map(({ of }) => of);
    const isCurrent = (name: string): boolean => around.some(({ of }) => of === name);
    const [first = ''] = names;
    if (!isList && isCurrent(first)) return first;
    const outside = names.filter((name) => !isCurrent(name));
    const leads = (from: string): boolean => outside.every((to) => from === to || this.#leads(from, to, []));
    return outside.find(leads) ?? outside[0] ?? first;
  }

  #leads(from: string, to: string, passed: readonly string[]): boolean {
    return this.joins.some(
      ({ left, right }) =>
        left === from &&
        !passed.includes(right) &&
        (right === to || this.#leads(right, to, [...passed, right])),
    );
  }

  #entries(of: string, around: readonly Current[]): readonly Row[] {
    const all = this.results[of] ?? [];
    for (const { of: from, entry } of around) {
      const others = around.map((current) => current.of).filter((name) => name !== from);
      const paths = this.paths(from, of, others);
      const [path] = paths;
      if (path !== undefined) return all.filter((row) => this.#connected(entry, row, path));
    }
    return all;
  }

  #connected(from: Row, to: Row, [hop, ...rest]: readonly Hop[]): boolean {
    if (hop === undefined) return from === to;
    return (this.results[hop.to] ?? []).some(
      (row) => this.#matches(from, row, hop) && this.#connected(row, to, rest),
    );
  }

  /** All joins between the two must hold. */
  #matches(from: Row, to: Row, hop: Hop): boolean {
    const [left, right] = hop.against ? [to, from] : [from, to];
    const [leftName, rightName] = hop.against ? [hop.to, hop.from] : [hop.from, hop.to];
    return this.joins
      .filter((join) => join.left === leftName && join.right === rightName)
      .every(({ leftField, rightField }) => {
        const [a, b] = [left[leftField], right[rightField]];
        return a != null && b != null && equal(a, b);
      });
  }

  /** The best chains: more than one where nobody can tell which is meant. */
  paths(from: string, to: string, around: readonly string[]): Hop[][] {
    const all = this.#walk(from, to, [from, ...around], false);
    const cost = (path: readonly Hop[]): number =>
      path.length * 1000 + path.filter((hop) => hop.against).length;
    const least = Math.min(...all.map(cost));
    return all.filter((path) => cost(path) === least);
  }

  #walk(from: string, to: string, passed: readonly string[], isAlong: boolean): Hop[][] {
    if (from === to) return [[]];
    const hops = new Map<string, Hop>();
    for (const { left, right } of this.joins) {
      if (left === from) hops.set(`along ${right}`, { from, to: right, against: false });
      if (right === from && !isAlong) hops.set(`against ${left}`, { from, to: left, against: true });
    }
    return [...hops.values()]
      .filter((hop) => !passed.includes(hop.to))
      .flatMap((hop) =>
        this.#walk(hop.to, to, [...passed, hop.to], !hop.against).map((rest) => [hop, ...rest]),
      );
  }
}
