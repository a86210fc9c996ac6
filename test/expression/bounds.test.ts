/** Limits, positions, placeholders and tree traversal: cases that the tables cannot show. */
import { describe, expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { Expression, Syntax } from '../../compiler/read/expression/ast.js';
import { parseExpression } from '../../compiler/read/expression/parse/parse.js';
import {
  looksLikePlaceholder,
  parsePlaceholder,
  parseTemplate,
} from '../../compiler/read/expression/parse/placeholder.js';
import { printExpression } from '../../compiler/read/expression/print-expression.js';
import { nodesIn } from '../../compiler/read/expression/visit.js';
import { wholeText } from '../../compiler/read/source.js';
import { outline } from './outline.js';

function read(
  text: string,
  syntax: Syntax = 'A',
): { expression: Expression | undefined; codes: string[]; marked: string[] } {
  const report = new Report();
  const expression = parseExpression(wholeText('config.yaml', text), { syntax }, report);
  const { diagnostics } = report;
  return {
    expression,
    codes: diagnostics.map(({ code }) => code),
    marked: diagnostics.map(({ span }) => text.slice(span.start, span.end)),
  };
}

describe('bounds', () => {
  test.each(['', ' \n'])('an empty text %j is reported as such', (text) => {
    expect(read(text).codes).toEqual(['empty-expression']);
  });

  test.each([
    ['parentheses', '(', 'PARAM(a)', ')'],
    ['functions', 'SIZE(', 'PARAM(a)', ')'],
    ['negations', '!', 'PARAM(a)', ''],
  ])('64 levels of %s are read, 65 are too deep', (_, before, inside, after) => {
    const nested = (levels: number): string => before.repeat(levels) + inside + after.repeat(levels);
    expect(read(nested(64)).codes).toEqual([]);
    expect(read(nested(65)).codes).toEqual(['expression-too-deep']);
    expect(read(nested(100_000)).codes).toEqual(['expression-too-deep']);
  });

  test('1000 operators are read, 1001 are too many', () => {
    const chain = (operators: number): string => 'body.a' + ' || body.a'.repeat(operators);
    expect(read(chain(1000), 'B').codes).toEqual([]);
    expect(read(chain(1001), 'B').codes).toEqual(['expression-too-long']);
  });

  const size = 1 << 20;
  test.each([
    ['a long text', `TEXT(${'a'.repeat(size)})`, []],
    ['a long quoted text', `TEXT("${'\\n'.repeat(size / 2)}")`, []],
    ['a long name', `PARAM(${'a b '.repeat(size / 4)}c)`, []],
    ['a long path', `VALUE(a, $${'.a[0]'.repeat(size / 5)})`, []],
    ['pairs of parentheses in a text', `TEXT(${'('.repeat(size / 2)}${')'.repeat(size / 2)})`, []],
    ['many zeros', `DECIMAL(1.${'0'.repeat(size)})`, []],
    ['bare words', 'word '.repeat(size / 5), ['bare-text']],
    ['white space', `PARAM(a)${' '.repeat(size)}x`, ['stray-text']],
  ])('a megabyte is read in one pass: %s', (_, text, codes) => {
    const { expression, codes: told } = read(text);
    expect(told).toEqual(codes);
    if (expression === undefined) return;
    expect(read(printExpression(expression, 'A')).codes).toEqual([]);
  });

  test.each([
    ':[TEXT(a] ',
    ':[PARM(a] ',
    ":[VALUE(a, $['a)] ",
    ':[a[ ',
    ":['a",
    ':[a.b( ',
    ':[(((',
    ':[',
    '[:',
  ])('thousands of unfinished placeholders %j are read in one pass, in both syntaxes', (part) => {
    const text = wholeText('config.yaml', part.repeat(8000));
    for (const syntax of ['A', 'B'] as const) {
      const report = new Report();
      const template = parseTemplate(text, { syntax }, report);
      expect(report.hasErrors || template.length > 0).toBe(true);
    }
  });
});

describe('spans', () => {
  test('a comparison spans its operands and their parentheses; a name has a span of its own', () => {
    const text = ' (VALUE( news , $.a)) == NULL() ';
    const { expression } = read(text);
    const nodes = expression === undefined ? [] : nodesIn(expression);
    const spans = nodes.map(({ span }) => text.slice(span.start, span.end));
    expect(spans).toEqual(['(VALUE( news , $.a)) == NULL()', 'VALUE( news , $.a)', 'NULL()']);
    const left = expression?.kind === 'comparison' ? expression.left : undefined;
    const name = left?.kind === 'value' ? left.nameSpan : undefined;
    expect(text.slice(name?.start, name?.end)).toBe('news');
  });

  test('two uses of one unknown name have one message, two names have two', () => {
    expect(read('PARM(a) == PARM(b)').marked).toEqual(['PARM']);
    expect(read('PARM(a) == VALU(b, $)').marked).toEqual(['PARM', 'VALU']);
  });
});

describe('placeholders', () => {
  function placeholder(text: string, syntax: Syntax = 'A'): { tree: string | undefined; rest: string } {
    const start = text.indexOf(':[') + 2;
    const { expression, end } = parsePlaceholder(wholeText('a.sql', text), start, { syntax }, new Report());
    return { tree: expression && outline(expression), rest: text.slice(end) };
  }

  test.each([
    ['a = :[PARAM(id)] and b', '(param id)', ' and b'],
    ["a = :[VALUE(n, $['a]'][0])] and b", '(value n $."a]"[0])', ' and b'],
    ['a = :[ TEXT(]) ] and b', '(text "]")', ' and b'],
    ['a = :[TEXT("]")]::int[]', '(text "]")', '::int[]'],
  ])('the end of %s is found by reading the expression', (text, tree, rest) => {
    expect(placeholder(text)).toEqual({ tree, rest });
  });

  test.each([
    ['after the bracket that closes it', ':[PARM(a[0])] and b', ' and b'],
    ['before the next placeholder', ':[PARAM(a) and :[PARAM(b)]', ':[PARAM(b)]'],
    ['at the end of the text', ':[PARAM(a) and b', ''],
  ])('after an error reading continues %s', (_, text, rest) => {
    expect(placeholder(text)).toEqual({ tree: undefined, rest });
  });

  test('a template keeps its constant parts as they are', () => {
    const text = wholeText('config.yaml', 'https://a.b/:[PARAM(id)]:[BODY($.x)]?c=[:]');
    const template = parseTemplate(text, { syntax: 'A' }, new Report());
    const parts = template.map((part) => (typeof part === 'string' ? part : outline(part)));
    expect(parts).toEqual(['https://a.b/', '(param id)', '(body $.x)', '?c=[:]']);
    expect(parseTemplate(wholeText('config.yaml', ''), { syntax: 'A' }, new Report())).toEqual([]);
  });

  test.each([
    ['A', ':[PARAM(q)]%', true],
    ['A', ':[ value (a, $)]', true],
    ['A', ':[1,2]}', false],
    ['A', ':["PARAM(a)"]}', false],
    ['A', ':[param.q]', false],
    ['A', ':[foo(1)]', false],
    ['A', ':[', false],
    ['B', ':[param.q]%', true],
    ['B', ":[param['q']]", true],
    ['B', ':[body]', true],
    ['B', ':[news.title]', true],
    ['B', ':[1.5]', false],
    ['B', ':[true, false]', false],
    ['B', ':[{"a": 1}]', false],
    ['B', ':[PARAM(q)]', false],
  ] as const)('in Syntax %s, whether %s in a literal looks like a placeholder: %s', (syntax, text, is) => {
    expect(looksLikePlaceholder(text, 2, syntax)).toBe(is);
  });
});

describe('what Syntax B has no form for', () => {
  test.each(['LIST(3)', 'STATUS(a)', 'VALUE_BY_INDEX(a, TEXT(b), $)', 'VALUE(news, $)', 'VALUE(param, $.a)'])(
    '%s is named when it should be printed',
    (text) => {
      const { expression } = read(`PARAM(x) == ${text}`);
      expect(expression).toBeDefined();
      if (expression) expect(() => printExpression(expression, 'B')).toThrow(/has no form for the node '/);
    },
  );
});
