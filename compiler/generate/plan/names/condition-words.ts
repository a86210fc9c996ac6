/** Extracts words from a condition for the names of generated constants: `Price` for `sort == 'price'`. */
import { isSecretOption } from '../../../read/diagnostics/secrets/secret-words.js';
import type { Comparison, ComparisonOperator, Expression } from '../../../read/expression/ast.js';
import { camelCase, upperFirst } from './identifiers.js';

/** A word and its rank: strings before names, names before numbers. */
interface Word {
  readonly text: string;
  readonly rank: number;
}

const rank = { text: 0, name: 1, number: 2 } as const;

/**
 * The words of a condition in upper camel case, best rank first; empty if it has no short words. Only uses compared strings, short numbers
 * and names, and skips words compared with a secret.
 */
export function conditionWords(condition: Expression): string[] {
  const words = wordsOf(condition, true).toSorted((a, b) => a.rank - b.rank);
  return [...new Set(words.map(({ text }) => text))];
}

/** The last name that an expression reads: `id` for `news.author.id`, `news` for `SIZE(VALUE(news, $))`. */
export function lastName(value: Expression): string | undefined {
  if (value.kind === 'size') return lastName(value.of);
  if (value.kind === 'multipart-file' && value.path.length === 0) return value.part;
  const path = 'path' in value ? value.path : [];
  const last = path.findLast((step) => step.kind === 'name');
  return last?.name ?? ('name' in value ? value.name : undefined);
}

function wordsOf(condition: Expression, holds: boolean): Word[] {
  switch (condition.kind) {
    case 'comparison':
      return comparisonWords(condition, holds);
    case 'logical': {
      const [left, right] = [wordsOf(condition.left, holds), wordsOf(condition.right, holds)];
      // The right side of `&&` is the special case; the right side of `||` is an alternative of the same rank.
      return condition.operator === '&&' ? [...right, ...left] : [...left, ...right];
    }
    case 'not':
      return wordsOf(condition.operand, !holds);
    default:
      return named(condition, holds);
  }
}

function comparisonWords({ left, right, operator }: Comparison, holds: boolean): Word[] {
  if (isConstant(left)) return isConstant(right) ? [] : constantWords(right, turned[operator], left, holds);
  if (isConstant(right)) return constantWords(left, operator, right, holds);
  if (operator !== '==' && operator !== '!=') return [];
  return named(left, (operator === '==') === holds, 'Other');
}

type Constant = Extract<Expression, { readonly kind: 'text' | 'number' | 'boolean' | 'null' }>;

function isConstant(expression: Expression): expression is Constant {
  return ['text', 'number', 'boolean', 'null'].includes(expression.kind);
}

const turned: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  ...{ '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' },
};

const orders = { '<': 'Below', '<=': 'AtMost', '>': 'Above', '>=': 'AtLeast' } as const;

function constantWords(
  subject: Expression,
  operator: ComparisonOperator,
  constant: Constant,
  holds: boolean,
): Word[] {
  const isEqual = (operator === '==') === holds;
  if (operator !== '==' && operator !== '!=') {
    if (subject.kind === 'size' && constant.kind === 'number' && constant.value === 0)
      return named(subject, (operator === '>') === holds);
    return constant.kind === 'number' && holds ? counted(constant.value, orders[operator]) : [];
  }
  switch (constant.kind) {
    case 'text': {
      const word = plainWord(constant.value);
      if (word === undefined || isSecretOption(lastName(subject) ?? '')) return named(subject, isEqual);
      return [{ text: `${isEqual ? '' : 'Not'}${word}`, rank: rank.text }];
    }
    case 'number':
      if (subject.kind === 'size' && constant.value === 0) return named(subject, !isEqual);
      return counted(constant.value, isEqual ? '' : 'Not');
    case 'boolean':
      return named(subject, isEqual === constant.value);
    case 'null':
      return named(subject, !isEqual);
  }
}

function counted(value: number, prefix: string): Word[] {
  return Number.isInteger(value) && value >= 0 && value < 1e6
    ? [{ text: `${prefix}${value}`, rank: rank.number }]
    : [];
}

function named(subject: Expression, isThere: boolean, otherwise: 'No' | 'Other' = 'No'): Word[] {
  const name = camelCase(lastName(subject) ?? '', '');
  return name === '' || name.length > longest
    ? []
    : [{ text: `${isThere ? '' : otherwise}${upperFirst(name)}`, rank: rank.name }];
}

const longest = 24;

/** `in-stock` → InStock; undefined unless the string is a few words of letters or a short number. */
function plainWord(text: string): string | undefined {
  if (text.length > longest || !/^(?:\d{1,6}|[A-Za-z]+\d{0,2}(?:[ _-][A-Za-z]+\d{0,2}){0,2})$/.test(text))
    return undefined;
  return upperFirst(camelCase(text, ''));
}
