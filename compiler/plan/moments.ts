/** The values of a statement that are described as moments: MySQL and MariaDB take them without a zone only. */
import type { Expression } from '../expression/ast.js';
import type { ApiSchema } from '../openapi/model.js';
import { branchesOf, elementsOf } from '../openapi/part.js';
import type { LoweredSql } from '../sql/lower.js';

/** How a moment stands in the SQL text: alone, or as an element of an IN list. */
export type MomentUse = 'moment' | 'moments';

/** The bindings, by their place, that `schemasOf` says are moments. */
export function momentsIn(
  statement: LoweredSql,
  schemasOf: (expression: Expression) => readonly ApiSchema[],
): ReadonlyMap<number, MomentUse> {
  if (statement.dialect !== 'mysql') return new Map();
  const uses = statement.parts.flatMap((part): MomentUse[] => {
    if (part.kind === 'text' || part.kind === 'same') return [];
    if (part.kind === 'value') return ['moment'];
    return new Array<MomentUse>(part.kind === 'in-list' ? part.count : 1).fill('moments');
  });
  const found = new Map<number, MomentUse>();
  for (const [index, binding] of statement.bindings.entries()) {
    const use = uses[index] ?? 'moment';
    const schemas = schemasOf(binding).flatMap(branchesOf);
    const elements = use === 'moments' ? schemas.flatMap(elementsOf).flatMap(branchesOf) : [];
    if ([...schemas, ...elements].some(({ format }) => format === 'date-time')) found.set(index, use);
  }
  return found;
}
