/** Request values that an operation reads at several positions; its handler reads them once. */
import { walkOperation } from '../../../read/config/walk.js';
import type { Operation } from '../../../read/config/config-model.js';
import type { Path } from '../../../read/expression/ast.js';
import { nodesIn } from '../../../read/expression/visit.js';

export interface RepeatedReads {
  /** Parameter names. */
  readonly params: ReadonlySet<string>;
  /** Paths into the body, as `pathKey` values. */
  readonly paths: ReadonlySet<string>;
  /** Paths into loop elements, as `elementKey` values. Counted while they are emitted. */
  readonly elements: ReadonlySet<string>;
}

export const noRepeatedReads: RepeatedReads = { params: new Set(), paths: new Set(), elements: new Set() };

/** Paths with the same key select the same value. */
export function pathKey(path: Path): string {
  return JSON.stringify(path.map((step) => (step.kind === 'name' ? step.name : step)));
}

/** The key of a path into the element held by the variable. */
export function elementKey(variable: string, path: Path): string {
  return `${variable} ${pathKey(path)}`;
}

/** `receivesFiles`: the request can contain files, and PARAM of a file ends the call, so it must not be read ahead of its turn. */
export function repeatedReads(operation: Operation, receivesFiles: boolean): RepeatedReads {
  const params = new Map<string, number>();
  const paths = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  // Limits are checked before the handler runs, and idempotency keys before its steps.
  walkOperation({ ...operation, limits: [], idempotency: undefined }, (expression, { isUnreached }) => {
    if (isUnreached === true) return;
    for (const node of nodesIn(expression)) {
      if (node.kind === 'param' && !receivesFiles) count(params, node.name);
      // Reading every element of a list is expensive, so such values are not read ahead.
      if (node.kind === 'body' && node.path.length > 0 && node.path.every(({ kind }) => kind !== 'all'))
        count(paths, pathKey(node.path));
    }
  });
  return { params: several(params), paths: several(paths), elements: new Set() };
}

function several(counts: ReadonlyMap<string, number>): ReadonlySet<string> {
  return new Set([...counts].filter(([, count]) => count > 1).map(([key]) => key));
}
