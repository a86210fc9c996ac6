/** The shape of a module: the kinds of its syntax nodes, without the content of strings and names. */
import { ts } from 'ts-morph';

/** Two modules of one shape do the same with other constants. How a property is written (`.a`, `['a']`) makes no difference. */
export function shapeOf(code: string): string {
  const source = ts.createSourceFile('module.ts', code, ts.ScriptTarget.ES2023, true);
  const diagnostics: unknown = Reflect.get(source, 'parseDiagnostics');
  if (Array.isArray(diagnostics) && diagnostics.length > 0) throw new Error(`This does not parse:\n${code}`);
  return source.statements.map(shape).join('\n');
}

function shape(node: ts.Node): string {
  if (ts.isImportDeclaration(node)) return importShape(node);
  if (isText(node)) return 'text';
  if (ts.isIdentifier(node)) return 'name';
  if (ts.isPropertyAccessExpression(node)) return `${shape(node.expression)}${optional(node)}.text`;
  if (ts.isElementAccessExpression(node) && isText(node.argumentExpression))
    return `${shape(node.expression)}${optional(node)}.text`;
  // The statement itself decides whether it may be sent again.
  if (ts.isPropertyAssignment(node) && node.getText() === 'retry: false') return '';
  if (ts.isPropertyAssignment(node)) return `text: ${shape(node.initializer)}`;
  if (ts.isPropertySignature(node) && isName(node.name))
    return `text${node.questionToken === undefined ? '' : '?'}: ${node.type === undefined ? '' : shape(node.type)}`;
  if (ts.isShorthandPropertyAssignment(node)) return 'text: name';
  // A short consequence is on the line of its condition, a long one in braces.
  if (ts.isIfStatement(node)) {
    const { thenStatement, elseStatement } = node;
    const then = ts.isBlock(thenStatement) ? [...thenStatement.statements] : [thenStatement];
    const parts = [node.expression, ...then, ...(elseStatement === undefined ? [] : [elseStatement])];
    return `If(${parts.map(shape).join(' ')})`;
  }
  const children: string[] = [];
  node.forEachChild((child) => {
    const text = shape(child);
    if (text !== '') children.push(text);
  });
  return `${ts.SyntaxKind[node.kind]}(${children.join(' ')})`;
}

/** A constant text, also one over several lines. */
function isText(node: ts.Node): boolean {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return true;
  return ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql' && isText(node.template);
}

function isName(name: ts.PropertyName): boolean {
  return ts.isIdentifier(name) || ts.isStringLiteral(name);
}

function optional(node: {
  readonly questionDotToken?: ts.Token<ts.SyntaxKind.QuestionDotToken> | undefined;
}): string {
  return node.questionDotToken === undefined ? '' : '?';
}

/** Modules of the service and its runtime alone are imported. */
function importShape(node: ts.ImportDeclaration): string {
  const from = ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : '';
  return /^(?:@apikiln\/runtime(?:\/[a-z-]+)?|\.\.?\/(?:datasources|operations\/[a-z0-9-]+)\.js)$/.test(from)
    ? 'import'
    : `import ${from}`;
}
