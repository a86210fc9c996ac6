/** Comparisons: TypeScript operators if their meaning is the same for these types, otherwise runtime helpers. */
import type { ComparisonOperator } from '../plan/model.js';
import { isTime } from '../../../runtime/compare/times.js';
import { and, binary, call, differs, literal, not, nothing, type Code, type Operator } from '../code/code.js';
import { argument, mayBeUndefined, type EmittedExpression } from './module/emitted-expression.js';
import type { Module } from './module/module.js';

const helpers = { '<': 'less', '<=': 'lessOrEqual', '>': 'greater', '>=': 'greaterOrEqual' } as const;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** `isSettled`: TypeScript knows that one side is a different constant, and would reject a comparison with its own operators. */
export function comparison(
  operator: ComparisonOperator,
  left: EmittedExpression,
  right: EmittedExpression,
  module: Module,
  isSettled: boolean,
): EmittedExpression {
  if (operator === '==' || operator === '!=') return equality(operator, left, right, module, isSettled);
  if (left.type === 'number' && right.type === 'number') return truth(operator, left.code, right.code);
  const nullable = isSettled ? undefined : nullableBeside(left, right);
  if (nullable !== undefined) {
    // Null cannot be ordered.
    const isThere = differs(nullable.code, nothing);
    return { code: and(isThere, ordered(operator, left.code, right.code)), type: 'boolean' };
  }
  return { code: call(module.runtime(helpers[operator]), argument(left), argument(right)), type: 'boolean' };
}

const ofTimes = { '<': 'isBefore', '<=': 'isBeforeOrAt', '>': 'isAfter', '>=': 'isAfterOrAt' } as const;

/** The comparison of a value known to be a time. */
export function comparisonOfTimes(
  operator: ComparisonOperator,
  left: EmittedExpression,
  right: EmittedExpression,
  module: Module,
): EmittedExpression {
  if (operator === '==' || operator === '!=') return equalByHelper(operator, left, right, module);
  return { code: call(module.runtime(ofTimes[operator]), argument(left), argument(right)), type: 'boolean' };
}

function equality(
  operator: '==' | '!=',
  left: EmittedExpression,
  right: EmittedExpression,
  module: Module,
  isSettled: boolean,
): EmittedExpression {
  // `news == null` checks whether the result is empty.
  const rows = right.type === 'null' ? left.missing : left.type === 'null' ? right.missing : undefined;
  if (rows !== undefined) return emptiness(operator, rows, module, isSettled);
  // After any comparison with null, TypeScript would narrow an object to null.
  if (
    [left, right].some(
      ({ read }) => read !== undefined && (read.fields.size > 0 || read.element !== undefined),
    )
  )
    return equalByHelper(operator, left, right, module);
  const compared = right.type === 'null' ? left : left.type === 'null' ? right : undefined;
  // The value may be undefined instead of null.
  if (compared !== undefined && mayBeUndefined(compared)) return truth(operator, argument(compared), nothing);
  const boolean = truthOf(operator, left, right) ?? truthOf(operator, right, left);
  if (boolean !== undefined) return boolean;
  if (isIdentity(left, right) && !(isSettled && isReference(left, right)))
    return truth(`${operator}=`, ...withoutNull(left, right));
  return equalByHelper(operator, left, right, module);
}

/** A boolean compared with `true` or `false` is used as the condition itself. */
function truthOf(
  operator: '==' | '!=',
  value: EmittedExpression,
  { constant }: EmittedExpression,
): EmittedExpression | undefined {
  if (typeof constant !== 'boolean' || value.kinds?.size !== 1 || !value.kinds.has('boolean'))
    return undefined;
  return { code: constant === (operator === '==') ? value.code : not(value.code), type: 'boolean' };
}

function equalByHelper(
  operator: '==' | '!=',
  left: EmittedExpression,
  right: EmittedExpression,
  module: Module,
): EmittedExpression {
  const code = call(module.runtime('equal'), argument(left), argument(right));
  return { code: operator === '!=' ? not(code) : code, type: 'boolean' };
}

/** Whether the result has too few rows to contain the row compared with null. */
function emptiness(
  operator: '==' | '!=',
  { size, max }: NonNullable<EmittedExpression['missing']>,
  module: Module,
  isSettled: boolean,
): EmittedExpression {
  const limit: EmittedExpression = { code: literal(max), type: 'number', constant: max };
  if (max > 0) return truth(operator === '==' ? '<=' : '>', size.code, limit.code);
  if (isSettled) return equalByHelper(operator, size, limit, module);
  return truth(operator === '==' ? '===' : '>', size.code, limit.code);
}

/** The field of type `number | null`, if the other side is a number. */
function nullableBeside(left: EmittedExpression, right: EmittedExpression): EmittedExpression | undefined {
  const [number, other] = right.type === 'number' ? [right, left] : [left, right];
  const isNullable = other.kinds?.size === 2 && other.kinds.has('number') && other.kinds.has('null');
  // A function call would be evaluated twice.
  return number.type === 'number' && isNullable && isField(other.code) ? other : undefined;
}

/** Whether the code is a variable or a field of a variable. */
function isField(code: Code): boolean {
  return code.kind === 'name' || (code.kind === 'member' && !code.isOptional && isField(code.object));
}

/** Whether TypeScript would narrow a side of the comparison: variables and fields are narrowed, but not function results. */
function isReference(left: EmittedExpression, right: EmittedExpression): boolean {
  return [left, right].some(({ code, constant }) => constant === undefined && !isResult(code));
}

function isResult(code: Code): boolean {
  if (code.kind === 'binary') return isResult(code.right);
  return code.kind === 'call' || (code.kind === 'prefixed' && isResult(code.operand));
}

/** Whether equality in the configuration language means identity of the JavaScript values. */
function isIdentity(left: EmittedExpression, right: EmittedExpression): boolean {
  // TypeScript rejects the comparison of two different constants.
  if (left.constant !== undefined && right.constant !== undefined) return false;
  // After a comparison with null, TypeScript would consider the variable null in all code that follows.
  if ([left, right].some(({ type }) => type === 'rows' || type === 'row') && isReference(left, right))
    return false;
  if (left.type === 'null' || right.type === 'null') return true;
  if ([left, right].every(({ type }) => type === 'number' || type === 'status')) return true;
  if (left.type === right.type && ['number', 'boolean'].includes(left.type)) return true;
  return mayBePlainText(left, right) || mayBePlainText(right, left);
}

/**
 * Whether the other side is a constant string that only equals itself (not a number, boolean or time), and the value can be this string:
 * TypeScript rejects comparisons that are always false.
 */
function mayBePlainText({ type, kinds, words }: EmittedExpression, { constant }: EmittedExpression): boolean {
  if (
    typeof constant !== 'string' ||
    jsonNumber.test(constant) ||
    constant === 'true' ||
    constant === 'false' ||
    isTime(constant)
  )
    return false;
  const mayBeText = type === 'text' || (type === 'json' && kinds?.has('string') !== false);
  return mayBeText && words?.has(constant) !== false;
}

/** In a comparison with a constant other than null, a null field and a missing field are equivalent. */
function withoutNull(left: EmittedExpression, right: EmittedExpression): readonly [Code, Code] {
  const isBesideConstant = typeof left.constant === 'string' || typeof right.constant === 'string';
  return isBesideConstant ? [argument(left), argument(right)] : [left.code, right.code];
}

function truth(operator: Operator, left: Code, right: Code): EmittedExpression {
  return { code: ordered(operator, left, right), type: 'boolean' };
}

/** TypeScript parses `[a < b, c > (d ?? e)]` as a call of `a` with type arguments. */
function ordered(operator: Operator, left: Code, right: Code): Code {
  return operator === '>' && right.kind === 'binary'
    ? binary('<', right, left)
    : binary(operator, left, right);
}
