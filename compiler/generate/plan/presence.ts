/** Recognizes comparisons that only test whether a result has a first row. */
import type { Comparison, ComparisonOperator, Expression } from '../../read/expression/ast.js';
import { turned } from '../../read/expression/node-kinds.js';

/** Whether a true comparison proves that the first row of a result exists or that it is missing. */
export interface Presence {
  /** The name of the fulfillment. */
  readonly name: string;
  readonly isThere: boolean;
}

/** Recognizes `news == null`, `SIZE(VALUE(news, $)) <= INTEGER(0)` and `news.size() > 0`; undefined for everything else. */
export function presenceIn({ left, right, operator }: Comparison): Presence | undefined {
  return presenceBeside(left, operator, right) ?? presenceBeside(right, turned[operator], left);
}

/** If one condition only tests for rows and the other one for a number of rows, returns the latter. */
export function stricterOf(left: Expression, right: Expression): Expression | undefined {
  if (asksForMore(left, right)) return left;
  return asksForMore(right, left) ? right : undefined;
}

function asksForMore(one: Expression, other: Expression): boolean {
  if (one.kind !== 'comparison' || other.kind !== 'comparison') return false;
  const presence = presenceIn(other);
  const { left, operator, right } = one;
  const name = left.kind === 'size' ? resultIn(left.of) : undefined;
  if (presence?.isThere !== true || presence.name !== name || right.kind !== 'number') return false;
  return right.value >= 1 && ['>', '>=', '=='].includes(operator);
}

/** The result whose first row must exist if a column is not null, as in `VALUE(news, $.title) != NULL()`. */
export function rowOfColumn({ left, right }: Comparison): string | undefined {
  const read = right.kind === 'null' ? left : left.kind === 'null' ? right : undefined;
  if (read?.kind !== 'value') return undefined;
  const [first, second, ...more] = read.path;
  const isFirstRow = first?.kind === 'index' && first.index === 0;
  const column = isFirstRow ? second : first;
  const rest = isFirstRow ? more : read.path.slice(1);
  return column?.kind === 'name' && rest.length === 0 ? read.name : undefined;
}

function presenceBeside(
  read: Expression,
  operator: ComparisonOperator,
  limit: Expression,
): Presence | undefined {
  const name = limit.kind === 'null' ? rowIn(read) : read.kind === 'size' ? resultIn(read.of) : undefined;
  if (name === undefined) return undefined;
  const isThere =
    limit.kind === 'null'
      ? isThereBy[`${operator} null`]
      : limit.kind === 'number'
        ? isThereBy[`${operator} ${limit.value}`]
        : undefined;
  return isThere === undefined ? undefined : { name, isThere };
}

const isThereBy: Readonly<Record<string, boolean>> = {
  '== null': false,
  '!= null': true,
  '== 0': false,
  '<= 0': false,
  '< 1': false,
  '!= 0': true,
  '> 0': true,
  '>= 1': true,
};

/** The result's name if null means that the first row is missing: `news` in syntax B, or a read of the first row. */
function rowIn(read: Expression): string | undefined {
  if (read.kind === 'result') return read.name;
  if (read.kind !== 'value' || read.path.length !== 1) return undefined;
  const [step] = read.path;
  return step?.kind === 'index' && step.index === 0 ? read.name : undefined;
}

/** The name of a result that is read as a whole. */
function resultIn(of: Expression): string | undefined {
  if (of.kind === 'result') return of.name;
  return of.kind === 'value' && of.path.length === 0 ? of.name : undefined;
}
