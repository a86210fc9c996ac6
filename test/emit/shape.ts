/** The shape of a module: the kinds of its syntax nodes, without the contents of strings and names. */
import { ts } from 'ts-morph';

/** Modules of the same shape differ only in constants. The notation of property accesses (`.a`, `['a']`) is ignored. */
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
  // `retry` depends on the SQL of the statement, so it is ignored.
  if (ts.isPropertyAssignment(node) && node.getText() === 'retry: false') return '';
  if (ts.isPropertyAssignment(node)) return `text: ${shape(node.initializer)}`;
  if (ts.isPropertySignature(node) && isName(node.name))
    return `text${node.questionToken === undefined ? '' : '?'}: ${node.type === undefined ? '' : shape(node.type)}`;
  if (ts.isShorthandPropertyAssignment(node)) return 'text: name';
  // The formatter puts a short branch on the line of the condition and a long one in braces.
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

/** A constant string, possibly over several lines. */
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

/** Imports of the service's modules and its runtime have the same shape; other imports differ. */
function importShape(node: ts.ImportDeclaration): string {
  const from = ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : '';
  return /^(?:@apikiln\/runtime(?:\/[a-z-]+)?|\.\.?\/(?:datasources|operations\/[a-z0-9-]+)\.js)$/.test(from)
    ? 'import'
    : `import ${from}`;
}
