/** Converts conditions to formulas over their subjects, the form in which they can be decided. */
import {
  equal,
  greater,
  greaterOrEqual,
  isTrue,
  less,
  lessOrEqual,
} from '../../../runtime/compare/compare.js';
import { isTime } from '../../../runtime/compare/times.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { Comparison, ComparisonOperator, Expression } from '../../read/expression/ast.js';
import { turned } from '../../read/expression/node-kinds.js';
import type { Environment } from './visible-values.js';
import { typeOf } from './infer.js';
import { keyOf, sizeKey } from './subject.js';
import { canEqual, canOrder } from './comparable.js';
import { count } from './known-types.js';
import type { ValueType } from './value-type.js';

export type Constant = string | number | boolean | null;

/** A value that the condition depends on. */
export interface Subject {
  readonly key: string;
  readonly type: ValueType;
}

export type Formula =
  | { readonly kind: 'known'; readonly holds: boolean }
  /** A value compared with a constant. */
  | {
      readonly kind: 'test';
      readonly subject: Subject;
      readonly operator: ComparisonOperator;
      readonly constant: Constant;
    }
  /** A value compared with itself. */
  | { readonly kind: 'self'; readonly subject: Subject; readonly operator: ComparisonOperator }
  /** A value used as a condition. */
  | { readonly kind: 'bare'; readonly subject: Subject }
  /** An unknown condition that has the same result wherever its key occurs. */
  | { readonly kind: 'open'; readonly key: string }
  | { readonly kind: 'not'; readonly of: Formula }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Formula[] };

export const compare: Readonly<Record<ComparisonOperator, (left: Json, right: Json) => boolean>> = {
  '==': equal,
  '!=': (left, right) => !equal(left, right),
  '<': less,
  '<=': lessOrEqual,
  '>': greater,
  '>=': greaterOrEqual,
};

export function not(of: Formula): Formula {
  return { kind: 'not', of };
}

/** The formula of a condition in an environment of readable values. */
export function formulaOf(condition: Expression, environment: Environment): Formula {
  switch (condition.kind) {
    case 'logical': {
      const of = [condition.left, condition.right].map((side) => formulaOf(side, environment));
      return { kind: condition.operator === '&&' ? 'and' : 'or', of };
    }
    case 'not':
      return not(formulaOf(condition.operand, environment));
    case 'comparison':
      return comparisonFormula(condition, environment);
    default: {
      const subject = subjectOf(condition, environment);
      const { constant } = subject.type;
      return constant === undefined ? { kind: 'bare', subject } : { kind: 'known', holds: isTrue(constant) };
    }
  }
}

function subjectOf(expression: Expression, environment: Environment): Subject {
  return { key: keyOf(expression, environment), type: typeOf(expression, environment) };
}

function comparisonFormula({ operator, left, right }: Comparison, environment: Environment): Formula {
  const sides = [subjectOf(left, environment), subjectOf(right, environment)] as const;
  const [one, other] = sides;
  const isEquality = operator === '==' || operator === '!=';
  const sized =
    isEquality && right.kind === 'null'
      ? emptiness(left, environment)
      : isEquality && left.kind === 'null'
        ? emptiness(right, environment)
        : undefined;
  if (sized !== undefined) return operator === '==' ? sized : not(sized);
  const constants = [one.type.constant, other.type.constant] as const;
  // Times are ordered differently from their strings.
  const isOfTimes = !isEquality && constants.some((one) => typeof one === 'string' && isTime(one));
  if (constants[0] !== undefined && constants[1] !== undefined)
    return { kind: 'known', holds: compare[operator](constants[0], constants[1]) };
  if (constants[1] !== undefined && !isOfTimes)
    return { kind: 'test', subject: one, operator, constant: constants[1] };
  if (constants[0] !== undefined && !isOfTimes)
    return { kind: 'test', subject: other, operator: turned[operator], constant: constants[0] };
  if (one.key === other.key) return { kind: 'self', subject: one, operator };
  if (!(isEquality ? canEqual : canOrder)(one.type, other.type))
    return { kind: 'known', holds: operator === '!=' };
  // The same comparison of two unknown values always has the same result, even if mirrored.
  const isTurned = one.key > other.key;
  const same = operator === '!=' ? '==' : operator;
  const key = isTurned ? `${other.key} ${turned[same]} ${one.key}` : `${one.key} ${same} ${other.key}`;
  return operator === '!=' ? not({ kind: 'open', key }) : { kind: 'open', key };
}

/** The row-count formula for `== null` on a result (Syntax B) or on a single row of a result; undefined for other values. */
function emptiness(side: Expression, environment: Environment): Formula | undefined {
  if (side.kind !== 'result' && side.kind !== 'value') return undefined;
  const result = environment.result(side.name);
  if (result.type.isRows !== true) return undefined;
  const key = sizeKey(keyOf({ ...side, kind: 'result' }, environment));
  const [step, ...rest] = side.kind === 'value' ? side.path : [];
  if (side.kind === 'value' && (step?.kind !== 'index' || rest.length > 0)) return undefined;
  const index = step?.kind === 'index' ? step.index : 0;
  const max = index < 0 ? -index - 1 : index;
  return {
    kind: 'test',
    subject: { key, type: count },
    operator: max === 0 ? '==' : '<=',
    constant: max,
  };
}
