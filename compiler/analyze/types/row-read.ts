/** The result row that an expression reads, and whether the row is known to exist. */
import type { Comparison, Expression, Path } from '../../read/expression/ast.js';
import type { KnownFacts } from './conditions.js';
import { decide, testsIn } from './decide.js';
import { formulaOf, type Formula } from './formula.js';
import { typeAt, typeOf } from './infer.js';
import { withoutNull } from './join-types.js';
import { nullValue } from './known-types.js';
import { keyOf } from './subject.js';
import type { ValueType } from './value-type.js';
import type { Environment } from './visible-values.js';

type ValueOfResult = Extract<Expression, { kind: 'value' }>;

interface RowRead {
  /** The number of preceding rows: the row exists if there are more rows than this. */
  readonly before: number;
  /** The path within the row. */
  readonly rest: Path;
}

/** The row that a path reads; undefined for a path that does not read a single row. On rows, a field name reads from the first row. */
export function rowRead(path: Path): RowRead | undefined {
  const [step, ...rest] = path;
  if (step?.kind === 'name') return { before: 0, rest: path };
  if (step?.kind !== 'index') return undefined;
  return { before: step.index < 0 ? -step.index - 1 : step.index, rest };
}

/**
 * The type of a read value: without the null of a missing row if the row is known to exist, and always null if it is known to be missing.
 * A field of another result is without the null of a skipped fulfillment if the result is known not to be null.
 */
export function typeOfRead(value: Expression, { environment, known }: KnownFacts): ValueType {
  const read = value.kind === 'value' ? rowRead(value.path) : undefined;
  if (value.kind !== 'value' || read === undefined || known.length === 0) return typeOf(value, environment);
  const result = environment.result(value.name).type;
  const { element, isRows } = result;
  const formulas = known.map(({ formula }) => formula);
  if (isRows !== true && result.kinds.has('null') && hasRun(value, environment, formulas))
    return typeAt(withoutNull(result), value.path);
  if (isRows !== true || element === undefined) return typeOf(value, environment);
  const verdict = decide(formulaOf(noRow(value, read), environment), formulas);
  if (verdict === 'always') return nullValue;
  const isThere = verdict === 'never' || hasField(value, read, { environment, known }, formulas);
  return isThere ? typeAt(element, read.rest) : typeOf(value, environment);
}

/** Whether the whole result is known not to be null. */
function hasRun(value: ValueOfResult, environment: Environment, formulas: readonly Formula[]): boolean {
  const { span } = value;
  const left = { ...value, path: [] };
  const isNull: Comparison = {
    ...{ kind: 'comparison', operator: '==', left, right: { kind: 'null', span }, span },
  };
  return decide(formulaOf(isNull, environment), formulas) === 'never';
}

function noRow(value: ValueOfResult, { before }: RowRead): Comparison {
  const { span } = value;
  return {
    ...{ kind: 'comparison', operator: '<=', left: { kind: 'size', of: { ...value, path: [] }, span }, span },
    right: { kind: 'number', value: before, span },
  };
}

/** Whether a field of the first row is known not to be null, which implies that the row exists. */
function hasField(
  value: ValueOfResult,
  { before }: RowRead,
  { environment }: KnownFacts,
  formulas: readonly Formula[],
): boolean {
  if (before !== 0) return false;
  const row = keyOf({ ...value, path: [{ kind: 'index', index: 0 }] }, environment).slice(0, -1);
  return formulas
    .flatMap(testsIn)
    .filter(({ subject, constant }) => constant === null && subject.key.startsWith(`${row},`))
    .some((test) => decide({ ...test, operator: '==' }, formulas) === 'never');
}
