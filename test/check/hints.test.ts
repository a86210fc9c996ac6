/**
 * Every hint that names a replacement is right: applied to the configuration that caused it, it removes the error without adding one.
 * `fixed.yaml` in the same folder is the result of all hints.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { findDescription, findThirdParty } from '../../compiler/tools/commands/shared/files/description.js';
import { headersOfMiddleware } from '../../compiler/tools/commands/shared/owner/headers-of-middleware.js';
import { togetherOf, withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import type { Edit } from '../../compiler/read/diagnostics/fix.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { Syntax } from '../../compiler/read/expression/ast.js';
import { parseExpression } from '../../compiler/read/expression/parse/parse.js';
import { parseTemplate } from '../../compiler/read/expression/parse/placeholder.js';
import { wholeText } from '../../compiler/read/source.js';

const root = fileURLToPath(new URL('../../fixtures/errors/', import.meta.url));
const folders = readdirSync(root).sort();

const checked = new Map<string, readonly Diagnostic[]>();

/** Caches the diagnostics of each text, because the result of one test is often the input of another. */
function diagnosticsOf(folder: string, text: string): readonly Diagnostic[] {
  const key = `${folder}\n${text}`;
  const diagnostics = checked.get(key) ?? check(folder, text);
  checked.set(key, diagnostics);
  return diagnostics;
}

function check(folder: string, text: string): readonly Diagnostic[] {
  const place = { config: `${root}${folder}/config.yaml`, folder: root + folder };
  const description = findDescription(undefined, place);
  const ownHeaders = headersOfMiddleware(`${root}${folder}/service`, {});
  return checkSource({
    config: { path: 'config.yaml', text },
    ownHeaders,
    thirdParty: findThirdParty(place),
    ...(description && { description }),
  }).diagnostics;
}

function applied(text: string, { fix }: Diagnostic): string {
  return fix === undefined ? text : withEdits(text, fix.edits);
}

/** The number of diagnostics for each code. */
function counts(diagnostics: readonly Diagnostic[]): Map<string, number> {
  const result = new Map<string, number>();
  for (const { code } of diagnostics) result.set(code, (result.get(code) ?? 0) + 1);
  return result;
}

/** Errors that a fix leaves or adds: it must remove its own error and must not add others. */
function problemsOf(
  before: readonly Diagnostic[],
  fixed: Diagnostic,
  after: readonly Diagnostic[],
  hasOthers: boolean,
): string[] {
  const { code, fix } = fixed;
  if (fix === undefined) return [];
  const isStillThere = (counts(after).get(code) ?? 0) >= (counts(before).get(code) ?? 0);
  // If other errors remain, the fix may reveal an error that was hidden before.
  const inside = after.filter(
    ({ span, severity }) =>
      !hasOthers && severity === 'error' && written(fix.edits).some((edit) => isInside(span, edit)),
  );
  return [
    ...(isStillThere ? [`${code} is still there`] : []),
    ...inside.map((other) => `${other.code}: ${other.message}`),
  ];
}

/** The spans of the edits in the edited text. */
function written(edits: readonly Edit[]): { start: number; end: number }[] {
  let shift = 0;
  return edits.map(({ start, end, text }) => {
    const from = start + shift;
    shift += text.length - (end - start);
    return { start: from, end: from + text.length };
  });
}

function isInside(
  span: { start: number; end: number },
  { start, end }: { start: number; end: number },
): boolean {
  return span.start >= start && span.start < end && span.end <= end;
}

/** Applies all non-overlapping fixes repeatedly until no fixes are left. */
function applyAll(folder: string, original: string): { text: string; rounds: number } {
  let text = original;
  for (let rounds = 0; rounds < 10; rounds += 1) {
    const fixes = diagnosticsOf(folder, text).flatMap(({ fix, span }) =>
      fix === undefined || span.source.path !== 'config.yaml' ? [] : [{ fix }],
    );
    if (fixes.length === 0) return { text, rounds };
    text = withEdits(
      text,
      togetherOf(fixes, text.length).flatMap(({ fix }) => fix.edits),
    );
  }
  return { text, rounds: 10 };
}

describe('applied to fixtures/errors', () => {
  test.each(folders)('%s', (folder) => {
    const text = readFileSync(`${root}${folder}/config.yaml`, 'utf8');
    const before = diagnosticsOf(folder, text);
    const wrong = before.flatMap((diagnostic) => {
      if (diagnostic.fix === undefined || diagnostic.span.source.path !== 'config.yaml') return [];
      const after = diagnosticsOf(folder, applied(text, diagnostic));
      return problemsOf(before, diagnostic, after, folder.startsWith('many-')).map(
        (fault) => `${diagnostic.code} ${JSON.stringify(diagnostic.fix?.edits)}: ${fault}`,
      );
    });
    expect(wrong).toEqual([]);
  });

  test.each(folders)('%s: all of them, until there is none', (folder) => {
    const text = readFileSync(`${root}${folder}/config.yaml`, 'utf8');
    const { text: fixed, rounds } = applyAll(folder, text);
    expect(rounds).toBeLessThan(10);
    const errors = (of: string): number =>
      diagnosticsOf(folder, of).filter(({ severity }) => severity === 'error').length;
    expect(errors(fixed)).toBeLessThanOrEqual(errors(text));
    const file = `${root}${folder}/fixed.yaml`;
    if (rounds > 0 && process.env['UPDATE_FIXTURES'] === '1') writeFileSync(file, fixed);
    expect(rounds > 0 ? fixed : '').toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
  });
});

interface Wrong {
  readonly rule: string;
  readonly syntax: Syntax;
  readonly template?: boolean;
  readonly told: string;
}

const rows = parse(
  readFileSync(new URL('../../fixtures/expressions/errors.yaml', import.meta.url), 'utf8'),
) as Wrong[];

function readExpression(text: string, { syntax, template }: Wrong): readonly Diagnostic[] {
  const report = new Report();
  (template === true ? parseTemplate : parseExpression)(wholeText('config.yaml', text), { syntax }, report);
  return report.diagnostics;
}

describe('applied to the table of wrong expressions', () => {
  test.each(rows)('$rule (Syntax $syntax)', (row) => {
    const text = row.told.slice(0, row.told.indexOf('\n'));
    const before = readExpression(text, row);
    const wrong = before.flatMap((diagnostic) => {
      if (diagnostic.fix === undefined) return [];
      const after = readExpression(applied(text, diagnostic), row);
      return problemsOf(before, diagnostic, after, before.length > 1).map(
        (fault) => `${JSON.stringify(diagnostic.fix?.edits)}: ${fault}`,
      );
    });
    expect(wrong).toEqual([]);
  });
});

/** Functions of Syntax A that are not allowed in Syntax B. */
const functionsOfA = /\b(?:PARAM|BODY|VALUE|SIZE|TEXT|INTEGER|NULL|VALUE_BY_INDEX)\(/;

describe('no hint shows Syntax A where Syntax B is written', () => {
  test.each(rows.filter(({ syntax }) => syntax === 'B'))('$rule', (row) => {
    const text = row.told.slice(0, row.told.indexOf('\n'));
    for (const { hint = '' } of readExpression(text, row)) expect(hint).not.toMatch(functionsOfA);
  });
});

describe('a hint with what to write has the change as data', () => {
  /** Hints that show a form or several alternatives instead of the exact replacement. */
  const forms = new Set([
    ...['element-outside-item', 'empty-expression', 'empty-placeholder', 'unclosed-placeholder'],
    ...['unclosed-quote', 'unknown-escape', 'path-fault', 'path-without-source', 'path-in-syntax-b'],
    ...['parameter-name', 'unknown-method', 'no-functions-in-syntax-b', 'malformed-name', 'list-count'],
    ...['random-argument', 'lifetime-argument'],
    ...[
      'missing-operand',
      'unclosed-parenthesis',
      'chained-comparison',
      'placeholder-in-expression',
      'typographic-character',
    ],
  ]);

  test('in the table of wrong expressions', () => {
    const without = rows.flatMap((row) => {
      const text = row.told.slice(0, row.told.indexOf('\n'));
      return readExpression(text, row).flatMap(({ code, hint = '', fix }) =>
        fix === undefined &&
        !forms.has(code) &&
        /^(?:Write (?!<)|Did you mean)/.test(hint) &&
        !/<\w+>|, or | or |\(…\)/.test(hint)
          ? [`${code}: ${text}: ${hint}`]
          : [],
      );
    });
    expect(without).toEqual([]);
  });
});
