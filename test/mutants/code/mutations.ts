/** Generates small mistakes that a programmer could make in a source file: each changes one expression or empties one block. */
import { ts } from 'ts-morph';

export interface Mutation {
  /** The range of the replaced text. */
  readonly start: number;
  readonly end: number;
  /** The replacement; undefined if a block is emptied. */
  readonly text: string | undefined;
}

const { SyntaxKind } = ts;

/** Similar operators that replace an operator. */
const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '+=': ['-='],
  '-=': ['+='],
  '??=': ['='],
};

/** The replacements of methods; an empty string removes the call. */
const methods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  min: 'max',
  max: 'min',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  trim: '',
  slice: '',
  filter: '',
  sort: '',
  toSorted: '',
  reverse: '',
  toReversed: '',
};

/** All mutations of the text, in source order. */
export function mutationsOf(path: string, text: string): Mutation[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const found: Mutation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    if (isLeftAlone(node)) return;
    for (const replacement of replacementsOf(node, source))
      found.push({ start: node.getStart(source), end: node.getEnd(), text: replacement });
    node.forEachChild(visit);
  };
  visit(source);
  return found.sort((one, other) => one.start - other.start || one.end - other.end);
}

/** Type declarations, imports and exports, and code needed only by the type checker or for internal errors. */
function isLeftAlone(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  // The message of an internal error names a broken invariant, which tests cannot break.
  return ts.isNewExpression(node) && node.expression.getText() === 'Error';
}

function replacementsOf(node: ts.Node, source: ts.SourceFile): (string | undefined)[] {
  if (ts.isBlock(node)) return isEmptied(node) ? [undefined] : [];
  if (!ts.isExpression(node) || !isValue(node)) return [];
  const conditions = isCondition(node) ? ['true', 'false'] : [];
  // An endless loop would prove nothing.
  const isOfLoop = ts.isWhileStatement(node.parent) || ts.isForStatement(node.parent);
  return [...conditions.filter((text) => !isOfLoop || text === 'false'), ...changed(node, source)];
}

function isEmptied(block: ts.Block): boolean {
  if (block.statements.length === 0 || ts.isConstructorDeclaration(block.parent)) return false;
  // A block that only throws is for internal errors, too.
  const [only] = block.statements;
  return !(block.statements.length === 1 && only !== undefined && ts.isThrowStatement(only));
}

/** Whether the expression is used as a value. */
function isValue(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent) || ts.isMethodDeclaration(parent))
    return parent.name !== node;
  // `import('x')`: modules are resolved before anything runs.
  if (ts.isCallExpression(parent) && parent.expression.kind === SyntaxKind.ImportKeyword) return false;
  if (
    ts.isPropertyAccessExpression(parent) ||
    ts.isCallExpression(parent) ||
    ts.isElementAccessExpression(parent)
  )
    // Inside an optional chain, only the whole chain is a value.
    return !(parent.expression === node && ts.isOptionalChain(parent)) && !isThisOfCall(node);
  if (ts.isBinaryExpression(parent) && parent.left === node) return !isAssignment(parent.operatorToken.kind);
  if (ts.isForOfStatement(parent) || ts.isForInStatement(parent)) return parent.initializer !== node;
  if (ts.isDeleteExpression(parent) || ts.isTaggedTemplateExpression(parent)) return false;
  if (ts.isLiteralTypeNode(parent) || ts.isExternalModuleReference(parent)) return false;
  // Assignments used as statements are not removed, and directives are not expressions.
  return !(ts.isExpressionStatement(parent) && ts.isStringLiteral(node));
}

/** `object.method` in `object.method()`: wrapping it in another expression would lose `this`. */
function isThisOfCall(node: ts.Expression): boolean {
  return ts.isCallExpression(node.parent) && node.parent.expression === node;
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
}

function isCondition(node: ts.Expression): boolean {
  const { parent } = node;
  if (node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword) return false;
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node;
  if (ts.isConditionalExpression(parent) || ts.isForStatement(parent)) return parent.condition === node;
  return false;
}

function changed(node: ts.Expression, source: ts.SourceFile): string[] {
  const textOf = (part: ts.Node): string => part.getText(source);
  if (ts.isBinaryExpression(node)) return otherOperators(node, textOf);
  if (ts.isPrefixUnaryExpression(node)) return otherPrefix(node, textOf);
  if (ts.isPostfixUnaryExpression(node))
    return [`${textOf(node.operand)}${node.operator === SyntaxKind.PlusPlusToken ? '--' : '++'}`];
  if (node.kind === SyntaxKind.TrueKeyword) return ['false'];
  if (node.kind === SyntaxKind.FalseKeyword) return ['true'];
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return isForTypes(node) ? [] : [node.text === '' ? "'mutant'" : "''"];
  if (ts.isTemplateExpression(node)) return ["''"];
  if (ts.isRegularExpressionLiteral(node)) return otherPatterns(node.text);
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0 ? [] : ['[]'];
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return ['(() => undefined)'];
  if (ts.isCallExpression(node)) return otherCalls(node, textOf);
  return [];
}

function otherOperators(node: ts.BinaryExpression, textOf: (part: ts.Node) => string): string[] {
  const operator = textOf(node.operatorToken);
  // Subtracting strings would be too obvious a mistake.
  if ((operator === '+' || operator === '+=') && [node.left, node.right].some(isText)) return [];
  if (operator === '??' && isForTypes(node.right)) return [];
  // `a ?? b` next to `||` needs parentheses.
  const [left, right] = [node.left, node.right].map((side) => `(${textOf(side)})`);
  const target = isAssignment(node.operatorToken.kind) ? textOf(node.left) : left;
  return (operators[operator] ?? []).map((other) => `${target} ${other} ${right}`);
}

function isText(node: ts.Expression): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** The default for an array element that always exists, needed only by the type checker. */
function isForTypes(node: ts.Expression): boolean {
  const { parent } = node;
  if (!ts.isBinaryExpression(parent) || parent.right !== node) return false;
  if (parent.operatorToken.kind !== SyntaxKind.QuestionQuestionToken) return false;
  const isLiteral =
    ts.isStringLiteral(node) || ts.isNumericLiteral(node) || ts.isArrayLiteralExpression(node);
  const isElement = ts.isElementAccessExpression(parent.left) || /\.at\(-?\d+\)$/.test(parent.left.getText());
  return isLiteral && isElement;
}

function otherPrefix(node: ts.PrefixUnaryExpression, textOf: (part: ts.Node) => string): string[] {
  const operand = textOf(node.operand);
  switch (node.operator) {
    case SyntaxKind.ExclamationToken:
      return [`!!(${operand})`];
    case SyntaxKind.MinusToken:
      return [`+(${operand})`];
    case SyntaxKind.PlusPlusToken:
      return [`--${operand}`];
    case SyntaxKind.MinusMinusToken:
      return [`++${operand}`];
    default:
      return [];
  }
}

function otherCalls(node: ts.CallExpression, textOf: (part: ts.Node) => string): string[] {
  const called = node.expression;
  const others: string[] = [];
  if (ts.isPropertyAccessExpression(called)) {
    const other = Object.hasOwn(methods, called.name.text) ? methods[called.name.text] : undefined;
    const object = textOf(called.expression);
    const dot = called.questionDotToken === undefined ? '.' : '?.';
    if (other === '') others.push(object);
    else if (other !== undefined)
      others.push(`${object}${dot}${other}(${node.arguments.map(textOf).join(', ')})`);
  }
  // A call whose result is unused is removed.
  if (ts.isExpressionStatement(node.parent)) others.push('undefined');
  return others;
}

const classes: Readonly<Record<string, string>> = {
  ...{ '\\d': '\\D', '\\w': '\\W', '\\s': '\\S', '\\b': '\\B' },
  ...{ '\\D': '\\d', '\\W': '\\w', '\\S': '\\s', '\\B': '\\b' },
  ...{ '[^': '[', '[': '[^', '^': '', $: '', '*': '', '+': '', '?': '' },
};

/** The pattern with one anchor, class or repetition removed or inverted, if the result is a valid pattern. */
function otherPatterns(literal: string): string[] {
  const end = literal.lastIndexOf('/');
  const [pattern, flags] = [literal.slice(1, end), literal.slice(end + 1)];
  const tokens: string[] =
    pattern.match(/\[\^|\(\?(?:<?[=!]|:|<\w+>)|\\u\{\w+\}|\\[pP]\{[^}]*\}|\\.|[^]/g) ?? [];
  let isInClass = false;
  const others: string[] = [];
  tokens.forEach((token, at) => {
    const isBegin = !isInClass && token.startsWith('[');
    const other = isInClass && !token.startsWith('\\') ? undefined : classes[token];
    if (isBegin) isInClass = true;
    else if (token === ']') isInClass = false;
    if (other !== undefined && isPattern(tokens.with(at, other).join(''), flags))
      others.push(`/${tokens.with(at, other).join('')}/${flags}`);
  });
  return others;
}

function isPattern(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return pattern !== '';
  } catch {
    return false;
  }
}
