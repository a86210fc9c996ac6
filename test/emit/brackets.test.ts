/** The printer of the code tree: TypeScript parses its output to the same tree, whatever the nesting. */
import { ts } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { printModule } from '../../compiler/generate/code/print.js';
import * as tree from '../../compiler/generate/code/code.js';
import type { Code, Operator, Statement } from '../../compiler/generate/code/code.js';
import { formatTypeScript } from '../../compiler/generate/emit/module/format.js';

const [a, b, c] = [tree.name('a'), tree.name('b'), tree.name('c')];
const operators: readonly Operator[] = [
  ...(['=', '??', '||', '&&', '==', '!=', '===', '!=='] as const),
  ...(['<', '<=', '>', '>=', '+', '-', '*'] as const),
];

/** A sample expression of each kind. */
const samples: Readonly<Record<string, Code>> = {
  name: a,
  text: tree.literal("it's"),
  number: tree.literal(1.5),
  negative: tree.literal(-1),
  null: tree.nothing,
  template: tree.template(['a', b, '`${']),
  tagged: tree.template(['a ', b], tree.name('sql')),
  member: tree.member(a, 'b'),
  quoted: tree.member(a, 'b c'),
  optional: tree.member(a, 'b', true),
  entry: tree.member(a, 0, true),
  chain: tree.member(tree.member(a, 'b', true), 'c'),
  call: tree.call(a, b),
  method: tree.call(tree.member(a, 'b', true), c),
  new: tree.create(a, b),
  'new with types': tree.create(tree.generic(a, tree.name('B')), c),
  'call with types': tree.call(tree.generic(a, tree.name('B')), c),
  import: tree.importOf('./a.js'),
  not: tree.not(a),
  await: tree.wait(a),
  conditional: tree.choose(a, b, c),
  function: tree.arrow([tree.parameter('a')], b),
  'function of an object': tree.arrow([], tree.object([tree.field('a', b)])),
  'function of statements': tree.arrow([], [tree.returns(a)]),
  'function that waits': tree.arrow([], tree.wait(a)),
  object: tree.object([tree.field('a', a), tree.field('b', c)]),
  'empty object': tree.object([]),
  'object on lines': tree.tallObject([tree.comment('a'), tree.field('__proto__', a)]),
  list: tree.array([a, b]),
  ...Object.fromEntries(operators.map((operator) => [operator, tree.binary(operator, a, b)])),
};

/** Each position at which an expression can occur. */
const places: Readonly<Record<string, (inner: Code) => Code | Statement>> = {
  'object of a member': (inner) => tree.member(inner, 'd'),
  'object of an optional member': (inner) => tree.member(inner, 'd', true),
  'object of an entry': (inner) => tree.member(inner, 0),
  callee: (inner) => tree.call(inner, c),
  argument: (inner) => tree.call(c, inner, inner),
  'callee of new': (inner) => tree.create(inner, c),
  'argument of new': (inner) => tree.create(c, inner),
  'operand of not': (inner) => tree.not(inner),
  'operand of await': (inner) => tree.wait(inner),
  'value in a template': (inner) => tree.template(['`', inner, '$', inner, '']),
  test: (inner) => tree.choose(inner, c, c),
  'first branch': (inner) => tree.choose(c, inner, c),
  'second branch': (inner) => tree.choose(c, c, inner),
  'body of a function': (inner) => tree.arrow([], inner),
  'value of a field': (inner) => tree.object([tree.field('d', inner)]),
  item: (inner) => tree.array([inner, inner]),
  ...Object.fromEntries(
    operators.flatMap((operator) => [
      ...(operator === '='
        ? []
        : [[`left of ${operator}`, (inner: Code) => tree.binary(operator, inner, c)] as const]),
      [`right of ${operator}`, (inner: Code) => tree.binary(operator, c, inner)] as const,
    ]),
  ),
  statement: (inner) => tree.run(inner),
  'value of a variable': (inner) => tree.constant(c, inner),
  'value of return': (inner) => tree.returns(inner),
  'value of throw': (inner) => tree.throws(inner),
  'test of if': (inner) => tree.flatWhen(inner, tree.leave),
  'statement of try': (inner) => tree.attempt([tree.run(inner)], a, [tree.throws(inner)]),
  'list of for': (inner) => tree.forOf(c, inner, [tree.leave]),
};

type Shape = string | readonly (Shape | undefined)[];

test.each(Object.entries(places))('every expression as %s', async (_place, into) => {
  await expectShapes(Object.values(samples).map(into));
});

test('three operators in each other, in every order', async () => {
  // TypeScript parses `a < b > (c)` as a call with type arguments, but generated code never nests `<` and `>`.
  const of: readonly Operator[] = ['??', '||', '&&', '===', '<'];
  const codes = operators.flatMap((first) =>
    of.flatMap((second) =>
      of.flatMap((third) => {
        const inner = tree.binary(third, b, c);
        return [
          tree.binary(first, a, tree.binary(second, tree.not(inner), inner)),
          tree.binary(second, tree.binary(second, inner, tree.wait(inner)), inner),
          tree.binary(second, tree.choose(inner, inner, inner), tree.member(inner, 'd', true)),
        ];
      }),
    ),
  );
  await expectShapes(codes);
});

test('patterns are declared and assigned', async () => {
  const pattern = tree.object([tree.field('rows', tree.name('rows')), tree.field('next', c)]);
  await expectShapes([
    tree.run(tree.assign(pattern, tree.wait(a))),
    tree.run(tree.assign(tree.array([undefined, a]), b)),
    tree.constant(pattern, a),
    tree.forOf(tree.array([undefined, a]), b, [tree.run(a)], true),
  ]);
});

test('an else after an if without braces belongs to the outer if', async () => {
  const inner = tree.flatWhen(b, tree.throws(c), 'if short');
  await expectShapes([
    tree.when(a, [inner], tree.block([tree.leave])),
    tree.when(a, [inner], tree.when(b, [tree.leave], tree.block([tree.leave]))),
  ]);
});

/** Whether a value of the type can be used as code. */
type IsCode<T> = T extends Code ? true : false;

test('neither a string nor an object that resembles a node compiles as code, and a name is one name', () => {
  const compile: readonly [IsCode<string>, IsCode<{ kind: 'name'; name: string }>, IsCode<typeof a>] = [
    ...([false, false, true] as const),
  ];
  expect(compile).toEqual([false, false, true]);
  for (const text of ['', 'a b', 'a.b', 'a ?? b', 'a()', '1a', 'a\n', "'a'", 'a;b', '`a`'])
    expect(() => tree.name(text), text).toThrow('is no name');
});

describe('types', () => {
  const [text, row] = [tree.name('string'), tree.generic(tree.name('Row'), tree.literal('id'))];
  test.each([
    [tree.listType(tree.union(text, tree.name('null'))), '(string | null)[]'],
    [tree.listType(tree.listType(row)), 'Row<"id">[][]'],
    [tree.union(tree.listType(text), tree.name('null')), 'string[] | null'],
    [tree.union(text), 'string'],
    [tree.union(row, tree.typeOf(a)), 'Row<"id"> | typeof a'],
    [tree.listType(tree.recordType([{ key: 'a', type: text }])), '{\na: string;\n}[]'],
    [tree.recordType([{ key: 'a-b', type: row, isOptional: true }]), '{\n"a-b"?: Row<"id">;\n}'],
  ])('%#', (type, expected) => {
    expect(printModule([[tree.declareType('A', type)]])).toBe(`type A = ${expected};\n`);
  });
});

/** Checks that printing and formatting preserve the shapes of the trees. */
async function expectShapes(codes: readonly (Code | Statement)[]): Promise<void> {
  const statements = codes.map((code) => (isCode(code) ? tree.run(tree.assign(tree.name('x'), code)) : code));
  const shapes = statements.map((statement) => shapeOf(statement));
  const texts = statements.map((statement) => printModule([[statement]]));
  // In a script, `await` would be a name, so make the text a module.
  const whole = `${texts.join('')}export {};\n`;
  for (const [index, shape] of shapesIn(whole).entries()) expect(shape, texts[index]).toEqual(shapes[index]);
  const formatted = shapesIn(await formatTypeScript(whole));
  expect(formatted).toHaveLength(shapes.length);
  for (const [index, shape] of formatted.entries())
    expect(leftward(shape), texts[index]).toEqual(leftward(shapes[index]));
}

/** Normalizes `a && (b && c)`, which the formatter writes as `a && b && c`. */
function leftward(shape: Shape | undefined): Shape | undefined {
  if (shape === undefined || typeof shape === 'string') return shape;
  const [operator, left, right] = shape.map(leftward);
  const isLogical = operator === '&&' || operator === '||' || operator === '??';
  if (isLogical && Array.isArray(right) && right[0] === operator)
    return leftward([operator, [operator, left, right[1]], right[2]]);
  return shape.map(leftward);
}

function isCode(code: Code | Statement): code is Code {
  return !['run', 'declaration', 'return', 'throw', 'if', 'for', 'try', 'block', 'break'].includes(code.kind);
}

/** The shape of a tree, ignoring choices of the printer. */
function shapeOf(code: Code | Statement): Shape {
  switch (code.kind) {
    case 'name':
      return code.name;
    case 'literal':
      return ['literal', String(code.value), typeof code.value];
    case 'template':
      return ['template', code.tag && shapeOf(code.tag), ...shapesOfParts(code.parts)];
    case 'member':
      return ['member', shapeOf(code.object), String(code.key), code.isOptional ? '?.' : '.'];
    case 'call':
      return [code.isNew ? 'new' : 'call', shapeOf(code.callee), ...code.args.map(shapeOf)];
    case 'generic':
      return shapeOf(code.of);
    case 'prefixed':
      return [code.operator, shapeOf(code.operand)];
    case 'binary':
      return [code.operator, shapeOf(code.left), shapeOf(code.right)];
    case 'conditional':
      return ['?', shapeOf(code.test), shapeOf(code.then), shapeOf(code.otherwise)];
    case 'arrow':
      return [code.isAsync ? 'async' : '=>', ...(isList(code.body) ? code.body : [code.body]).map(shapeOf)];
    case 'object':
      return [
        'object',
        ...code.fields.flatMap((one) =>
          one.kind === 'field' ? [[String(one.key), shapeOf(one.value)]] : [],
        ),
      ];
    case 'array':
      return ['array', ...code.items.map((item) => item && shapeOf(item))];
    case 'run':
      return ['run', shapeOf(code.code)];
    case 'declaration':
      return ['const', shapeOf(code.target), code.value && shapeOf(code.value)];
    case 'return':
    case 'throw':
      return [code.kind, shapeOf(code.value)];
    case 'if':
      return [
        'if',
        shapeOf(code.test),
        code.then.map(shapeOf),
        code.otherwise &&
          (code.otherwise.kind === 'block' ? code.otherwise.body.map(shapeOf) : [shapeOf(code.otherwise)]),
      ];
    case 'for':
      return [
        code.awaits ? 'for await' : 'for',
        shapeOf(code.element),
        shapeOf(code.of),
        code.body.map(shapeOf),
      ];
    case 'try':
      return ['try', code.body.map(shapeOf), shapeOf(code.error), code.handler.map(shapeOf)];
    case 'break':
      return 'break';
    default:
      throw new Error(`No shape of ${code.kind}.`);
  }
}

function isList(body: Code | readonly Statement[]): body is readonly Statement[] {
  return Array.isArray(body);
}

function shapesOfParts(parts: readonly (string | Code)[]): Shape[] {
  return parts.flatMap((part) =>
    part === '' ? [] : [typeof part === 'string' ? JSON.stringify(part) : shapeOf(part)],
  );
}

/** The shapes of a module's statements as parsed by TypeScript, without the last statement. */
function shapesIn(text: string): Shape[] {
  const target = ts.ScriptTarget.ES2023;
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target },
  });
  expect(
    diagnostics
      .filter(({ code }) => !outside.has(code))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
  ).toEqual([]);
  return ts.createSourceFile('a.ts', text, target, true).statements.slice(0, -1).map(shapeOfNode);
}

/** Errors for a `break` outside a loop and a `return` outside a function, which are ignored. */
const outside = new Set([1105, 1108]);

function shapeOfNode(node: ts.Node): Shape {
  const of = shapeOfNode;
  if (ts.isParenthesizedExpression(node)) return of(node.expression);
  if (ts.isExpressionWithTypeArguments(node)) return of(node.expression);
  if (ts.isIdentifier(node)) return node.text;
  if (node.kind === ts.SyntaxKind.ImportKeyword) return 'import';
  if (ts.isStringLiteral(node)) return ['literal', node.text, 'string'];
  if (ts.isNumericLiteral(node)) return ['literal', node.text, 'number'];
  if (node.kind === ts.SyntaxKind.NullKeyword) return ['literal', 'null', 'object'];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken)
    return ['literal', `-${node.operand.getText()}`, 'number'];
  if (ts.isNoSubstitutionTemplateLiteral(node)) return ['template', undefined, JSON.stringify(node.text)];
  if (ts.isTemplateExpression(node)) return ['template', undefined, ...partsOf(node)];
  if (ts.isTaggedTemplateExpression(node))
    return [
      'template',
      of(node.tag),
      ...(ts.isTemplateExpression(node.template) ? partsOf(node.template) : []),
    ];
  if (ts.isPropertyAccessExpression(node))
    return ['member', of(node.expression), node.name.text, node.questionDotToken ? '?.' : '.'];
  if (ts.isElementAccessExpression(node))
    return [
      'member',
      of(node.expression),
      textOf(node.argumentExpression),
      node.questionDotToken ? '?.' : '.',
    ];
  if (ts.isCallExpression(node)) return ['call', of(node.expression), ...node.arguments.map(of)];
  if (ts.isNewExpression(node)) return ['new', of(node.expression), ...(node.arguments ?? []).map(of)];
  if (ts.isPrefixUnaryExpression(node)) return ['!', of(node.operand)];
  if (ts.isAwaitExpression(node)) return ['await', of(node.expression)];
  if (ts.isBinaryExpression(node)) return [node.operatorToken.getText(), of(node.left), of(node.right)];
  if (ts.isConditionalExpression(node))
    return ['?', of(node.condition), of(node.whenTrue), of(node.whenFalse)];
  if (ts.isArrowFunction(node)) {
    const body = ts.isBlock(node.body) ? node.body.statements.map(of) : [of(node.body)];
    return [node.modifiers === undefined ? '=>' : 'async', ...body];
  }
  if (ts.isObjectLiteralExpression(node)) return ['object', ...node.properties.map(shapeOfField)];
  if (ts.isObjectBindingPattern(node))
    return ['object', ...node.elements.map((one) => [textOf(one.propertyName ?? one.name), of(one.name)])];
  if (ts.isArrayLiteralExpression(node)) return ['array', ...node.elements.map(item)];
  if (ts.isArrayBindingPattern(node)) return ['array', ...node.elements.map(item)];
  if (ts.isBindingElement(node)) return of(node.name);
  if (ts.isExpressionStatement(node)) return ['run', of(node.expression)];
  if (ts.isVariableStatement(node)) return of(node.declarationList);
  if (ts.isVariableDeclarationList(node)) {
    const [declared] = node.declarations;
    if (declared === undefined) throw new Error('No variable.');
    return ['const', of(declared.name), declared.initializer && of(declared.initializer)];
  }
  if (ts.isReturnStatement(node)) return ['return', node.expression && of(node.expression)];
  if (ts.isThrowStatement(node)) return ['throw', of(node.expression)];
  if (ts.isTryStatement(node)) {
    const { variableDeclaration: error, block } = node.catchClause ?? {};
    return [
      'try',
      node.tryBlock.statements.map(of),
      error && of(error.name),
      block && block.statements.map(of),
    ];
  }
  if (ts.isIfStatement(node))
    return [
      'if',
      of(node.expression),
      statementsOf(node.thenStatement),
      node.elseStatement && statementsOf(node.elseStatement),
    ];
  if (ts.isForOfStatement(node)) {
    const declared = of(node.initializer);
    const element = typeof declared === 'string' ? declared : declared[1];
    return [
      node.awaitModifier ? 'for await' : 'for',
      element,
      of(node.expression),
      statementsOf(node.statement),
    ];
  }
  if (ts.isBreakStatement(node)) return 'break';
  throw new Error(`No shape of ${ts.SyntaxKind[node.kind]}: ${node.getText()}`);
}

function item(node: ts.Node): Shape | undefined {
  return ts.isOmittedExpression(node) ? undefined : shapeOfNode(node);
}

function statementsOf(node: ts.Statement): readonly Shape[] {
  return ts.isBlock(node) ? node.statements.map(shapeOfNode) : [shapeOfNode(node)];
}

function shapeOfField(node: ts.ObjectLiteralElementLike): Shape {
  if (ts.isShorthandPropertyAssignment(node)) return [node.name.text, node.name.text];
  if (ts.isPropertyAssignment(node)) return [textOf(node.name), shapeOfNode(node.initializer)];
  throw new Error(`No shape of ${node.getText()}`);
}

function textOf(node: ts.Node): string {
  if (ts.isComputedPropertyName(node)) return textOf(node.expression);
  return ts.isIdentifier(node) || ts.isStringLiteral(node) || ts.isNumericLiteral(node)
    ? node.text
    : node.getText();
}

function partsOf({ head, templateSpans }: ts.TemplateExpression): Shape[] {
  return [
    JSON.stringify(head.text),
    ...templateSpans.flatMap(({ expression, literal }) => [
      shapeOfNode(expression),
      JSON.stringify(literal.text),
    ]),
  ].filter((part) => part !== '""');
}
