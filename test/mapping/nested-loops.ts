/**
 * A second implementation of mappings and joins, based on the rules in docs/reference/mappings.md and kept as simple as possible: the
 * reference for the compiled code.
 */
import { equal } from '../../runtime/compare/compare.js';
import type { Json, Row } from '../../runtime/handler/json.js';

export interface PlainJoin {
  readonly left: string;
  readonly leftField: string;
  readonly right: string;
  readonly rightField: string;
}

/** A model with its own fields and with nested models, each a list or a single object. */
export interface PlainModel {
  readonly name: string;
  /** A model field, and the fulfillment and column that it is mapped to. */
  readonly fields: readonly {
    readonly key: string;
    readonly of: string;
    readonly field: string;
    /** True if the model does not allow null. */
    readonly notNull: boolean;
  }[];
  /** Model fields with the number of a fulfillment's rows. */
  readonly counts: readonly { readonly key: string; readonly of: string }[];
  readonly inner: readonly { readonly key: string; readonly isList: boolean; readonly model: PlainModel }[];
}

export type Results = Readonly<Record<string, readonly Row[] | null>>;

/** Thrown if two chains of joins are equally good. */
export class AmbiguousJoin extends Error {}

/** A row used to build an object (null if no row matches), and the list that contains it. */
interface Built {
  readonly of: string;
  readonly row: Row | null;
  readonly list: readonly Row[];
  /** The rows joined with this one, and the paths from there. */
  readonly via: readonly { readonly one: Built; readonly path: Path }[];
}

/** The rows used to build one object, starting with the root fulfillment's row; `kept` are rows of enclosing objects. */
interface Level {
  readonly rows: readonly Built[];
  readonly kept: readonly Built[];
  readonly isItem: boolean;
}

/** The names of the fulfillments of a chain, including both ends. */
type Path = readonly string[];

/** A way from a row of an enclosing object to a fulfillment. */
interface Way {
  readonly level: number;
  readonly sharedKeys: number;
  /** The existing row of the fulfillment, if any. */
  readonly there?: Built;
  /** The rows from which the way may start, and the paths from there; several if they are equally good. */
  readonly ends: readonly { readonly from: Built; readonly path: Path }[];
}

export class NestedLoops {
  /**
   * Names with the same value in every item of a list, because no join connects them: lists, and single objects and fields reached through
   * a shared key.
   */
  readonly everywhere = new Set<string>();

  /** The fulfillments mapped by the models. */
  #read: readonly string[] = [];

  constructor(
    private readonly joins: readonly PlainJoin[],
    private readonly results: Results,
  ) {}

  build(model: PlainModel, isList: boolean, levels: readonly Level[] = []): Json {
    if (levels.length === 0) this.#read = readIn(model);
    const firsts = firstsOf(levels);
    const names = [...new Set(model.fields.map(({ of }) => of))];
    const outside = names.filter((name) => !firsts.includes(name));
    if ((!isList && firsts.includes(names[0] ?? '')) || outside.length === 0) {
      const built = this.#object(model, levels);
      return isList ? [built] : built;
    }
    const around = { model, outside, levels };
    const begin = this.#begin(around, isList);
    const found = this.#find(begin, levels, outside);
    if (!isList && found.own !== undefined) {
      if (found.own.row === null) return null;
      return this.#object(model, [{ rows: [found.own], kept: [], isItem: false }, ...levels]);
    }
    if (!found.isJoined && this.#isSame(begin, levels, isList)) this.everywhere.add(model.name);
    const objects = (rows: readonly Built[], kept: readonly Built[]): Json[] =>
      this.#combinations(rows, kept, around).map((all) =>
        this.#object(model, [{ rows: all, kept, isItem: isList }, ...levels]),
      );
    const next = found.own && this.#next([found.own], around);
    if (found.own !== undefined && next !== undefined) {
      const kept = [found.own];
      return next.list.flatMap((row) => objects([{ ...next, row }], kept));
    }
    const way = this.#way(begin, levels, outside);
    const end = way?.ends[0];
    const kept = (end === undefined ? [] : insideOf(end.from, levels[way?.level ?? 0]?.rows ?? [])).filter(
      ({ of }) => outside.includes(of),
    );
    const via = end === undefined ? [] : [{ one: end.from, path: end.path }];
    const all = found.list.flatMap((row) => objects([{ of: begin, row, list: found.list, via }], kept));
    return isList ? all : (all[0] ?? null);
  }

  #object(model: PlainModel, levels: readonly Level[]): Json {
    const object: Record<string, Json> = {};
    for (const { key, of, field } of model.fields) {
      const { own, list, isJoined } = this.#find(of, levels);
      if (!isJoined && this.#isSame(of, levels, false)) this.everywhere.add(`${model.name}.${key}`);
      object[key] = (own === undefined ? list[0] : own.row)?.[field] ?? null;
    }
    for (const { key, of } of model.counts) object[key] = this.#find(of, levels).list.length;
    for (const { key, isList, model: inner } of model.inner) object[key] = this.build(inner, isList, levels);
    return object;
  }

  /** The rows of a fulfillment at a position, and its existing row. `own`: the fulfillments mapped by the model itself. */
  #find(
    of: string,
    levels: readonly Level[],
    own: readonly string[] = [],
  ): { list: readonly Row[]; own?: Built; isJoined: boolean } {
    const around = levels.find(({ rows }) => rows[0]?.of === of)?.rows[0];
    const all = this.results[of] ?? [];
    const way = this.#way(of, levels, own);
    const there = around ?? way?.there;
    if (there !== undefined) return { list: there.list, own: there, isJoined: true };
    if (way === undefined) return { list: all, isJoined: false };
    const [end, ...more] = way.ends;
    if (end === undefined || more.length > 0) throw new AmbiguousJoin();
    return { list: all.filter((row) => this.#connected(end.from.row, row, end.path)), isJoined: true };
  }

  #isSame(of: string, levels: readonly Level[], isList: boolean): boolean {
    const [inner = '', ...closed] = firstsOf(levels);
    const isConnected = levels.length > 0 && this.#paths([inner], of, closed, 'all').length > 0;
    return levels.some(({ isItem }) => isItem) && (isList || isConnected);
  }

  /** The best way from the rows of enclosing objects: fewest shared keys, then the nearest object. */
  #way(to: string, levels: readonly Level[], own: readonly string[]): Way | undefined {
    const ways = levels.flatMap(({ rows, kept }, level): Way[] => {
      const there = [...rows.slice(1), ...kept].find(({ of }) => of === to);
      if (there !== undefined) return [{ level, sharedKeys: 0, there, ends: [] }];
      const taken = [...firstsOf(levels), ...[...rows, ...kept].map(({ of }) => of)];
      const found = rows.flatMap((from, index) =>
        this.#paths([from.of], to, taken, []).flatMap((path) => {
          const isShared = index > 0 && this.#isShared(from, path);
          if (isShared && own.includes(from.of)) return [];
          const sharedKeys = this.#shared(path).length;
          return [
            {
              from,
              path,
              sharedKeys,
              cost: (sharedKeys + (isShared ? 1 : 0)) * 1000 + depthOf(from, rows) + path.length,
            },
          ];
        }),
      );
      const lowest = Math.min(...found.map(({ cost }) => cost));
      const ends = found.filter(({ cost }) => cost === lowest);
      return ends.slice(0, 1).map(({ sharedKeys }) => ({ level, sharedKeys, ends }));
    });
    return ways.sort((a, b) => a.sharedKeys - b.sharedKeys || a.level - b.level)[0];
  }

  /** Whether the path leaves the row through the same fields by which the row was joined. */
  #isShared({ of, via }: Built, [, next = '']: Path): boolean {
    const entered = via.flatMap(({ path }) => this.#keys(of, path.at(-2) ?? '').map(([mine]) => mine));
    const left = this.#keys(of, next).map(([mine]) => mine);
    return entered.every((field) => left.includes(field)) || left.every((field) => entered.includes(field));
  }

  /** All combinations of rows of the fulfillments that joins connect with the existing rows. */
  #combinations(built: readonly Built[], kept: readonly Built[], around: Around): (readonly Built[])[] {
    const next = this.#next([...built, ...kept], around);
    if (next === undefined) return [built];
    const isNullable = !around.model.fields.some(({ of, notNull }) => of === next.of && notNull);
    const rows = next.list.length === 0 && isNullable ? [null] : next.list;
    return rows.flatMap((row) => this.#combinations([...built, { ...next, row }], kept, around));
  }

  /** The nearest fulfillment that can be joined with the rows, and its matching rows. */
  #next(rows: readonly Built[], { outside, levels }: Around): Omit<Built, 'row'> | undefined {
    const closed = [...firstsOf(levels), ...rows.map(({ of }) => of)];
    const ways = outside
      .filter((name) => !rows.some(({ of }) => of === name))
      .flatMap((name) =>
        rows.flatMap((one) => this.#paths([one.of], name, closed, []).map((path) => ({ name, one, path }))),
      );
    const [nearest] = ways.sort((a, b) => this.#compare(a.path, b.path));
    if (nearest === undefined) return undefined;
    const best = ways.filter(
      ({ name, path }) => name === nearest.name && this.#compare(path, nearest.path) === 0,
    );
    if (nearest.path.length > 2 && best.length > 1) throw new AmbiguousJoin();
    const list = (this.results[nearest.name] ?? []).filter((row) =>
      best.every(({ one, path }) => this.#connected(one.row, row, path)),
    );
    return { of: nearest.name, list, via: best };
  }

  #begin({ model, outside, levels }: Around, isList: boolean): string {
    const ways = new Map(outside.map((name) => [name, this.#way(name, levels, outside)]));
    const isConnected = (one: string, other: string, passed: readonly string[] = [one]): boolean =>
      one === other ||
      outside.some(
        (name) =>
          !passed.includes(name) &&
          this.#paths([one], name, firstsOf(levels), []).length > 0 &&
          isConnected(name, other, [...passed, name]),
      );
    const size = (one: string): number => outside.filter((other) => isConnected(one, other)).length;
    const cost = (name: string): number => costOf(ways.get(name), isList);
    const isInList = levels.some(({ isItem }) => isItem);
    const reached = outside.filter((name) => ways.get(name) !== undefined);
    const selected = outside.filter(
      (name) => !isInList && !reached.includes(name) && reached.some((other) => isConnected(name, other)),
    );
    const nearest = reached.filter(
      (name) => cost(name) < Infinity && reached.every((other) => cost(name) <= cost(other)),
    );
    const largest = outside.filter((name) => outside.every((other) => size(other) <= size(name)));
    const candidates = [[...nearest, ...selected], reached, largest].find(({ length }) => length > 0) ?? [];
    const own = model.fields.filter(({ of }) => candidates.includes(of));
    const main = (own.find(({ notNull }) => notNull) ?? own[0])?.of ?? '';
    const before = (ways.get(main)?.ends ?? []).map(({ path }) =>
      path.slice(1).find((name) => outside.includes(name)),
    );
    const others = new Set(before.filter((name) => name !== main));
    return others.size === 1 ? ([...others][0] ?? main) : main;
  }

  #connected(from: Row | null, to: Row, [here = '', next, ...rest]: Path): boolean {
    if (next === undefined) return from === to;
    return (this.results[next] ?? []).some(
      (row) => this.#matches(from, here, row, next) && this.#connected(row, to, [next, ...rest]),
    );
  }

  /** All joins between the two fulfillments must hold. */
  #matches(from: Row | null, here: string, to: Row, next: string): boolean {
    if (from === null) return false;
    return this.#keys(here, next).every(([mine, theirs]) => {
      const [a, b] = [from[mine], to[theirs]];
      return a != null && b != null && equal(a, b);
    });
  }

  /** The fields compared by joins, each with the corresponding field of the other fulfillment. */
  #keys(here: string, next: string): [string, string][] {
    return this.joins.flatMap(({ left, leftField, right, rightField }): [string, string][] => {
      if (left === here && right === next) return [[leftField, rightField]];
      if (right === here && left === next) return [[rightField, leftField]];
      return [];
    });
  }

  /**
   * All paths that visit each fulfillment at most once and avoid `closed`; only fulfillments in `open` may be passed through a shared key.
   */
  #paths(begun: Path, to: string, closed: readonly string[], open: readonly string[] | 'all'): Path[] {
    if (
      !this.#shared(begun).every(
        (name) => open === 'all' || open.includes(name) || !this.#read.includes(name),
      )
    )
      return [];
    const here = begun.at(-1) ?? '';
    if (here === to) return [begun];
    const next = new Set(this.joins.flatMap(({ left, right }) => [left, right]));
    return [...next]
      .filter((name) => !begun.includes(name) && !closed.includes(name) && this.#keys(here, name).length > 0)
      .flatMap((name) => this.#paths([...begun, name], to, closed, open));
  }

  #compare(one: Path, other: Path): number {
    return this.#shared(one).length - this.#shared(other).length || one.length - other.length;
  }

  /** The fulfillments that the path enters and leaves through the same fields. */
  #shared(path: Path): Path {
    const fields = (here: string, there: string): string[] => this.#keys(here, there).map(([mine]) => mine);
    return path.slice(1, -1).filter((name, index) => {
      const [entered, left] = [fields(name, path[index] ?? ''), fields(name, path[index + 2] ?? '')];
      return entered.every((field) => left.includes(field)) || left.every((field) => entered.includes(field));
    });
  }
}

/** An object for which rows are looked up. */
interface Around {
  readonly model: PlainModel;
  /** The fulfillments that the model maps, except the root fulfillments of enclosing objects. */
  readonly outside: readonly string[];
  readonly levels: readonly Level[];
}

/** The rows on the way from the first row (excluded) to this one (included). */
function insideOf(built: Built, rows: readonly Built[]): Built[] {
  if (built === rows[0] || !rows.includes(built)) return [];
  return [...built.via.flatMap(({ one }) => insideOf(one, rows)), built];
}

/** The number of joins between the first row and this one. */
function depthOf(built: Built, rows: readonly Built[]): number {
  if (built === rows[0] || !rows.includes(built)) return 0;
  return Math.min(...built.via.map(({ one, path }) => depthOf(one, rows) + path.length - 1));
}

function firstsOf(levels: readonly Level[]): string[] {
  return levels.flatMap(({ rows }) => rows[0]?.of ?? []);
}

function readIn(model: PlainModel): string[] {
  return [...model.fields, ...model.counts]
    .map(({ of }) => of)
    .concat(model.inner.flatMap((one) => readIn(one.model)));
}

/** Infinite if the row already exists or the fulfillment cannot be reached. */
function costOf(way: Way | undefined, isList: boolean): number {
  if (way === undefined || (isList && way.there !== undefined)) return Infinity;
  return way.sharedKeys * 1000 + way.level;
}
