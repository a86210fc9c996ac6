/** Explains why a condition is never or always true, and suggests a correction. */
import { nearest } from '../../read/diagnostics/suggest.js';
import { inexpressible, printExpression } from '../../read/expression/print-expression.js';
import type { Comparison, Expression, Syntax } from '../../read/expression/ast.js';
import { turned } from '../../read/expression/node-kinds.js';
import { position } from '../../read/source.js';
import type { Decision, Known } from './conditions.js';
import { typeOf } from './infer.js';
import { keyOf } from './subject.js';
import { canEqual } from './comparable.js';
import type { Kind, ValueType } from './value-type.js';

export interface TypeExplanation {
  /** A clause without a full stop. */
  readonly reason: string;
  /** A complete sentence. */
  readonly hint: string;
}

export function explain(decision: Decision, syntax: Syntax): TypeExplanation {
  const { because, condition, verdict } = decision;
  if (because === 'several')
    return {
      reason: `the conditions before it ${verdict === 'never' ? 'rule that out' : 'leave no other case'}`,
      hint: 'Remove it, or correct the conditions before it.',
    };
  if (because !== undefined) return explainEarlier(because, verdict);
  return new Explainer(decision, syntax).of(condition);
}

function explainEarlier({ site, span, holds }: Known, verdict: Decision['verdict']): TypeExplanation {
  const line = `line ${position(span.source, span.start).line}`;
  const cases = verdict === 'never' ? 'every such case' : 'every other case';
  switch (site) {
    case 'exception':
      return {
        reason: `the exception in ${line} has ended the operation in ${cases}`,
        hint: `Remove it, or correct the condition in ${line}.`,
      };
    case 'instruction':
      return {
        reason: `the one in ${line} is used in ${cases}`,
        hint: `Remove it, or correct the condition in ${line}.`,
      };
    case 'response':
      return {
        reason: `the response in ${line} is sent in ${cases}`,
        hint: `Remove it, or correct the condition in ${line}.`,
      };
    case 'loopbreak':
      return {
        reason: `the loopbreak in ${line} has stopped the loop in ${cases}`,
        hint: `Remove it, or correct the condition in ${line}.`,
      };
    case 'operand':
      if (holds && verdict === 'never')
        return {
          reason: 'an earlier part of the condition rules it out',
          hint: 'Remove it, or correct one of the two parts.',
        };
      if (holds)
        return { reason: 'an earlier part of the condition already requires it', hint: 'Remove this part.' };
      return {
        reason: 'an earlier part of the condition is the same test',
        hint: 'Remove this part, or test another value in it.',
      };
    case 'if':
    case 'value':
      break;
  }
  return verdict === 'never'
    ? {
        reason: `the condition in ${line} rules that out`,
        hint: `Remove it, or correct the condition in ${line}.`,
      }
    : { reason: `the condition in ${line} already requires that`, hint: 'Remove it.' };
}

/** Explains conditions that do not depend on other conditions. */
class Explainer {
  constructor(
    private readonly decision: Decision,
    private readonly syntax: Syntax,
  ) {}

  of(condition: Expression): TypeExplanation {
    switch (condition.kind) {
      case 'comparison':
        return this.#comparison(condition);
      case 'logical': {
        const { verdict } = this.decision;
        if (condition.operator === (verdict === 'never' ? '||' : '&&'))
          return { reason: `each of its parts is ${verdict} true`, hint: 'Correct the parts, or remove it.' };
        // A part that is constant by itself is reported instead, so here both parts together cause the result.
        return verdict === 'never'
          ? {
              reason: 'its parts exclude each other',
              hint: 'Correct one of the parts, or write || instead of && if one of them is enough.',
            }
          : {
              reason: 'each value makes one of its parts true',
              hint: 'Correct one of the parts, or write && instead of || if both are required.',
            };
      }
      case 'not': {
        const { operand } = condition;
        const { kinds, constant } = this.#typeOf(operand);
        if (kinds.has('array'))
          return {
            reason: 'a list is not true or false',
            hint: this.#write(this.#comparedWithZero({ ...operand, kind: 'size', of: operand }, '==')),
          };
        if (kinds.has('number') && constant === undefined)
          return {
            reason: `${nameOf(this.#typeOf(operand))} is not true or false`,
            hint: this.#write(this.#comparedWithZero(operand, '==')),
          };
        return { reason: 'its operand is always the same', hint: 'Correct the condition after the !.' };
      }
      default:
        return this.#bare(condition);
    }
  }

  #bare(condition: Expression): TypeExplanation {
    const type = this.#typeOf(condition);
    if (type.constant !== undefined)
      return { reason: 'it is a constant', hint: 'Remove it, or compare a value with it.' };
    const reason = `${nameOf(type)} is not true or false`;
    const isListed = type.kinds.has('array');
    const size: Expression = isListed ? { ...condition, kind: 'size', of: condition } : condition;
    return { reason, hint: this.#write(this.#comparedWithZero(size, '>')) };
  }

  #comparison(comparison: Comparison): TypeExplanation {
    const { left, right, operator } = comparison;
    const [one, other] = [this.#typeOf(left), this.#typeOf(right)];
    if (one.constant !== undefined && other.constant !== undefined)
      return {
        reason: 'both sides are constants',
        hint: 'Remove it, or compare with a value of the request or a result.',
      };
    if (keyOf(left, this.decision.environment) === keyOf(right, this.decision.environment))
      return {
        reason: 'both sides are the same',
        hint: 'Write another value on one side, or remove the condition.',
      };
    const isEquality = operator === '==' || operator === '!=';
    if (!isEquality && [one, other].some(({ constant }) => constant === null)) {
      const value = one.constant === null ? right : left;
      const test = (equality: '==' | '!='): Expression => ({
        ...comparison,
        operator: equality,
        left: value,
        right: { kind: 'null', span: value.span },
      });
      const isGreater = (one.constant === null ? turned[operator] : operator) === '>';
      return {
        reason: 'nothing is less or greater than null',
        // Only `>` has a single likely meaning.
        hint: isGreater ? this.#write(test('!=')) : this.#writeOneOf(test('=='), test('!=')),
      };
    }
    const listed = this.#listIn(comparison);
    if (listed !== undefined && listed.kind !== 'list')
      return {
        reason: `${this.#print(listed)} is a list, ${isNull(one) || isNull(other) ? 'which is empty if no row is found' : `and ${nameOf(listed === left ? other : one)} is not`}`,
        hint: this.#sizeInstead(comparison, listed),
      };
    const digit = this.#truthOfDigit(comparison, left, right) ?? this.#truthOfDigit(comparison, right, left);
    if (digit !== undefined) return digit;
    if (!canEqual(one, other))
      return {
        reason: `${nameOf(one)} and ${nameOf(other)} are ${isEquality ? 'never equal' : 'not ordered'}`,
        hint: this.#otherSide(one, other),
      };
    const counted = [left, right].find((side) => this.#typeOf(side).wholeFrom !== undefined);
    if (counted !== undefined) {
      const { wholeFrom = 0, wholeTo } = this.#typeOf(counted);
      return {
        reason: `${this.#print(counted)} is a whole number${wholeTo === undefined ? `, ${wholeFrom} or more` : ` from ${wholeFrom} to ${wholeTo}`}`,
        hint:
          counted.kind === 'size'
            ? this.#writeOneOf(this.#comparedWithZero(counted, '=='), this.#comparedWithZero(counted, '>'))
            : this.#otherSide(one, other),
      };
    }
    return (
      this.#oneOfWords(left, right) ??
      this.#oneOfWords(right, left) ?? {
        reason: 'no value of one side equals one of the other',
        hint: this.#otherSide(one, other),
      }
    );
  }

  /** Explains a boolean compared with 1 or 0, the form of booleans in databases. */
  #truthOfDigit(comparison: Comparison, written: Expression, other: Expression): TypeExplanation | undefined {
    const { operator, span } = comparison;
    const value = this.#typeOf(written);
    const { constant } = this.#typeOf(other);
    const isTruth = value.kinds.has('boolean') && !value.kinds.has('number') && !value.kinds.has('string');
    if (!isTruth || (constant !== 0 && constant !== 1) || (operator !== '==' && operator !== '!='))
      return undefined;
    const truth: Expression = { kind: 'boolean', value: constant === 1, span };
    return {
      reason: `${nameOf(value)} and a number are never equal`,
      hint: this.#write({ ...comparison, left: written, right: truth }),
    };
  }

  /** Explains an enum value compared with a constant that is not in the enum. */
  #oneOfWords(value: Expression, constant: Expression): TypeExplanation | undefined {
    const { words: known, form } = this.#typeOf(value);
    const words = known ?? new Set(form?.words);
    const written = this.#typeOf(constant).constant;
    if (words.size === 0 || typeof written !== 'string' || words.has(written)) return undefined;
    // With few candidates, more typos can be tolerated: 'payed' is 'paid'.
    const near = nearest(written, words, 2);
    const all = [...words].map((word) => `'${word}'`);
    const some = all.length > maxWords ? [...all.slice(0, maxWords), '…'] : all;
    return {
      reason: `${this.#print(value)} is never '${written}'`,
      hint:
        near === undefined
          ? `It may be ${some.join(', ')}.`
          : `Did you mean '${near}'? It may be ${some.join(', ')}.`,
    };
  }

  /** Suggests the comparison with the list's size, or a test for an empty list. */
  #sizeInstead(comparison: Comparison, listed: Expression): string {
    const { left, right, operator } = comparison;
    const size: Expression = { ...listed, kind: 'size', of: listed };
    const other = listed === left ? right : left;
    if (this.#typeOf(other).kinds.has('number'))
      return this.#write({
        ...comparison,
        left: listed === left ? size : left,
        right: listed === right ? size : right,
      });
    const isEquality = operator === '==' || operator === '!=';
    return isEquality
      ? this.#write(this.#comparedWithZero(size, operator === '==' ? '==' : '>'))
      : this.#writeOneOf(this.#comparedWithZero(size, '=='), this.#comparedWithZero(size, '>'));
  }

  /** The side that is a list, if the other side never is. */
  #listIn({ left, right }: Comparison): Expression | undefined {
    const isList = (side: Expression): boolean =>
      [...this.#typeOf(side).kinds].every((kind) => kind === 'array' || kind === 'null') &&
      this.#typeOf(side).kinds.has('array');
    if (isList(left) === isList(right)) return undefined;
    return isList(left) ? left : right;
  }

  #typeOf(expression: Expression): ValueType {
    return typeOf(expression, this.decision.environment);
  }

  #comparedWithZero(left: Expression, operator: Comparison['operator']): Comparison {
    const { span } = left;
    return { kind: 'comparison', operator, left, right: { kind: 'number', value: 0, span }, span };
  }

  /** The hint for a comparison with a constant of the wrong type. */
  #otherSide(one: ValueType, other: ValueType): string {
    const [constant, value] = one.constant === undefined ? [other, one] : [one, other];
    return constant.constant === undefined || nameOf(value) === 'this value'
      ? 'Write another value on one side, or remove the condition.'
      : `Compare with ${nameOf(value)} instead, or read another value.`;
  }

  #write(condition: Expression): string {
    return inexpressible(condition, this.syntax) === undefined
      ? `Write ${printExpression(condition, this.syntax)}.`
      : 'Write another value on one side, or remove the condition.';
  }

  /** Suggests both expressions if either may be intended and one is the opposite of the other. */
  #writeOneOf(one: Expression, other: Expression): string {
    return inexpressible(one, this.syntax) === undefined
      ? `Write ${this.#print(one)} or ${this.#print(other)}.`
      : this.#write(one);
  }

  #print(expression: Expression): string {
    return printExpression(expression, this.syntax);
  }
}

/** Maximum number of enum values to list. */
const maxWords = 12;

function isNull({ constant }: ValueType): boolean {
  return constant === null;
}

const names: Readonly<Record<Kind, string>> = {
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  string: 'a string',
  array: 'a list',
  object: 'an object',
};

function nameOf({ kinds }: ValueType): string {
  const [first, ...others] = [...kinds].filter((kind) => kind !== 'null' || kinds.size === 1);
  return first === undefined || others.length > 0 ? 'this value' : names[first];
}
