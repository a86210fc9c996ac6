/** Which rows an object is built from, and where rows of a fulfillment are found at a position of a body (decisions 8.2 and 11.7). */
import type { Sink } from '../diagnostics/findings.js';
import type { Span } from '../source.js';
import { beginOf, type MappedFulfillments } from './root-fulfillment.js';
import type { BuiltRow, JoinedRows, JoinStep, RowSource } from './body-parts.js';
import { stepsAgainst, type JoinGraph } from './join-graph.js';
import type { Join } from './written-joins.js';
import { closedBy, maxBy, wayFrom, type Level } from './object-level.js';

export class RowFinder {
  readonly usedJoins = new Set<Join>();

  constructor(
    private readonly graph: JoinGraph,
    private readonly report: Sink,
  ) {}

  /**
   * Where the rows of a fulfillment are found: its row that is there, else those that joins lead to from the innermost object
   * around, else from the next one; where none do, all of the result.
   */
  find(
    fulfillment: string,
    levels: readonly Level[],
    span: Span,
    /** What the model maps for which they are looked up. */
    own: readonly string[] = [],
  ): RowSource {
    const enclosing = levels.find(({ first }) => first.row.fulfillment === fulfillment);
    if (enclosing !== undefined) return { ...enclosing.first.of, row: enclosing.first.row };
    for (const level of levels) {
      const joined = level.others.find(({ row }) => row.fulfillment === fulfillment);
      if (joined !== undefined) return { ...joined.of, row: joined.row };
      const way = wayFrom(level, fulfillment, { levels, graph: this.graph, own });
      if (way === undefined) continue;
      const from = level.first.row.fulfillment;
      if (way.isAmbiguous) this.report.add('ambiguous-join', span, { from, to: fulfillment });
      return this.#follow(fulfillment, way.steps, way.row);
    }
    return { fulfillment, row: undefined, start: [], steps: [] };
  }

  /**
   * What an object is built from: the fulfillment that it begins with, and every other one that joins connect with it. At one end of a join
   * without a match the row is null if the model allows that; else there is no object.
   */
  join(
    mapped: MappedFulfillments,
    levels: readonly Level[],
    span: Span,
  ): [JoinedRows, ...JoinedRows[]] | undefined {
    const closed = closedBy(levels);
    const names = mapped.names.filter((name) => !closed.includes(name));
    const begin = beginOf({ names, notNull: mapped.notNull }, levels, this.graph);
    if (begin === undefined) return undefined;
    const of = this.find(begin.name, levels, span, names);
    const joined: [JoinedRows, ...JoinedRows[]] = [{ row: rowOf(begin.name, levels, false), of }];
    while (mapped.areColumns !== true) {
      const next = this.#next(names, joined, { closed, before: begin.before, span });
      if (next === undefined) break;
      const isOptional = !mapped.notNull.includes(next.fulfillment);
      joined.push({ row: rowOf(next.fulfillment, levels, isOptional), of: next });
    }
    return joined;
  }

  #follow(fulfillment: string, steps: readonly JoinStep[], row: BuiltRow): RowSource {
    for (const join of steps.flatMap(({ joins }) => joins)) this.usedJoins.add(join);
    return { fulfillment, row: undefined, start: (steps[0]?.keys ?? []).map(() => row), steps };
  }

  /** The fulfillment that is the fewest joins away from those that are joined already, and its rows; undefined when none is left. */
  #next(
    names: readonly string[],
    joined: readonly [JoinedRows, ...JoinedRows[]],
    { closed, before, span }: { closed: readonly string[]; before: JoinStep | undefined; span: Span },
  ): RowSource | undefined {
    const done = joined.map(({ row }) => row.fulfillment);
    const ways = names
      .filter((name) => !done.includes(name))
      .flatMap((name) =>
        joined.flatMap(({ row }, index) => {
          const from = row.fulfillment;
          const others = [...closed, ...done.filter((other) => other !== from)];
          const chain = this.graph.chain(from, name, others, index === 0 ? before : undefined);
          return chain === undefined ? [] : [{ name, row, ...chain }];
        }),
      );
    const [shortest] = maxBy(ways, ({ steps }) => -steps.length);
    if (shortest === undefined) return undefined;
    const same = ways.filter(
      ({ name, steps }) => name === shortest.name && steps.length === shortest.steps.length,
    );
    if (shortest.steps.length === 1) return this.#direct(shortest.name, same);
    const [best = shortest, ...others] = maxBy(same, ({ steps }) => -stepsAgainst(steps));
    if (best.isAmbiguous || others.length > 0)
      this.report.add('ambiguous-join', span, { from: best.row.fulfillment, to: best.name });
    return this.#follow(best.name, best.steps, best.row);
  }

  /** One step from one row or several, whose joins must all hold. */
  #direct(
    name: string,
    ways: readonly { readonly row: BuiltRow; readonly steps: readonly JoinStep[] }[],
  ): RowSource {
    const sources = ways.map(({ row, steps }) => this.#follow(name, steps, row));
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
