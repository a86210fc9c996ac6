/** Environment variables that user code reads by name. */
import type { Source } from '../../read/source.js';
import { nodesIn, propertiesRead, treeOf, valueOf } from './module-tree.js';
import { typescript, type ts as types } from './load-typescript.js';

/** Variables read as a member of `env`, as `env['NAME']`, or with a pattern (`{ NAME }`). */
export function variablesIn(files: readonly Source[]): ReadonlySet<string> {
  return new Set(files.flatMap((file) => nodesIn(treeOf(file)).flatMap(readBy)));
}

function readBy(node: types.Node): string[] {
  const ts = typescript();
  if (ts.isPropertyAccessExpression(node)) return isEnvironment(node.expression) ? [node.name.text] : [];
  if (ts.isElementAccessExpression(node)) {
    const name = valueOf(node.argumentExpression);
    return isEnvironment(node.expression) && ts.isStringLiteralLike(name) ? [name.text] : [];
  }
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return [];
  if (node.initializer === undefined || !isEnvironment(node.initializer)) return [];
  return propertiesRead(node.name);
}

/** Whether the expression is the `env` of `process`, or a constant with this value. */
function isEnvironment(expression: types.Expression): boolean {
  const ts = typescript();
  const value = valueOf(expression);
  if (!ts.isPropertyAccessExpression(value) || value.name.text !== 'env') return false;
  const { expression: owner } = value;
  return (ts.isPropertyAccessExpression(owner) ? owner.name : owner).getText() === 'process';
}
