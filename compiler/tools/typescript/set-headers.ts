/** Headers that a module sets on requests. */
import { nodesIn, valueOf } from './module-tree.js';
import { typescript, type ts as types } from './load-typescript.js';

/**
 * Finds `….headers.user = …` and `….headers['x-user'] = …`, also with a constant of the module, and fields of objects that become headers.
 */
export function headersSetIn(file: types.SourceFile): string[] {
  return nodesIn(file).flatMap(setBy);
}

function setBy(node: types.Node): readonly string[] {
  const ts = typescript();
  if (ts.isCallExpression(node)) {
    const [target, ...objects] = node.arguments;
    const isAssign = node.expression.getText().replaceAll(/\s/g, '') === 'Object.assign';
    return isAssign && target !== undefined && isHeaders(target) ? objects.flatMap(fieldsOf) : [];
  }
  if (!ts.isBinaryExpression(node) || !isAssignment(node.operatorToken.kind)) return [];
  const { left, right } = node;
  if (isHeaders(left)) return fieldsOf(right);
  if (ts.isPropertyAccessExpression(left)) return isHeaders(left.expression) ? [left.name.text] : [];
  return ts.isElementAccessExpression(left) && isHeaders(left.expression)
    ? textsOf(left.argumentExpression)
    : [];
}

function isAssignment(kind: types.SyntaxKind): boolean {
  const { EqualsToken, BarBarEqualsToken, QuestionQuestionEqualsToken } = typescript().SyntaxKind;
  return [EqualsToken, BarBarEqualsToken, QuestionQuestionEqualsToken].some((one) => one === kind);
}

/** Whether an expression is the headers of something other than a response. */
function isHeaders(expression: types.Expression): boolean {
  const ts = typescript();
  const value = valueOf(expression);
  const name = lastName(value);
  if (name !== 'headers') return false;
  if (!ts.isPropertyAccessExpression(value) && !ts.isElementAccessExpression(value)) return true;
  return !/^res(?:ponse)?$/.test(lastName(valueOf(value.expression)) ?? '');
}

/** The name of a variable, or of the accessed member. */
function lastName(value: types.Expression): string | undefined {
  const ts = typescript();
  if (ts.isIdentifier(value)) return value.text;
  if (ts.isPropertyAccessExpression(value)) return value.name.text;
  return ts.isElementAccessExpression(value) ? textsOf(value.argumentExpression)[0] : undefined;
}

function textsOf(expression: types.Expression): string[] {
  const value = valueOf(expression);
  return typescript().isStringLiteralLike(value) ? [value.text] : [];
}

function fieldsOf(expression: types.Expression): string[] {
  const ts = typescript();
  const value = valueOf(expression);
  if (!ts.isObjectLiteralExpression(value)) return [];
  return value.properties.flatMap(({ name }) => {
    if (name === undefined) return [];
    if (ts.isComputedPropertyName(name)) return textsOf(name.expression);
    return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? [name.text] : [];
  });
}
