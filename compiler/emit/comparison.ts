/** Comparisons: TypeScript's own operators where the types make them say the same, the runtime's elsewhere (decisions 4). */
import type { ComparisonOperator } from '../expression/ast.js';
import { argument, operand, type Code } from './code.js';
import type { Module } from './module.js';

const helpers = { '<': 'less', '<=': 'lessOrEqual', '>': 'greater', '>=': 'greaterOrEqual' } as const;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function comparison(operator: ComparisonOperator, left: Code, right: Code, module: Module): Code {
  if (operator === '==' || operator === '!=') return equality(operator, left, right, module);
  if (left.type === 'number' && right.type === 'number') return binary(operator, left, right);
  return {
    text: `${module.runtime(helpers[operator])}(${argument(left)}, ${argument(right)})`,
    type: 'boolean',
  };
}

function equality(operator: '==' | '!=', left: Code, right: Code, module: Module): Code {
  // `news == null` asks whether there are entries.
  const size = right.type === 'null' ? left.size : left.type === 'null' ? right.size : undefined;
  if (size !== undefined) {
    return { text: `${operand(size)} ${operator === '==' ? '===' : '>'} 0`, type: 'boolean', compound: true };
  }
  // A value that may be undefined where the language says null.
  if (left.loose !== undefined && right.type === 'null') {
    return { text: `${left.loose} ${operator} null`, type: 'boolean', compound: true };
  }
  if (isIdentity(left, right)) return binary(`${operator}=`, left, right);
  const not = operator === '!=' ? '!' : '';
  return { text: `${not}${module.runtime('equal')}(${argument(left)}, ${argument(right)})`, type: 'boolean' };
}

/** True when equality of the language is identity of JavaScript values. */
function isIdentity(left: Code, right: Code): boolean {
  // TypeScript does not take an identity of two different constants.
  if (left.constant !== undefined && right.constant !== undefined) return false;
  // A variable that was compared with null would be nothing but null for TypeScript in all that follows.
  if ([left, right].some(({ type }) => type === 'rows' || type === 'row')) return false;
  if (left.type === 'null' || right.type === 'null') return true;
  if ([left, right].every(({ type }) => type === 'number' || type === 'status')) return true;
  if (left.type === right.type && ['number', 'text', 'boolean'].includes(left.type)) return true;
  return (left.type === 'json' && isPlainText(right)) || (right.type === 'json' && isPlainText(left));
}

/** A constant text that is equal to itself only: neither a number's text nor true or false. */
function isPlainText({ constant }: Code): boolean {
  return (
    typeof constant === 'string' && !jsonNumber.test(constant) && constant !== 'true' && constant !== 'false'
  );
}

function binary(operator: string, left: Code, right: Code): Code {
  return { text: `${operand(left)} ${operator} ${operand(right)}`, type: 'boolean', compound: true };
}
