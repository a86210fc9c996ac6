/**
 * Mappings and joins once more, as slow and as plain as can be, from their rules in REFERENCE.md: what the compiled code
 * is compared with.
 */
import { equal } from '../../runtime/compare/compare.js';
import type { Json, Row } from '../../runtime/handler/json.js';

export interface PlainJoin {
  readonly left: string;
  readonly leftField: string;
  readonly right: string;
  readonly rightField: string;
}

/** A model: its own fields, and models in it, each as a list or single. */
export interface PlainModel {
  readonly name: string;
  /** Model field to the fulfillment and its field. */
  readonly fields: readonly {
    readonly key: string;
    readonly of: string;
    readonly field: string;
    /** True where the model does not allow null. */
    readonly notNull: boolean;
  }[];
  /** Model fields that count a fulfillment. */
  readonly counts: readonly { readonly key: string; readonly of: string }[];
  readonly inner: readonly { readonly key: string; readonly isList: boolean; readonly model: PlainModel }[];
}

export type Results = Readonly<Record<string, readonly Row[] | null>>;

/** Two chains of joins are equally good. */
export class AmbiguousJoin extends Error {}

/** A row that an object is built from, null where nothing matches, and the list that it was found in. */
interface Built {
  readonly of: string;
  readonly row: Row | null;
  readonly list: readonly Row[];
}

/** A chain of hops, and the row that it begins at. */
interface Way {
  readonly from: Built;
  readonly path: readonly Hop[];
  readonly isAmbiguous: boolean;
}

/** What one object is built from, the fulfillment that it begins with in front. */
interface Level {
  readonly rows: readonly Built[];
  readonly isItem: boolean;
}

/** One hop between fulfillments. */
interface Hop {
  readonly from: string;
  readonly to: string;
  readonly against: boolean;
}

export class NestedLoops {
  /** The models that are in every item of a list as a whole, for no join leads there. */
  readonly everywhere = new Set<string>();

  constructor(
    private readonly joins: readonly PlainJoin[],
    private readonly results: Results,
  ) {}

  build(model: PlainModel, isList: boolean, levels: readonly Level[] = []): Json {
    const firsts = levels.map(({ rows }) => rows[0]?.of);
    const names = [...new Set(model.fields.map(({ of }) => of))];
    const outside = names.filter((name) => !firsts.includes(name));
    if ((!isList && firsts.includes(names[0])) || outside.length === 0) {
      const built = this.#object(model, levels);
      return isList ? [built] : built;
    }
    const begin = this.#begin(model, outside, levels);
    const found = this.#find(begin.name, levels, outside);
    if (!isList && found.own !== undefined) {
      if (found.own.row === null) return null;
      return this.#object(model, [{ rows: [found.own], isItem: false }, ...levels]);
    }
    if (isList && !found.isJoined && levels.some(({ isItem }) => isItem)) this.everywhere.add(model.name);
    const objects: Json[] = [];
    for (const row of found.list) {
      const one = { of: begin.name, row, list: found.list };
      for (const rows of this.#combinations([one], begin.before, { model, outside, levels }))
        objects.push(this.#object(model, [{ rows, isItem: isList }, ...levels]));
    }
    return isList ? objects : (objects[0] ?? null);
  }

  #object(model: PlainModel, levels: readonly Level[]): Json {
    const object: Record<string, Json> = {};
    for (const { key, of, field } of model.fields) {
      const { own, list } = this.#find(of, levels);
      object[key] = (own === undefined ? list[0] : own.row)?.[field] ?? null;
    }
    for (const { key, of } of model.counts) object[key] = this.#find(of, levels).list.length;
    for (const { key, isList, model: inner } of model.inner) object[key] = this.build(inner, isList, levels);
    return object;
  }

  /** The rows of a fulfillment at a position, and the one that is there already. `own`: what the model itself maps. */
  #find(
    of: string,
    levels: readonly Level[],
    own: readonly string[] = [],
  ): { list: readonly Row[]; own?: Built; isJoined: boolean } {
    const around = levels.find(({ rows }) => rows[0]?.of === of)?.rows[0];
    if (around !== undefined) return { list: around.list, own: around, isJoined: true };
    const all = this.results[of] ?? [];
    for (const level of levels) {
      const there = level.rows.find((built) => built.of === of);
      if (there !== undefined) return { list: there.list, own: there, isJoined: true };
      const way = this.#way(level, of, levels, own);
      if (way === undefined) continue;
      if (way.isAmbiguous) throw new AmbiguousJoin();
      return {
        list: all.filter((row) => this.#connected(way.from.row, row, way.path)),
        isJoined: true,
      };
    }
    return { list: all, isJoined: false };
  }

  /** From the row that the object begins with; where nothing leads from there, from one that is joined with it. */
  #way({ rows }: Level, to: string, levels: readonly Level[], own: readonly string[]): Way | undefined {
    const firsts = levels.map((level) => level.rows[0]?.of ?? '');
    const [first, ...others] = rows;
    const ways = [first, ...others.filter(({ of }) => !own.includes(of) && of !== to)].flatMap((from) => {
      if (from === undefined) return [];
      const besides = from === first ? [] : others.map(({ of }) => of);
      const closed = [...firsts, ...besides].filter((name) => name !== from.of);
      const [path, ...more] = this.paths(from.of, to, closed, undefined);
      if (path === undefined) return [];
      // On the way may be other rows of the same object.
      const met = path.findLastIndex((hop) => hop.to !== to && others.some(({ of }) => of === hop.to));
      const start = others.find(({ of }) => of === path[met]?.to) ?? from;
      return [
        { from: start, path: path.slice(met + 1), isAmbiguous: more.length > 0, isFirst: from === first },
      ];
    });
    return ways.find(({ isFirst }) => isFirst) ?? ways.sort((a, b) => a.path.length - b.path.length)[0];
  }

  /** Every way to add a row of each fulfillment that joins connect with those that there are. */
  #combinations(
    built: readonly Built[],
    before: Hop | undefined,
    around: { model: PlainModel; outside: readonly string[]; levels: readonly Level[] },
  ): (readonly Built[])[] {
    const closed = around.levels.map(({ rows }) => rows[0]?.of ?? '');
    const ways = around.outside
      .filter((name) => !built.some(({ of }) => of === name))
      .flatMap((name) =>
        built.flatMap((one, index) => {
          const others = built.filter((other) => other !== one).map(({ of }) => of);
          const paths = this.paths(one.of, name, [...closed, ...others], index === 0 ? before : undefined);
          return paths.map((path) => ({ name, one, path }));
        }),
      );
    const [next] = [...ways].sort((a, b) => a.path.length - b.path.length);
    if (next === undefined) return [built];
    const same = ways.filter(({ name, path }) => name === next.name && path.length === next.path.length);
    const fewest = Math.min(...same.map(({ path }) => hopsAgainst(path)));
    const best = same.filter(({ path }) => path.length === 1 || hopsAgainst(path) === fewest);
    if (next.path.length > 1 && best.length > 1) throw new AmbiguousJoin();
    const list = (this.results[next.name] ?? []).filter((row) =>
      best.every(({ one, path }) => this.#connected(one.row, row, path)),
    );
    const isNullable = !around.model.fields.some(({ of, notNull }) => of === next.name && notNull);
    const rows = list.length === 0 && isNullable ? [null] : list;
    return rows.flatMap((row) =>
      this.#combinations([...built, { of: next.name, row, list }], before, around),
    );
  }

  #begin(
    model: PlainModel,
    outside: readonly string[],
    levels: readonly Level[],
  ): { name: string; before: Hop | undefined } {
    const closed = levels.map(({ rows }) => rows[0]?.of ?? '');
    const candidates = outside.map((name) => {
      const ways = levels.map((level) => this.#way(level, name, levels, outside)?.path);
      const inner = ways.findIndex((path) => path !== undefined);
      const before = ways[inner]?.at(-1);
      const group = outside.filter((other) => this.#touches(name, other, closed));
      const led = outside.filter((other) => this.#led(name, before, outside, closed).includes(other));
      const order = [
        group.length - led.length,
        inner === -1 ? Infinity : inner,
        ways[inner]?.length ?? 0,
        -group.length,
      ];
      return { name, before, order };
    });
    candidates.sort(
      (a, b) =>
        a.order.map((n, i) => (n === b.order[i] ? 0 : n - (b.order[i] ?? 0))).find((n) => n !== 0) ?? 0,
    );
    const best = candidates.filter(({ order }) => String(order) === String(candidates[0]?.order));
    const own = model.fields.filter(({ of }) => best.some(({ name }) => name === of));
    const chosen = (own.find(({ notNull }) => notNull) ?? own[0])?.of;
    return best.find(({ name }) => name === chosen) ?? { name: '', before: undefined };
  }

  /** What can be joined with a fulfillment, one after the other. */
  #led(
    begin: string,
    before: Hop | undefined,
    outside: readonly string[],
    closed: readonly string[],
  ): string[] {
    const led = [begin];
    for (;;) {
      const next = outside.find(
        (name) =>
          !led.includes(name) &&
          led.some((from) => {
            const others = led.filter((other) => other !== from);
            return (
              this.paths(from, name, [...closed, ...others], from === begin ? before : undefined).length > 0
            );
          }),
      );
      if (next === undefined) return led;
      led.push(next);
    }
  }

  /** Whether joins connect the two at all. */
  #touches(from: string, to: string, passed: readonly string[]): boolean {
    if (from === to) return true;
    return this.joins.some(({ left, right }) => {
      const next = left === from ? right : right === from ? left : undefined;
      return next !== undefined && !passed.includes(next) && this.#touches(next, to, [...passed, from]);
    });
  }

  #connected(from: Row | null, to: Row, [hop, ...rest]: readonly Hop[]): boolean {
    if (hop === undefined) return from === to;
    return (this.results[hop.to] ?? []).some(
      (row) => this.#matches(from, row, hop) && this.#connected(row, to, rest),
    );
  }

  /** All joins between the two must hold. */
  #matches(from: Row | null, to: Row, hop: Hop): boolean {
    if (from === null) return false;
    const [left, right] = hop.against ? [to, from] : [from, to];
    return this.#between(hop).every(({ leftField, rightField }) => {
      const [a, b] = [left[leftField], right[rightField]];
      return a != null && b != null && equal(a, b);
    });
  }

  #between({ from, to, against }: Hop): PlainJoin[] {
    const [left, right] = against ? [to, from] : [from, to];
    return this.joins.filter((join) => join.left === left && join.right === right);
  }

  /** The best chains: more than one if it is not clear which is meant. */
  paths(from: string, to: string, closed: readonly string[], before: Hop | undefined): Hop[][] {
    const all = this.#walk(from, to, [from, ...closed], before);
    const cost = (path: readonly Hop[]): number => path.length * 1000 + hopsAgainst(path);
    const min = Math.min(...all.map(cost));
    return all.filter((path) => cost(path) === min);
  }

  #walk(from: string, to: string, passed: readonly string[], before: Hop | undefined): Hop[][] {
    if (from === to) return [[]];
    const hops = new Map<string, Hop>();
    for (const { left, right } of this.joins) {
      if (left === from) hops.set(`along ${right}`, { from, to: right, against: false });
      if (right === from) hops.set(`against ${left}`, { from, to: left, against: true });
    }
    return [...hops.values()]
      .filter((hop) => !passed.includes(hop.to) && this.#mayTurn(before, hop))
      .flatMap((hop) => this.#walk(hop.to, to, [...passed, hop.to], hop).map((rest) => [hop, ...rest]));
  }

  /** Where two joins meet in the same fields, what is at their other ends does not belong together, unless one leads to the next. */
  #mayTurn(before: Hop | undefined, hop: Hop): boolean {
    if (before === undefined || before.against === hop.against) return true;
    const here = ({ left, leftField, rightField }: PlainJoin): string =>
      left === hop.from ? leftField : rightField;
    const entered = new Set(this.#between(before).map(here));
    const leaving = new Set(this.#between(hop).map(here));
    return [...entered].some((one) => !leaving.has(one)) && [...leaving].some((one) => !entered.has(one));
  }
}

function hopsAgainst(path: readonly Hop[]): number {
  return path.filter((hop) => hop.against).length;
}
