/** The names that operations read in the part of a request that contains a filter: all others are refused. */
import type { ListFilter, Operation } from '../../read/config/config-model.js';
import { allFulfillments, nodesOf, withCalled } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { printSteps } from '../../read/expression/parse/path.js';

export interface NamesBeside {
  /** Names that other expressions read, each with its first expression. */
  readonly read: ReadonlyMap<string, Expression>;
  /** Names of other filters in the same part of the request. */
  readonly filtered: ReadonlySet<string>;
}

/** `operations` contains those that call the operation of the filter, and those that are called by these. */
export function namesBeside(
  filter: ListFilter,
  operation: Operation,
  operations: readonly Operation[],
): NamesBeside {
  const read = new Map<string, Expression>();
  const filtered = new Set<string>();
  const { from } = filter;
  // Which names a function reads is only known to its author.
  if (from === undefined || from.kind === 'code') return { read, filtered };
  for (const one of sharingRequest(operation, operations)) {
    // In another operation, only the query is certain to be the same: references pass parameters and bodies.
    if (one !== operation && from.kind !== 'query-map') continue;
    const inPath = one.endpoint?.parameters ?? [];
    for (const node of nodesOf(one)) {
      const name = nameIn(node, from, inPath);
      if (name !== undefined && !read.has(name)) read.set(name, node);
    }
    for (const other of filtersOf(one))
      if (other !== filter && other.from !== undefined && placeOf(other.from) === placeOf(from))
        for (const { name } of other.allow) filtered.add(name.value);
  }
  return { read, filtered };
}

/** The names of the filters in the query of the operation, and those filters' expressions. */
export function filtersOfQuery(operation: Operation): {
  readonly names: ReadonlySet<string>;
  readonly expressions: ReadonlySet<Expression>;
} {
  const found = filtersOf(operation).filter(({ from }) => from?.kind === 'query-map');
  return {
    names: new Set(found.flatMap(({ allow }) => allow.map(({ name }) => name.value))),
    expressions: new Set(found.flatMap(({ from }) => from ?? [])),
  };
}

/** The operations that can serve the same request. */
function sharingRequest(operation: Operation, operations: readonly Operation[]): ReadonlySet<Operation> {
  const byName = new Map(operations.map((one) => [one.name.value, one]));
  const found = new Set<Operation>([operation]);
  for (const one of operations) {
    const called = withCalled([one], byName);
    if (called.has(operation)) for (const each of called) found.add(each);
  }
  return found;
}

function filtersOf({ fulfillments }: Operation): readonly ListFilter[] {
  return allFulfillments(fulfillments).flatMap(({ fulfillment }) =>
    'filter' in fulfillment && fulfillment.filter !== undefined ? [fulfillment.filter] : [],
  );
}

/** The part of the request that the expression reads. */
function placeOf(from: Expression): string | undefined {
  switch (from.kind) {
    case 'query-map':
      return 'query';
    case 'sent':
      return `query ${from.name}`;
    case 'param':
      return `param ${from.name}${printSteps(from.path)}`;
    case 'body':
      return `body${printSteps(from.path)}`;
    default:
      return undefined;
  }
}

/** The name directly in `from` that the node reads; undefined if it reads something else. */
function nameIn(node: Expression, from: Expression, inPath: readonly string[]): string | undefined {
  if (from.kind === 'query-map') {
    if (node.kind === 'sent' && node.place === 'query') return withoutBrackets(node.name);
    return node.kind === 'param' && !inPath.includes(node.name) ? withoutBrackets(node.name) : undefined;
  }
  const isSame =
    (from.kind === 'param' && node.kind === 'param' && from.name === node.name) ||
    (from.kind === 'body' && node.kind === 'body');
  if (!isSame || printSteps(node.path.slice(0, from.path.length)) !== printSteps(from.path)) return undefined;
  const step = node.path[from.path.length];
  return step?.kind === 'name' ? step.name : undefined;
}

/** A parameter whose name contains brackets is a part of another one in QUERY(). */
export function withoutBrackets(name: string): string {
  const start = name.indexOf('[');
  return start > 0 ? name.slice(0, start) : name;
}
