/** Which steps, conditions and responses of a configuration were reached by its tests, line by line. */
import type { Config, Fulfillment, Operation } from '../../read/config/config-model.js';
import type { CoverPoint } from '../../generate/emit/cover-points.js';
import { position, type Span, type Source } from '../../read/source.js';
import type { CoverCounts } from './cover-counts.js';

/** An item that tests can reach; a condition has two counts, one per outcome. */
export interface CoveredItem {
  readonly operation: string;
  readonly kind: 'step' | 'condition' | 'response';
  /** Such as `fulfillment news` or `exception of news`. */
  readonly what: string;
  readonly span: Span;
  /** How often the item was reached; for a condition, how often it was true and how often false. */
  readonly counts: readonly number[];
}

export interface CoverageShare {
  readonly covered: number;
  readonly total: number;
}

export interface CoverageSummary {
  /** Percentage of all items that were reached, rounded down to a tenth. */
  readonly percent: number;
  readonly steps: CoverageShare;
  readonly conditions: CoverageShare;
  readonly responses: CoverageShare;
}

/** A file of the configuration with its reachable items, in file order. */
export interface CoveredFile {
  readonly source: Source;
  readonly items: readonly CoveredItem[];
}

export interface Coverage {
  /** The configuration, followed by included files. */
  readonly files: readonly [CoveredFile, ...CoveredFile[]];
  readonly summary: CoverageSummary;
  readonly operations: readonly {
    readonly name: string;
    readonly summary: CoverageSummary;
    readonly missed: readonly CoveredItem[];
  }[];
}

export function coverageOf(config: Config, points: readonly CoverPoint[], counts: CoverCounts): Coverage {
  const operations = new Map(config.operations.map((operation) => [operation.name.value, operation]));
  const found = points
    .flatMap((point): CoveredItem[] => {
      const operation = operations.get(point.operation);
      const located = operation && locate(point, operation);
      if (located === undefined) return [];
      const isCondition = point.kind.endsWith('-if') || point.kind === 'if';
      return [
        {
          operation: point.operation,
          kind: isCondition ? 'condition' : point.kind === 'response' ? 'response' : 'step',
          ...located,
          counts: isCondition ? [counts.of(point.id), counts.of(point.id + 1)] : [counts.of(point.id)],
        },
      ];
    })
    .sort((a, b) => a.span.start - b.span.start);
  const itemsIn = (source: Source): CoveredFile => ({
    source,
    items: found.filter(({ span }) => span.source === source),
  });
  const files = [itemsIn(config.source), ...config.included.map(itemsIn)] as const;
  const items = files.flatMap((file) => file.items);
  return {
    files,
    summary: summaryOf(items),
    operations: config.operations.map(({ name }) => {
      const own = items.filter(({ operation }) => operation === name.value);
      return {
        name: name.value,
        summary: summaryOf(own),
        missed: own.filter((item) => item.counts.includes(0)),
      };
    }),
  };
}

function summaryOf(items: readonly CoveredItem[]): CoverageSummary {
  const share = (kind?: CoveredItem['kind']): CoverageShare => {
    const counts = items
      .filter((item) => kind === undefined || item.kind === kind)
      .flatMap((item) => item.counts);
    return { covered: counts.filter((count) => count > 0).length, total: counts.length };
  };
  const { covered, total } = share();
  return {
    percent: total === 0 ? 100 : Math.floor((covered * 1000) / total) / 10,
    steps: share('step'),
    conditions: share('condition'),
    responses: share('response'),
  };
}

/** A position in the configuration, and its name. */
interface Located {
  readonly what: string;
  readonly span: Span;
}

function locate({ kind, path, index, name = '' }: CoverPoint, operation: Operation): Located | undefined {
  const response = operation.responses.find((one) => one.name.value === name);
  if (kind === 'response') return at(`response ${name}`, response?.name.span);
  if (kind === 'response-if') return at(`if of response ${name}`, response?.if?.span);
  if (path.length === 0)
    return at(`exception ${index + 1} of the request`, operation.exceptions[index]?.if?.span);
  const fulfillment = fulfillmentAt(operation.fulfillments, path);
  return fulfillment && spanIn(fulfillment, kind, index);
}

function fulfillmentAt(
  list: readonly Fulfillment[],
  [index = 0, ...rest]: readonly number[],
): Fulfillment | undefined {
  const found = list[index];
  return rest.length > 0 && found?.type === 'LOOP' ? fulfillmentAt(found.fulfillments, rest) : found;
}

function spanIn(
  fulfillment: Fulfillment,
  kind: Exclude<CoverPoint['kind'], 'response' | 'response-if'>,
  index: number,
): Located | undefined {
  const name = fulfillment.name.value;
  const instruction = 'instructions' in fulfillment ? fulfillment.instructions[index] : undefined;
  switch (kind) {
    case 'fulfillment':
      return at(`fulfillment ${name}`, fulfillment.name.span);
    case 'if':
      return at(`if of ${name}`, fulfillment.if?.span);
    case 'instruction':
      return at(`instruction ${index + 1} of ${name}`, instruction?.span);
    case 'instruction-if':
      return at(`if of instruction ${index + 1} of ${name}`, instruction?.if?.span);
    case 'exception':
      return at(`exception ${index + 1} of ${name}`, fulfillment.exceptions[index]?.constraint?.span);
    case 'exception-if':
      return at(`exception ${index + 1} of ${name}`, fulfillment.exceptions[index]?.if?.span);
    case 'loopbreak-if':
      return at(`loopbreak of ${name}`, fulfillment.loopbreak[index]?.span);
  }
}

function at(what: string, span: Span | undefined): Located | undefined {
  return span && { what, span };
}

/** Positions of items that several operations use, by aliases. */
export function sharedStarts(items: readonly CoveredItem[]): ReadonlySet<number> {
  const users = new Map<number, string>();
  const shared = items.filter(({ span, operation }) => {
    const first = users.get(span.start) ?? operation;
    users.set(span.start, first);
    return first !== operation;
  });
  return new Set(shared.map(({ span }) => span.start));
}

/** The line of an item, starting at 1. */
export function lineOf({ span }: CoveredItem): number {
  return position(span.source, span.start).line;
}
