/**
 * A line that is indented with tabs is one error, and its fix restores the intended text. MANY_RUNS=1 tries all lines of all
 * configurations.
 */
import { parseDocument } from 'yaml';
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import { everyOf } from '../helpers/runs.js';
import { configurations } from './configurations.js';

const bases = configurations.filter(({ name }, index) =>
  // It has keys `list` and `item` with other meanings than those of a list.
  name === 'nested-response' ? false : index % everyOf(24) === 2 % everyOf(24) || name === 'loop',
);

function meaning(text: string): string {
  // Of the lines of a string the first shows where they begin, so that tabs there do not show the same.
  return JSON.stringify(parseDocument(text, { merge: true }).toJS()).replaceAll(/(?: |\\n)+/g, ' ');
}

/** The diagnostics of a line with the tabs, unless it is one error with a fix that restores the line. */
function problemOf(text: string, lines: readonly string[], index: number, tabs: string): string | undefined {
  const wrong = lines.with(index, tabs + (lines[index] ?? '').trimStart()).join('\n');
  const { diagnostics } = checkSource({ config: { path: 'config.yaml', text: wrong } });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [error] = errors;
  if (errors.length !== 1 || error?.code !== 'invalid-yaml' || error.fix === undefined)
    return errors.map(({ message }) => message).join(' ') || 'no error';
  // At the end of an object inside of another one only the number of tabs could show which of them it belongs to.
  if (!error.fix.isSafe && tabs.length * 2 !== (lines[index] ?? '').search(/\S/)) return undefined;
  return meaning(withEdits(wrong, error.fix.edits)) === meaning(text) ? undefined : 'another meaning';
}

test.each(bases)('$name', { timeout: 600_000 }, ({ text }) => {
  const lines = text.split('\n');
  const problems = lines.flatMap((line, index) => {
    const indentation = line.search(/[^ ]/);
    if (indentation < 2 || line.trimStart().startsWith('#')) return [];
    if (index % everyOf(15) !== 3 % everyOf(15)) return [];
    return ['\t'.repeat(indentation / 2), '\t\t'].flatMap((tabs) => {
      const problem = problemOf(text, lines, index, tabs);
      return problem === undefined ? [] : [`${index + 1}, ${tabs.length} tabs: ${problem}`];
    });
  });
  expect(problems).toEqual([]);
});
