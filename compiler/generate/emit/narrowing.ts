/** Narrows first rows and computed values by conditions: after `if (news === undefined) throw …` TypeScript knows that the row exists. */
import type { Expression } from '../plan/model.js';
import { presenceIn, rowOfColumn, type Presence } from '../plan/presence.js';
import type { Binding, Scope } from './scope.js';

/** The scope where a condition is known to be true (`holds`) or false. */
export function behind(condition: Expression, holds: boolean, scope: Scope): Scope {
  const results = new Map(scope.results);
  for (const { name, isThere } of presencesBehind(condition, holds)) {
    const binding = results.get(name);
    if (binding?.type === 'first') results.set(name, assuming(binding, isThere));
  }
  for (const read of notNullBehind(condition, holds, scope)) {
    const binding = results.get(read.name);
    if (binding?.isComputed === true && isPlainRead(binding, read))
      results.set(read.name, { ...binding, nullable: false });
  }
  return { ...scope, results };
}

/** If the conditions are contradictory, the row counts as missing, because TypeScript rejects reading it. */
function assuming(binding: Binding, isThere: boolean): Binding {
  return { ...binding, presence: isThere && binding.presence !== 'missing' ? 'there' : 'missing' };
}

/** First rows that certainly exist or certainly do not, given that a condition is true or false. */
function presencesBehind(condition: Expression, holds: boolean): Presence[] {
  switch (condition.kind) {
    case 'not':
      return presencesBehind(condition.operand, !holds);
    case 'logical': {
      const left = presencesBehind(condition.left, holds);
      const right = presencesBehind(condition.right, holds);
      if (holds === (condition.operator === '&&')) return [...left, ...right];
      return left.filter(({ name, isThere }) =>
        right.some((other) => other.name === name && other.isThere === isThere),
      );
    }
    case 'comparison': {
      const presence = presenceIn(condition);
      if (presence !== undefined) return [{ ...presence, isThere: presence.isThere === holds }];
      // A column of a missing row is also null: only a non-null column proves that the row exists.
      const name = condition.operator === (holds ? '!=' : '==') ? rowOfColumn(condition) : undefined;
      return name === undefined ? [] : [{ name, isThere: true }];
    }
    default:
      return [];
  }
}

type Read = Extract<Expression, { readonly kind: 'value' | 'result' }>;

/** The reads of results that are not null, given that a condition is true or false. */
function notNullBehind(condition: Expression, holds: boolean, scope: Scope): Read[] {
  switch (condition.kind) {
    case 'not':
      return notNullBehind(condition.operand, !holds, scope);
    case 'logical': {
      // One operand alone decides nothing: which one it was is unknown.
      if (holds !== (condition.operator === '&&')) return [];
      return [condition.left, condition.right].flatMap((side) => notNullBehind(side, holds, scope));
    }
    case 'comparison': {
      // A helper compares these, which tells TypeScript nothing.
      if (condition.operator !== (holds ? '!=' : '==') || scope.settled.has(condition)) return [];
      const { left, right } = condition;
      const read = right.kind === 'null' ? left : left.kind === 'null' ? right : undefined;
      return read?.kind === 'value' || read?.kind === 'result' ? [read] : [];
    }
    default:
      return [];
  }
}

/** Whether the read is plain property access, as TypeScript narrows it. */
function isPlainRead({ read }: Binding, expression: Read): boolean {
  let value = read;
  for (const step of expression.kind === 'value' ? expression.path : []) {
    value = step.kind === 'name' ? value?.fields.get(step.name) : undefined;
    if (value === undefined) return false;
  }
  return value !== undefined;
}
