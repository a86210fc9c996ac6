/** Which results of an operation are read, and where: an unread result needs no variable. */
import type { Exception, Fulfillment, Operation } from '../../../read/config/config-model.js';
import { allFulfillments, walkOperation, type Scope, leavesOf } from '../../../read/config/walk.js';
import type { Expression, Paging } from '../../../read/expression/ast.js';
import { sourcesOf, valuesOf, type Body } from '../../../analyze/mapping/body-parts.js';
import { nodesWithout } from '../../../read/expression/visit.js';

/** A part of a result that is stored under an index: the result itself, its STATUS or its FAILURE. */
export type StoredPart = 'result' | 'status' | 'failure';

const storedParts = {
  'value-by-index': 'result',
  'status-by-index': 'status',
  'failure-by-index': 'failure',
} as const satisfies Partial<Record<Expression['kind'], StoredPart>>;

export class ResultUses {
  /** Number of expressions that read each fulfillment's result. */
  readonly #reads = new Map<Fulfillment, number>();
  /** The parts of stored results that are read, by the names of their fulfillments. */
  readonly #byIndex = new Map<string, Set<StoredPart>>();
  readonly #statuses = new Set<Fulfillment>();
  readonly #headers = new Set<Fulfillment>();
  readonly #parts = new Set<Fulfillment>();
  readonly #partsByIndex = new Set<string>();
  readonly #nexts = new Set<Fulfillment>();
  readonly #paging = new Map<Fulfillment, Set<Paging>>();
  readonly #rows = new Set<Fulfillment>();
  readonly #elements = new Set<Fulfillment>();

  /**
   * `bodies` are built from mappings; mappings not used by a body do not count as reads. `unreached` are expressions that are never
   * evaluated.
   */
  constructor(
    whole: Operation,
    bodies: readonly Body[] = [],
    private readonly unreached: ReadonlySet<Expression> = new Set(),
  ) {
    const operation = { ...whole, mappings: [] };
    const mapped = new Map(whole.fulfillments.map((fulfillment) => [fulfillment.name.value, fulfillment]));
    for (const { fulfillment, steps } of bodies.flatMap(sourcesOf)) {
      for (const name of new Set([fulfillment, ...steps.map(({ to }) => to)])) {
        this.#countRead(mapped.get(name));
        add(this.#rows, mapped.get(name));
        add(this.#parts, mapped.get(name));
      }
    }
    for (const node of bodies.flatMap(valuesOf).flatMap((value) => this.#nodes(value))) {
      if (node.kind !== 'next' && node.kind !== 'paging') continue;
      this.#countRead(mapped.get(node.name));
      if (node.kind === 'next') add(this.#nexts, mapped.get(node.name));
      else this.#addPaging(node, mapped.get(node.name));
    }
    walkOperation(operation, (expression, scope) => {
      if (scope.isUnreached === true) return;
      for (const node of this.#nodes(expression)) {
        if ('nameSpan' in node && 'index' in node) this.#countIndex(node.name, storedParts[node.kind]);
        if (node.kind === 'value-by-index' && node.path.length > 0) this.#partsByIndex.add(node.name);
        if (node.kind === 'status') add(this.#statuses, scope.visible.get(node.name));
        if (node.kind === 'next') add(this.#nexts, scope.visible.get(node.name));
        if (node.kind === 'paging') this.#addPaging(node, scope.visible.get(node.name));
        const isList = scope.isList === true && node === expression;
        if (node.kind === 'value' && (node.path.length > 0 || isList))
          add(this.#parts, scope.visible.get(node.name));
        if (node.kind === 'response-header') add(this.#headers, scope.visible.get(node.name));
      }
    });
    const unused = unusedIndexes(operation, new Set(this.#byIndex.keys()));
    walkOperation(operation, (expression, scope) => {
      if (scope.isUnreached !== true && !unused.has(expression)) this.#count(expression, scope);
    });
  }

  #count(expression: Expression, scope: Scope): void {
    const nodes = this.#nodes(expression);
    for (const name of namesIn(nodes)) this.#countRead(scope.visible.get(name));
    for (const name of namesIn(nodes, readsOfRows)) add(this.#rows, scope.visible.get(name));
    const innermost = scope.inItem === true ? undefined : [...scope.loops.values()].at(-1);
    for (const node of nodes) {
      if (node.kind === 'value') add(this.#elements, scope.loops.get(node.name));
      if (node.kind === 'element') add(this.#elements, innermost);
    }
  }

  #countRead(fulfillment: Fulfillment | undefined): void {
    if (fulfillment !== undefined) this.#reads.set(fulfillment, (this.#reads.get(fulfillment) ?? 0) + 1);
  }

  #addPaging(node: Paging, fulfillment: Fulfillment | undefined): void {
    if (fulfillment === undefined) return;
    this.#paging.set(fulfillment, (this.#paging.get(fulfillment) ?? new Set()).add(node));
  }

  #countIndex(name: string, part: StoredPart): void {
    this.#byIndex.set(name, (this.#byIndex.get(name) ?? new Set()).add(part));
  }

  isReadByIndex(name: string): boolean {
    return this.#byIndex.has(name);
  }

  /** The parts of its results that are read by their index. */
  partsByIndex(name: string): readonly StoredPart[] {
    const read = this.#byIndex.get(name);
    return (['result', 'status', 'failure'] as const).filter((part) => read?.has(part) === true);
  }

  /** Whether STATUS of that fulfillment is read, or STATUS_BY_INDEX. */
  isStatusRead(fulfillment: Fulfillment): boolean {
    const isReadByIndex = this.#byIndex.get(fulfillment.name.value)?.has('status') === true;
    return this.#statuses.has(fulfillment) || (isReadByIndex && fulfillment.index !== undefined);
  }

  /** Whether a response header of the fulfillment is read. */
  isHeaderRead(fulfillment: Fulfillment): boolean {
    return this.#headers.has(fulfillment);
  }

  /** Whether fields or elements of the result are read. */
  arePartsRead(fulfillment: Fulfillment): boolean {
    return this.#parts.has(fulfillment) || this.#partsByIndex.has(fulfillment.name.value);
  }

  /** Whether the next-page token is read. */
  isNextRead(fulfillment: Fulfillment): boolean {
    return this.#nexts.has(fulfillment);
  }

  /** The expressions that read TOTAL, PAGES, PREVIOUS or LINK of the fulfillment. */
  pagingOf(fulfillment: Fulfillment): readonly Paging[] {
    return [...(this.#paging.get(fulfillment) ?? [])];
  }

  /** Whether anything but facts about the page of a list is read. */
  areRowsRead(fulfillment: Fulfillment): boolean {
    return this.#rows.has(fulfillment) || this.#storedUnder(fulfillment) !== undefined;
  }

  /** Whether the loop's element is read inside the loop, by name or as `@`. */
  isElementRead(loop: Fulfillment): boolean {
    return this.#elements.has(loop);
  }

  /** Whether the fulfillment's own exceptions, loopbreaks or index read its result. */
  isReadHere(fulfillment: Fulfillment): boolean {
    return this.#storedUnder(fulfillment) !== undefined || this.#ownReads(fulfillment) > 0;
  }

  /** Whether an expression of another fulfillment or of a response reads the result. */
  isReadElsewhere(fulfillment: Fulfillment): boolean {
    return (this.#reads.get(fulfillment) ?? 0) > this.#ownReads(fulfillment);
  }

  /** The index under which the result is stored; undefined if the stored results are not read. */
  #storedUnder(fulfillment: Fulfillment): Expression | undefined {
    return this.isReadByIndex(fulfillment.name.value) ? fulfillment.index : undefined;
  }

  #ownReads(fulfillment: Fulfillment): number {
    const index = this.#storedUnder(fulfillment);
    const own = [
      ...fulfillment.exceptions.flatMap(expressionsOf),
      ...fulfillment.loopbreak,
      ...(index ? [index] : []),
    ];
    return own.filter((expression) => namesIn(this.#nodes(expression)).has(fulfillment.name.value)).length;
  }

  #nodes(expression: Expression): Expression[] {
    return nodesWithout(expression, this.unreached);
  }
}

function add<Value>(set: Set<Value>, value: Value | undefined): void {
  if (value !== undefined) set.add(value);
}

/** Indexes that are never read, and therefore not evaluated. */
function unusedIndexes(operation: Operation, read: ReadonlySet<string>): Set<Expression> {
  return new Set(
    allFulfillments(operation.fulfillments).flatMap(({ fulfillment: { index, name } }) =>
      index === undefined || read.has(name.value) ? [] : [index],
    ),
  );
}

function expressionsOf(exception: Exception): Expression[] {
  const placeholders = [
    ...exception.message.filter((part): part is Expression => typeof part !== 'string'),
    ...(exception.schema === undefined ? [] : leavesOf(exception.schema)),
  ];
  return exception.if === undefined ? placeholders : [exception.if, ...placeholders];
}

/** VALUE_BY_INDEX and the others read another variable. */
const readsOfResult: ReadonlySet<Expression['kind']> = new Set([
  ...(['value', 'result', 'status', 'failure', 'next', 'paging', 'response-header'] as const),
]);

const readsOfRows: typeof readsOfResult = new Set(['value', 'result']);

function namesIn(nodes: readonly Expression[], kinds = readsOfResult): Set<string> {
  const names = new Set<string>();
  for (const node of nodes) if (kinds.has(node.kind) && 'nameSpan' in node) names.add(node.name);
  return names;
}
