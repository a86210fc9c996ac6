/** Finds the rows from which an object is built, and the rows of a fulfillment at a position in a body (docs/design/mappings.md#map-2). */
import type { Sink } from '../../read/diagnostics/finding.js';
import type { Span } from '../../read/source.js';
import { beginOf, type MappedFulfillments } from './root-fulfillment.js';
import type { BuiltRow, JoinedRows, JoinStep, RowSource, SharedKey } from './body-parts.js';
import type { JoinGraph } from './join-graph.js';
import { minBy } from './min-by.js';
import { closedBy, isAmbiguous, wayTo, type Level } from './object-level.js';
import { sharedKeysOf } from './shared-key.js';
import type { Join } from './written-joins.js';

/** The rows from which an object is built. */
export type ObjectRows = Pick<Level, 'first' | 'others' | 'kept'>;

/** A chain of joins from a row of an object to another fulfillment of the object. */
interface Link {
  readonly name: string;
  readonly row: BuiltRow;
  readonly steps: readonly JoinStep[];
}

export class RowFinder {
  readonly usedJoins = new Set<Join>();

  constructor(
    private readonly graph: JoinGraph,
    private readonly report: Sink,
  ) {}

  /**
   * The rows of a fulfillment: an existing row, otherwise the rows joined with the nearest surrounding object; without joins, all rows of
   * the result.
   */
  find(
    fulfillment: string,
    levels: readonly Level[],
    span: Span,
    /** The fulfillments mapped by the object that needs the rows. */
    own: readonly string[] = [],
  ): RowSource {
    const enclosing = levels.find(({ first }) => first.row.fulfillment === fulfillment);
    if (enclosing !== undefined) return { ...enclosing.first.of, row: enclosing.first.row };
    const way = wayTo(fulfillment, { levels, graph: this.graph, own });
    if (way === undefined) return { fulfillment, row: undefined, start: [], steps: [] };
    if (way.there !== undefined) return { ...way.there.of, row: way.there.row };
    const from = levels[way.level]?.first.row.fulfillment ?? '';
    if (isAmbiguous(way)) this.report.add('ambiguous-join', span, { from, to: fulfillment });
    return this.#follow(fulfillment, way.steps, way.row);
  }

  /**
   * The sources of an object: the root fulfillment and the fulfillments joined with it. If a join does not match, the row is null if the
   * model allows null; otherwise there is no object.
   */
  join(
    mapped: MappedFulfillments,
    levels: readonly Level[],
    span: Span,
    isItem: boolean,
  ): ObjectRows | undefined {
    const closed = closedBy(levels);
    const names = mapped.names.filter((name) => !closed.includes(name));
    const begin = beginOf({ names, notNull: mapped.notNull }, levels, this.graph, isItem);
    if (begin === undefined) return undefined;
    const { name, way, through } = begin;
    this.#use(through);
    const others = (rows: readonly JoinedRows[]): JoinedRows[] =>
      mapped.areColumns === true ? [] : this.#others(names, rows, { mapped, levels, closed, span });
    if (isItem && way?.there !== undefined && mapped.areColumns !== true) {
      const of = this.#next(names, [way.there], closed, span);
      const first = of && { row: rowOf(of.fulfillment, levels, false), of };
      if (first !== undefined) return { first, others: others([first, way.there]), kept: [way.there] };
    }
    const kept = (way?.passed ?? []).filter(({ row }) => names.includes(row.fulfillment));
    const first = { row: rowOf(name, levels, false), of: this.find(name, levels, span, names) };
    return { first, others: others([first, ...kept]), kept };
  }

  /** The rows of the object's other fulfillments that are joined with these rows. */
  #others(
    names: readonly string[],
    rows: readonly JoinedRows[],
    around: {
      readonly mapped: MappedFulfillments;
      readonly levels: readonly Level[];
      readonly closed: readonly string[];
      readonly span: Span;
    },
  ): JoinedRows[] {
    const joined = [...rows];
    for (;;) {
      const next = this.#next(names, joined, around.closed, around.span);
      if (next === undefined) return joined.slice(rows.length);
      const isOptional = !around.mapped.notNull.includes(next.fulfillment);
      joined.push({ row: rowOf(next.fulfillment, around.levels, isOptional), of: next });
    }
  }

  /**
   * The shared key that is the only connection between a fulfillment and the innermost object; undefined if there are other joins, or none.
   */
  sharedKey(fulfillment: string, levels: readonly Level[]): SharedKey | undefined {
    const [inner = '', ...closed] = closedBy(levels);
    return this.graph.sharedKey(inner, fulfillment, closed);
  }

  #use(steps: readonly JoinStep[]): void {
    for (const join of steps.flatMap(({ joins }) => joins)) this.usedJoins.add(join);
  }

  #follow(fulfillment: string, steps: readonly JoinStep[], row: BuiltRow): RowSource {
    this.#use(steps);
    return { fulfillment, row: undefined, start: (steps[0]?.keys ?? []).map(() => row), steps };
  }

  /** The next fulfillment to join, with the fewest joins from those already joined; undefined if there are no more. */
  #next(
    names: readonly string[],
    joined: readonly JoinedRows[],
    closed: readonly string[],
    span: Span,
  ): RowSource | undefined {
    const done = joined.map(({ row }) => row.fulfillment);
    const links = names
      .filter((name) => !done.includes(name))
      .flatMap((name) =>
        joined.flatMap(({ row }) => {
          const others = [...closed, ...done].filter((other) => other !== row.fulfillment);
          return this.graph
            .chains({ from: row.fulfillment }, name, others)
            .map((steps): Link => ({ name, row, steps }));
        }),
      );
    const nearest = minBy(links, ({ steps }) => [sharedKeysOf(steps).length, steps.length]);
    const [best] = nearest;
    if (best === undefined) return undefined;
    const same = nearest.filter(({ name }) => name === best.name);
    if (best.steps.length === 1) return this.#direct(best.name, same);
    if (same.length > 1 || best.steps.length === 0)
      this.report.add('ambiguous-join', span, { from: best.row.fulfillment, to: best.name });
    return this.#follow(best.name, best.steps, best.row);
  }

  /** A single step from one or more rows, all of whose joins must match. */
  #direct(name: string, links: readonly Link[]): RowSource {
    const sources = links.map(({ row, steps }) => this.#follow(name, steps, row));
    const steps = sources.flatMap((source) => source.steps);
    const [first] = steps;
    if (first === undefined) return { fulfillment: name, row: undefined, start: [], steps: [] };
    const step = {
      ...first,
      keys: steps.flatMap(({ keys }) => keys),
      joins: steps.flatMap(({ joins }) => joins),
    };
    return { fulfillment: name, row: undefined, start: sources.flatMap(({ start }) => start), steps: [step] };
  }
}

function rowOf(fulfillment: string, levels: readonly Level[], isOptional: boolean): BuiltRow {
  const enclosing = levels.flatMap(({ first, others }) => [first, ...others]);
  const depth = enclosing.filter(({ row }) => row.fulfillment === fulfillment).length;
  return { fulfillment, depth, isOptional };
}
