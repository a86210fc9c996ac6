/** Finds constants of the expression language in SQL without `:[ ]`, where they are not functions. */
import type { Expression } from '../../../read/expression/ast.js';
import { constantFunctions } from '../../../read/expression/functions.js';
import { tryExpression } from '../../../read/expression/parse/parse.js';
import { wholeText } from '../../../read/source.js';
import type { SqlText } from '../../../read/sql/sql-text.js';
import type { Token } from '../../../read/sql/lexer/token.js';
import { wordSet } from '../../../read/wordset.js';

/** A range of SQL that was meant as a placeholder, and its replacement. */
export interface Foreign {
  readonly start: number;
  readonly end: number;
  readonly rewrite: string;
}

/** `INTEGER(5)`, `TEXT(open)` and similar constants in operand position. `NULL()` is wrong everywhere. */
export function bareConstantAt(
  { text: { value }, dialect }: SqlText,
  tokens: readonly Token[],
  index: number,
): Foreign | undefined {
  const name = tokens[index];
  if (name === undefined || !constants.has(name.text)) return undefined;
  // PostgreSQL has a function of this name that casts to text.
  if (name.text === 'TEXT' && dialect === 'postgresql') return undefined;
  const end = closeOf(tokens, index + 1);
  if (end === undefined || (name.text !== 'NULL' && !beginsOperand(tokens, index))) return undefined;
  const rewrite = literalOf(tryExpression(wholeText('', value.slice(name.start, end)), 'A'));
  // A constant preceded by its type: `DECIMAL(5) '1.5'`.
  if (rewrite === undefined || /^\s*['":]/.test(value.slice(end, end + 20))) return undefined;
  return { start: name.start, end, rewrite };
}

const constants = new Set(constantFunctions);

const beforeOperand = wordSet('WHERE AND OR NOT ON HAVING SELECT THEN ELSE WHEN BETWEEN LIKE LIMIT OFFSET');

/**
 * Whether the token follows an operator, parenthesis, comma or keyword that precedes operands. Types, as in CONVERT or in column
 * definitions, are excluded.
 */
function beginsOperand(tokens: readonly Token[], index: number): boolean {
  const before = tokens.slice(0, index).filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const last = before.at(-1);
  if (last === undefined || !statements.has(before[0]?.text.toUpperCase() ?? '')) return false;
  if (before.some(({ text }) => text.toUpperCase() === 'CONVERT')) return false;
  if (/^(?:[=<>!]+|[-+*/%(,]|\|\|)$/.test(last.text)) return true;
  return last.kind === 'word' && beforeOperand.has(last.text.toUpperCase());
}

const statements = wordSet('SELECT INSERT UPDATE DELETE REPLACE WITH VALUES MERGE');

/** The constant in SQL notation. */
function literalOf(expression: Expression | undefined): string | undefined {
  switch (expression?.kind) {
    case 'text':
      return `'${expression.value.replaceAll("'", "''")}'`;
    case 'number':
    case 'boolean':
      return String(expression.value);
    case 'null':
      return 'NULL';
    default:
      return undefined;
  }
}

/** The end of the next pair of parentheses; undefined if there is none. */
export function closeOf(tokens: readonly Token[], from: number): number | undefined {
  let depth = 0;
  for (let index = from; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    if (token.text === '(') depth += 1;
    else if (token.text === ')') depth -= 1;
    else if (depth === 0 && token.kind !== 'space') return undefined;
    if (depth === 0 && token.text === ')') return token.end;
    if (depth < 0) return undefined;
  }
  return undefined;
}
