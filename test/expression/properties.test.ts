/** Properties of parsing and printing: nothing throws, everything terminates, and printed expressions can be parsed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type {
  ComparisonOperator,
  Expression,
  Path,
  Step,
  Syntax,
} from '../../compiler/read/expression/ast.js';
import { parseExpression } from '../../compiler/read/expression/parse/parse.js';
import { parseTemplate } from '../../compiler/read/expression/parse/placeholder.js';
import { inexpressible, printExpression } from '../../compiler/read/expression/print-expression.js';
import { wholeText } from '../../compiler/read/source.js';
import { outline } from './outline.js';
import { runs } from '../helpers/runs.js';

const { span } = wholeText('config.yaml', '');
const any = fc.string({ unit: 'binary', maxLength: 12 });
const name = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9_-]{0,5}$/),
  fc.constantFrom('param', 'body', 'null', 'BODY', '@', '$', 'a b', "it's", 'a]', 'ü'),
  any.filter((text) => text !== ''),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.oneof(name, any, fc.constantFrom('0', 'size', '')).map((text): Step => ({ kind: 'name', name: text })),
  fc.integer({ min: -9, max: 9 }).map((index): Step => ({ kind: 'index', index })),
  fc.constant<Step>({ kind: 'all' }),
);
const path: fc.Arbitrary<Path> = fc.array(step, { maxLength: 3 });
const number = fc
  .oneof(fc.maxSafeInteger(), fc.double({ noDefaultInfinity: true, noNaN: true }))
  .filter((value) => !Object.is(value, -0));
const comparisons: ComparisonOperator[] = ['==', '!=', '<', '<=', '>', '>='];

type Fields<T> = { [F in keyof T]: fc.Arbitrary<T[F]> };

function node<K extends string, T extends object>(kind: K, fields: Fields<T>) {
  return fc.record({ kind: fc.constant(kind), span: fc.constant(span), ...fields });
}

/** Any tree that can be written in the syntax. */
function trees(syntax: Syntax): fc.Arbitrary<Expression> {
  const fulfillment = syntax === 'A' ? name : fc.stringMatching(/^[A-Za-z_ü][a-z0-9_-]{0,5}$/);
  const named = { name: fulfillment, nameSpan: fc.constant(span) };
  const references = [
    node('param', { name, path }),
    node('body', { path }),
    node('element', { path }),
    node('value', { ...named, path: syntax === 'A' ? path : path.filter((steps) => steps.length > 0) }),
    ...(syntax === 'A' ? [] : [node('result', named)]),
  ];
  const constants = [
    node('text', { value: fc.oneof(any, fc.constantFrom('(', ')(', ' a', '"', "'", 'a ) b', '\\')) }),
    node('number', { value: number }),
    node('boolean', { value: fc.boolean() }),
    node('null', {}),
  ];
  const operands = [
    ...references,
    ...constants,
    node('now', {}),
    node('uuid', {}),
    node('random', { bytes: fc.integer({ min: 16, max: 64 }), form: fc.constantFrom('base64url', 'hex') }),
    node('address', {}),
    node('query-map', {}),
    node('multipart-file', { part: name, path }),
  ];
  const { expression } = fc.letrec<{ expression: Expression }>((tie) => {
    const inner = tie('expression');
    const onlyInA = [
      node('size', { of: inner }),
      node('status', named),
      node('status-by-index', { ...named, index: inner }),
      node('failure-by-index', { ...named, index: inner }),
      node('value-by-index', { ...named, index: inner, path }),
      node('list', {
        count: fc.oneof(
          node('param', { name, path: fc.constant([]) }),
          node('number', { value: fc.nat(100_000) }),
        ),
      }),
    ];
    const parts = { left: inner, right: inner };
    return {
      expression: fc.oneof(
        { maxDepth: 5, depthSize: 'medium' },
        fc.oneof(...operands),
        ...(syntax === 'A' ? onlyInA : [node('size', { of: fc.oneof(...references) })]),
        node('concat', { parts: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
        node('coalesce', { parts: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
        node('verify', { value: inner, hash: inner }),
        ...(['sha256', 'length', 'lower', 'hash', 'outdated'] as const).map((kind) =>
          node(kind, { of: inner }),
        ),
        node('variable', {
          name: fc.stringMatching(/^[A-Z_a-z]\w{0,5}$/),
          byDefault: fc.array(fc.oneof(...constants), { maxLength: 1 }),
        }),
        node('not', { operand: inner }),
        node('comparison', { operator: fc.constantFrom(...comparisons), ...parts }),
        node('logical', { operator: fc.constantFrom('&&', '||'), ...parts }),
      ) as fc.Arbitrary<Expression>,
    };
  });
  return expression.filter((tree) => inexpressible(tree, syntax) === undefined);
}

function read(text: string, syntax: Syntax): string {
  const report = new Report();
  const found = parseExpression(wholeText('config.yaml', text), { syntax }, report);
  return found === undefined ? report.diagnostics.map(({ message }) => message).join('\n') : outline(found);
}

describe.each(['A', 'B'] as const)('Syntax %s', (syntax) => {
  const expression = trees(syntax);

  test('what is printed is read back as the same tree', () => {
    fc.assert(
      fc.property(expression, (tree) => {
        expect(read(printExpression(tree, syntax), syntax)).toBe(outline(tree));
      }),
      { numRuns: runs(188, 3000) },
    );
  });

  const pieces = fc.constantFrom(
    ...['PARAM(', 'VALUE(', 'TEXT(', 'INTEGER(', 'LIST(', 'SIZE(', 'BODY()', 'NULL()', 'foo(', 'ff, $', 'ff'],
    ...[
      'param.',
      'body',
      '.size()',
      'news.',
      '@',
      '$.',
      "['",
      "']",
      '[0]',
      '[*]',
      '.a',
      '1',
      '-2.5',
      'null',
      'and ',
    ],
    ...[
      '(',
      ')',
      ',',
      '"',
      "'",
      '\\',
      ':[',
      ']',
      '[',
      '==',
      '=',
      '<',
      '!',
      '&&',
      '||',
      ' ',
      '\n',
      '“',
      '（',
      'ü',
      '💡',
    ],
  );
  const texts = fc.oneof(
    fc
      .array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 25 })
      .map((parts) => parts.join('')),
    fc.tuple(expression, fc.nat(), fc.nat(3), pieces).map(([tree, at, removed, piece]) => {
      const text = printExpression(tree, syntax);
      const index = at % (text.length + 1);
      return text.slice(0, index) + piece + text.slice(index + removed);
    }),
  );

  test('any text is read, or every error in it has a span inside of it', () => {
    fc.assert(
      fc.property(texts, fc.boolean(), (text, template) => {
        const report = new Report();
        const parse = template ? parseTemplate : parseExpression;
        const result = parse(wholeText('config.yaml', template ? `a:[${text}] b` : text), { syntax }, report);
        if (result === undefined) expect(report.hasErrors).toBe(true);
        for (const { span, message, hint } of report.diagnostics) {
          expect(span.start).toBeGreaterThanOrEqual(0);
          expect(span.end).toBeLessThanOrEqual(text.length + (template ? 6 : 0));
          expect(span.end).toBeGreaterThan(span.start - (text.trim() === '' ? 1 : 0));
          expect(`${message} ${hint ?? ''}`).not.toMatch(/undefined|\n/);
        }
      }),
      { numRuns: runs(500, 8000) },
    );
  });
});
