/**
 * Arithmetic in LIMIT and OFFSET on MySQL, which accepts only numbers and parameters there: the service calculates it, and the statement
 * has one parameter (docs/design/sql.md#sql-2.15).
 */
import type { Arithmetic, Expression } from '../../expression/ast.js';
import type { ScalarText } from '../../source.js';
import type { Token } from '../lexer/token.js';
import { unwrapped, type SqlNode, type SqlTree } from '../parse/tree.js';

/** The tokens with each calculated number of rows as one placeholder; undefined if there are none. Indexes of tokens stay the same. */
export function withRowCounts(
  text: ScalarText,
  tokens: readonly Token[],
  tree: SqlTree,
): readonly Token[] | undefined {
  const replaced = [...tokens];
  let isFound = false;
  for (const node of tree.nodes) {
    if (node.kind !== 'clause' || (node.name !== 'LIMIT' && node.name !== 'OFFSET')) continue;
    for (const count of node.children) {
      if (count.kind !== 'operation' && count.kind !== 'parentheses') continue;
      const expression = valueOf(count, text, tree);
      const [first, last] = [tree.items[count.first], tree.items[count.last]];
      if (expression === undefined || first === undefined || last === undefined) continue;
      isFound = true;
      const [start, end] = [first.token.start, last.token.end];
      replaced[first.index] = {
        kind: 'placeholder',
        text: text.value.slice(start, end),
        start,
        end,
        expression,
      };
      // Empty tokens at the beginning of the text, where no line break is restored.
      replaced.fill({ kind: 'space', text: '', start: 0, end: 0 }, first.index + 1, last.index + 1);
    }
  }
  return isFound ? replaced : undefined;
}

/** The calculated value; undefined if it consists of anything but integers, placeholders, `+`, `-` and `*`. */
function valueOf(written: SqlNode, text: ScalarText, tree: SqlTree): Expression | undefined {
  const node = unwrapped(written);
  switch (node.kind) {
    case 'placeholder':
      return node.expression;
    case 'number': {
      const item = tree.items[node.first];
      const digits = item?.token.text ?? '';
      if (item === undefined || !/^[0-9]{1,15}$/.test(digits)) return undefined;
      return { kind: 'number', value: Number(digits), span: text.spanOf(item.token.start, item.token.end) };
    }
    case 'operation': {
      const { operator, operands, isPrefix } = node;
      if (isPrefix || operands.length !== 2 || !isOperator(operator)) return undefined;
      const [left, right] = operands.map((operand) => valueOf(operand, text, tree));
      if (left === undefined || right === undefined) return undefined;
      const [first, last] = [tree.items[node.first], tree.items[node.last]];
      const span = text.spanOf(first?.token.start ?? 0, last?.token.end ?? text.value.length);
      return { kind: 'arithmetic', operator, left, right, span };
    }
    default:
      return undefined;
  }
}

function isOperator(operator: string): operator is Arithmetic['operator'] {
  return operator === '+' || operator === '-' || operator === '*';
}
