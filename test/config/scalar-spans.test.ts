/** Every character of a string is mapped to its position in the file, in every YAML scalar style. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Scalar, stringify } from 'yaml';
import type { MapNode } from '../../compiler/read/config/yaml/node.js';
import { readYaml } from '../../compiler/read/config/yaml/yaml-document.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { ScalarText } from '../../compiler/read/source.js';
import { runs } from '../helpers/runs.js';

/** The string at `a.b` of a YAML text; undefined if there is an error. */
function readText(text: string): ScalarText | undefined {
  const report = new Report();
  const root = readYaml({ path: 'config.yaml', text }, report);
  if (report.hasErrors) return undefined;
  const inner = valueOf(root as MapNode) as MapNode;
  const scalar = valueOf(inner);
  if (scalar.kind !== 'scalar') throw new Error('not a scalar');
  return scalar.text;
}

function valueOf(map: MapNode): MapNode['entries'][number]['value'] {
  const entry = map.entries[0];
  if (entry === undefined) throw new Error('an empty map');
  return entry.value;
}

/** The source characters from which the string's characters come. */
function written(scalar: ScalarText): string[] {
  return scalar.value.split('').map((_, index) => {
    const { source, start, end } = scalar.spanOf(index, index + 1);
    return source.text.slice(start, end);
  });
}

/** Accepts differences caused by line breaks, folding and escapes. */
function isSame(character: string, source: string, next: string | undefined): boolean {
  if (source === character) return true;
  if (source === '\\') return true;
  if (character === ' ' || character === '\n') return /^[ \t\r\n]/.test(source);
  return character === "'" && source === "'" && next !== undefined;
}

const hostile = fc
  .array(
    fc.constantFrom(
      'a',
      'SELECT',
      ' ',
      '  ',
      '\n',
      '\n\n',
      "'",
      '"',
      '\\',
      ':',
      ': ',
      ' #',
      '😀',
      'é',
      '\t',
      '日',
      '-',
      '{',
      ']',
      '%',
      '*',
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => /\S/.test(text));

const styles = ['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const;

describe('a string in any style keeps the span of each of its characters', () => {
  test.each(styles)('%s', (type) => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(0, 20, 80), fc.boolean(), (value, lineWidth, hasCrlf) => {
        const scalar = new Scalar(value);
        scalar.type = type;
        const lf = stringify({ a: { b: scalar } }, { lineWidth, minContentWidth: 0 });
        const text = hasCrlf ? lf.replaceAll('\n', '\r\n') : lf;
        const read = readText(text);
        // The YAML package writes a few strings incorrectly.
        fc.pre(read !== undefined);
        const pieces = written(read);
        const wrong = pieces.filter(
          (piece, index) => !isSame(read.value.charAt(index), piece, read.value[index + 1]),
        );
        expect(wrong).toEqual([]);
        const starts = pieces.map((_, index) => read.spanOf(index, index + 1).start);
        expect(starts).toEqual([...starts].sort((x, y) => x - y));
      }),
      { numRuns: runs(19, 300) },
    );
  });
});

/** In each text, MISTAKE must be found at its position. */
const byHand: Readonly<Record<string, string>> = {
  plain: 'a:\n  b: SELECT MISTAKE FROM x\n',
  'plain over lines': 'a:\n  b: SELECT 1\n     FROM x\n\n    WHERE MISTAKE = 1\n',
  'plain with a comment after it': 'a:\n  b: SELECT MISTAKE # a comment\n',
  'single quotes': "a:\n  b: 'it''s ''quoted'' MISTAKE'\n",
  'single quotes over lines': "a:\n  b: 'it''s\n    over\n\n    lines: MISTAKE'\n",
  'double quotes': 'a:\n  b: "\\ttab \\"q\\" \\x41\\u00e9\\U0001F600 MISTAKE"\n',
  'double quotes, escaped line break': 'a:\n  b: "one \\\n    two \\\n    \\  three MISTAKE"\n',
  'double quotes, folded': 'a:\n  b: "one\n\n    two\n    three MISTAKE"\n',
  literal: 'a:\n  b: |\n    one\n      two\n\n    MISTAKE\n',
  'literal with keep and comment': 'a:\n  b: |+ # a comment\n    one\n    MISTAKE\n\n\n',
  'literal with an explicit indentation': 'a:\n  b: |2\n      one\n    MISTAKE\n',
  'literal that begins with empty lines': 'a:\n  b: |\n\n\n    MISTAKE\n',
  'literal with tabs': 'a:\n  b: |\n    \tone\t\tMISTAKE\n',
  folded: 'a:\n  b: >\n    one\n    two MISTAKE\n',
  'folded with more indented lines': 'a:\n  b: >-\n    one\n      two\n      three\n\n    four MISTAKE\n',
  'folded with trailing spaces': 'a:\n  b: >\n    one  \n    two MISTAKE\n',
  'flow map': "a: { b: 'one MISTAKE' }\n",
  'flow plain': 'a: { b: one MISTAKE }\n',
  'non-BMP characters': 'a:\n  b: 😀😀 日本 MISTAKE\n',
  'an anchor before it': 'a:\n  b: &x one MISTAKE\n',
  'a byte order mark': '\ufeffa:\n  b: one MISTAKE\n',
};

describe('an error inside a string is marked where it is', () => {
  test.each(Object.entries(byHand))('%s', (_, lf) => {
    for (const text of [lf, lf.replaceAll('\n', '\r\n')]) {
      const read = readText(text);
      const index = read?.value.indexOf('MISTAKE') ?? -1;
      const span = read?.spanOf(index, index + 'MISTAKE'.length);
      expect(text.slice(span?.start, span?.end)).toBe('MISTAKE');
    }
  });
});
