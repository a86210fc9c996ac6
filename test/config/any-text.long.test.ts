/** Reading a configuration never throws, whatever its text is. */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { check } from '../../compiler/analyze/check/check-config.js';
import { readWithSql } from '../helpers/read-with-sql.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { printText } from '../../compiler/read/diagnostics/print/print-diagnostic.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { runs } from '../helpers/runs.js';
import { printJson } from '../helpers/print-json.js';

/** Reads, checks and prints; every position must be inside the text. */
function diagnose(text: string): Diagnostic[] {
  const report = new Report();
  const config = readWithSql(text, report);
  if (config !== undefined) check(new Analysis(config, undefined, report.errors), report);
  else expect(report.hasErrors).toBe(true);
  for (const diagnostic of report.diagnostics) {
    const { start, end } = diagnostic.span;
    expect(start >= 0 && start <= end && end <= text.length).toBe(true);
    printText(diagnostic, noColours);
  }
  printJson(report.diagnostics);
  return report.diagnostics;
}

function codesOf(text: string): string[] {
  return diagnose(text).map(({ code }) => code);
}

const good = readFileSync(new URL('../../fixtures/services/news/config.yaml', import.meta.url), 'utf8');
const tokens = [
  '\t',
  ' ',
  '\n',
  '- ',
  ': ',
  ':',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '&a ',
  '*a',
  '<<: ',
  '|',
  '>',
  '#',
  '!',
  '%',
  '@',
  '---\n',
  '?',
  ',',
  '😀',
  '\0',
  '\ud800',
  '\r',
  ':[',
  ')',
  '(',
  '__proto__',
  '~',
];

describe('any text becomes a configuration or diagnostics', () => {
  test('arbitrary text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.constantFrom(...tokens)).map((parts) => parts.join('')),
        ),
        (text) => {
          diagnose(text);
          diagnose(
            `specification: "1.0"\noperations:\n  GET /a:\n    fulfillments:\n      - name: ${text}\n`,
          );
        },
      ),
      { numRuns: runs(38, 300) },
    );
  });

  test('a good configuration with pieces put in and taken out', () => {
    const edit = fc.record({ at: fc.nat(good.length), cut: fc.nat(40), put: fc.constantFrom('', ...tokens) });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        let text = good;
        for (const { at, cut, put } of edits) text = text.slice(0, at) + put + text.slice(at + cut);
        diagnose(text);
      }),
      { numRuns: runs(13, 100) },
    );
  });

  test('any YAML values under the names of sections', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.json({ maxDepth: 3 }), (one, two) => {
        diagnose(`specification: "1.0"\noperations: ${one}\ndatasources: ${two}\nsettings: ${one}\n`);
        diagnose(
          `specification: "1.0"\noperations:\n  GET /a:\n    fulfillments: [${one}]\n    responses: [${two}]\n`,
        );
      }),
      { numRuns: runs(25, 200) },
    );
  });
});

describe('expansion, nesting and file size are bounded', () => {
  test('aliases of aliases', () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const value = level === 0 ? '[1]' : `[*a${level - 1}, *a${level - 1}, *a${level - 1}, *a${level - 1}]`;
      return `    l${level}: &a${level} ${value}\n`;
    });
    expect(codesOf(`specification: "1.0"\noperations:\n  x:\n${levels.join('')}`)).toEqual(['too-large']);
  });

  test('a cycle', () => {
    expect(codesOf('specification: "1.0"\noperations: &a\n  x: *a\n')).toEqual(['cyclic-alias']);
  });

  test('nesting of 65 levels', () => {
    const nested = '['.repeat(65) + ']'.repeat(65);
    expect(codesOf(`specification: "1.0"\noperations: ${nested}\n`)).toEqual(['too-large']);
  });

  test('nesting so deep that no stack would carry it', () => {
    const nested = '['.repeat(100_000);
    for (const text of [nested, nested + ']'.repeat(100_000)])
      expect(codesOf(`specification: "1.0"\noperations: ${text}\n`)).toHaveLength(1);
  });

  test.each(['- '.repeat(20_000), '? '.repeat(20_000), '{a: '.repeat(20_000), '[\n'.repeat(20_000)])(
    'a run of openings: %.6s',
    (run) => {
      expect(codesOf(`specification: "1.0"\noperations:\n  ${run}\n`)).toEqual(['too-large']);
    },
  );

  test('nesting by indentation that may end the stack of the parser', () => {
    const levels = Array.from({ length: 3000 }, (_, level) => `${' '.repeat(level)}a:`);
    // If the parser's stack suffices, the nesting limit applies.
    expect(codesOf(levels.join('\n'))).toEqual(['too-large']);
  });

  test('a file above 16 MiB', () => {
    expect(codesOf(`specification: "1.0"\n#${'.'.repeat(16 * 1024 * 1024)}`)).toEqual(['too-large']);
  });
});

describe('names of JavaScript objects are ordinary names', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'];

  test.each(names)('an unknown field %s', (name) => {
    const text = good.replace('settings:', '').concat(`${name}: 1\n`);
    expect(codesOf(text)).toEqual(['unknown-field']);
  });

  test.each(names)(
    '%s as the name of a fulfillment, datasource, response, key of a schema and operation',
    (name) => {
      const text = good
        .replaceAll(/\b(?:newsdb|comments|created|deleted|changed)\b/g, name)
        .replace("'GET /news':", `${name}:\n    fulfillments: []\n  'GET /news':`);
      expect(
        codesOf(text).filter(
          // Some columns exist in only one of the fulfillments with the same name.
          (code) =>
            !code.startsWith('duplicate') && !['not-yet-run', 'own-result', 'unknown-column'].includes(code),
        ),
      ).toEqual(['neither-response-nor-trigger', 'empty-field']);
    },
  );

  test.each(names)('a datasource %s that is not there', (name) => {
    expect(codesOf(good.replace('datasource: newsdb', `datasource: ${name}`))).toEqual([
      'unknown-datasource',
    ]);
  });

  test.each(names)('a type %s', (name) => {
    expect(codesOf(good.replace('type: READ', `type: ${name}`))).toEqual(['unknown-word']);
  });
});
