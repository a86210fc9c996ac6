/** The TypeScript syntax tree of a user module. Invalid code has a tree as well. */
import type { Source } from '../../read/source.js';
import { typescript, type ts as types } from './load-typescript.js';

/** Trees by path, cached because an editor asks for the same modules after each keystroke. */
const trees = new Map<string, types.SourceFile>();

/** Returns the same tree for the same text. A module nested too deeply to be parsed gets a tree without statements. */
export function treeOf({ path, text }: Source): types.SourceFile {
  const known = trees.get(path);
  if (known?.text === text) return known;
  const tree = parsed(path, text) ?? parsed(path, '');
  if (tree === undefined) throw new Error(`TypeScript cannot read an empty ${path}.`);
  trees.set(path, tree);
  return tree;
}

function parsed(path: string, text: string): types.SourceFile | undefined {
  const { createSourceFile, ScriptTarget } = typescript();
  try {
    return createSourceFile(path, text, ScriptTarget.ES2023, true);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The node and all its descendants, without recursion: a sum of thousands of operands is thousands of levels deep. */
export function nodesIn(root: types.Node): types.Node[] {
  const { forEachChild } = typescript();
  const nodes: types.Node[] = [root];
  // The list grows while it is iterated.
  for (const node of nodes) forEachChild(node, (child) => void nodes.push(child));
  return nodes;
}

/** The expression without type assertions; for a constant, its value. */
export function valueOf(expression: types.Expression): types.Expression {
  const ts = typescript();
  let value = expression;
  // A constant may mistakenly be defined by itself.
  const seen = new Set<types.Expression>();
  for (;;) {
    const next = isAsserted(value)
      ? value.expression
      : ts.isIdentifier(value)
        ? constantOf(value)
        : undefined;
    if (next === undefined || seen.has(next)) return value;
    seen.add(next);
    value = next;
  }
}

function isAsserted(
  node: types.Expression,
): node is
  types.AsExpression | types.SatisfiesExpression | types.NonNullExpression | types.ParenthesizedExpression {
  const ts = typescript();
  return (
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isParenthesizedExpression(node)
  );
}

/** The value of a constant in a block that encloses the name; undefined for other names. */
function constantOf(name: types.Identifier): types.Expression | undefined {
  const ts = typescript();
  for (let around: types.Node = name.parent; ; around = around.parent) {
    const declared = declarationsIn(around).find((one) =>
      boundNames(one.name).some(({ text }) => text === name.text),
    );
    if (declared !== undefined) {
      const isConstant = ts.isIdentifier(declared.name) && (declared.parent.flags & ts.NodeFlags.Const) !== 0;
      return ts.isVariableDeclaration(declared) && isConstant ? declared.initializer : undefined;
    }
    if (ts.isSourceFile(around)) return undefined;
  }
}

/** The declarations of a function or block: its parameters or its variables. */
function declarationsIn(
  node: types.Node,
): readonly (types.VariableDeclaration | types.ParameterDeclaration)[] {
  const ts = typescript();
  if (ts.isFunctionLike(node)) return node.parameters.filter((one) => ts.isParameter(one));
  if (!ts.isBlock(node) && !ts.isSourceFile(node)) return [];
  return node.statements.flatMap((statement) =>
    ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : [],
  );
}

/** The names that a declaration binds: `price`, or `{ price, tax: [first] }`. */
export function boundNames(name: types.BindingName): types.Identifier[] {
  const ts = typescript();
  if (ts.isIdentifier(name)) return [name];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}

/** The properties that a pattern reads: `a` and `b` in `{ a, b: c, ...others }`. */
export function propertiesRead({ elements }: types.ObjectBindingPattern): string[] {
  const ts = typescript();
  return elements.flatMap(({ dotDotDotToken, propertyName, name }) => {
    const read = propertyName ?? name;
    if (dotDotDotToken !== undefined) return [];
    return ts.isIdentifier(read) || ts.isStringLiteral(read) ? [read.text] : [];
  });
}
