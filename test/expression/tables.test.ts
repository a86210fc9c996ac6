/** Runs the tables of fixtures/expressions. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../compiler/read/diagnostics/catalogue.js';
import { expressionEntries } from '../../compiler/read/diagnostics/catalogue/expression-messages.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { Expression, Syntax } from '../../compiler/read/expression/ast.js';
import { parseExpression } from '../../compiler/read/expression/parse/parse.js';
import { parseTemplate } from '../../compiler/read/expression/parse/placeholder.js';
import { printExpression } from '../../compiler/read/expression/print-expression.js';
import { wholeText } from '../../compiler/read/source.js';
import { readEntries, type Keys } from '../helpers/fixture-keys.js';
import { repository } from '../helpers/service-fixture.js';
import { annotated, outline } from './outline.js';

interface Right {
  readonly rule: string;
  readonly text: string;
  readonly tree: string;
  readonly prints?: string;
}

interface Wrong {
  readonly rule: string;
  readonly syntax: Syntax;
  readonly template?: boolean;
  readonly told: string;
}

const rightKeys: Keys<Right> = { rule: 'required', text: 'required', tree: 'required', prints: 'optional' };
const wrongKeys: Keys<Wrong> = {
  rule: 'required',
  syntax: 'required',
  template: 'optional',
  told: 'required',
};

function table<Row>(name: string, keys: Keys<Row>): readonly Row[] {
  return readEntries(join(repository, `fixtures/expressions/${name}.yaml`), keys);
}

function read(text: string, syntax: Syntax): Expression {
  const report = new Report();
  const expression = parseExpression(wholeText('config.yaml', text), { syntax }, report);
  if (expression === undefined) throw new Error(annotated(text, report.diagnostics));
  return expression;
}

describe.each(['A', 'B'] as const)('Syntax %s', (syntax) => {
  const rows = table(`syntax-${syntax.toLowerCase()}`, rightKeys);
  test.each(rows)('$rule: $text', ({ text, tree, prints }) => {
    const expression = read(text, syntax);
    expect(outline(expression)).toBe(tree);
    const printed = printExpression(expression, syntax);
    expect(printed).toBe(prints ?? text);
    expect(outline(read(printed, syntax))).toBe(tree);
  });
});

describe('wrong texts', () => {
  const rows = table('errors', wrongKeys);

  test.each(rows)('$rule (Syntax $syntax)', ({ syntax, template, told }) => {
    const text = told.slice(0, told.indexOf('\n'));
    const report = new Report();
    (template === true ? parseTemplate : parseExpression)(wholeText('config.yaml', text), { syntax }, report);
    expect(annotated(text, report.diagnostics)).toBe(told);
    expect(report.hasErrors).toBe(true);
  });

  test.each(rows)('$rule (Syntax $syntax): a fix leaves fewer errors', ({ syntax, template, told }) => {
    const diagnosticsOf = (text: string): readonly Diagnostic[] => {
      const report = new Report();
      (template === true ? parseTemplate : parseExpression)(
        wholeText('config.yaml', text),
        { syntax },
        report,
      );
      return report.diagnostics;
    };
    const text = told.slice(0, told.indexOf('\n'));
    const before = diagnosticsOf(text);
    const left = before.flatMap(({ fix, code }) => {
      if (fix === undefined) return [];
      const fixed = withEdits(text, fix.edits);
      const after = diagnosticsOf(fixed);
      // The error may have hidden an operand in the other syntax.
      const isBetter = after.length < before.length || after.every((one) => one.code === 'wrong-syntax');
      return isBetter ? [] : [`${code}: ${fixed}`];
    });
    expect(left).toEqual([]);
  });

  test('every diagnostic of expressions is shown in the table or tested elsewhere', () => {
    const told = rows.map((row) => row.told).join('\n');
    const elsewhere = ['empty-expression', 'expression-too-deep', 'expression-too-long'];
    const missing = Object.keys(expressionEntries).filter(
      (code) => !told.includes(`\n${code}: `) && !elsewhere.includes(code),
    );
    expect(missing, 'add an entry of each code to fixtures/expressions/errors.yaml').toEqual([]);
    expect(Object.keys(catalogue)).toEqual(expect.arrayContaining(Object.keys(expressionEntries)));
  });
});
