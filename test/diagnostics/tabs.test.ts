/** A line indented with tabs is one error, and its fix restores the intended text. MANY_RUNS=1 tries all lines of all configurations. */
import { parseDocument } from 'yaml';
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import { everyOf } from '../helpers/runs.js';
import { configurations } from './configurations.js';

const bases = configurations.filter(({ name }, index) =>
  // The fixture has keys named `list` and `item` that do not describe a list.
  name === 'nested-response' ? false : index % everyOf(24) === 2 % everyOf(24) || name === 'loop',
);

function meaning(text: string): string {
  // White space is ignored, because the first line of a block scalar sets its indentation, which tabs there change.
  return JSON.stringify(parseDocument(text, { merge: true }).toJS()).replaceAll(/(?: |\\n)+/g, ' ');
}

/** The diagnostics of a line indented with the tabs; undefined if there is one error whose fix restores the line. */
function problemOf(text: string, lines: readonly string[], index: number, tabs: string): string | undefined {
  const wrong = lines.with(index, tabs + (lines[index] ?? '').trimStart()).join('\n');
  const { diagnostics } = checkSource({ config: { path: 'config.yaml', text: wrong } });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [error] = errors;
  if (errors.length !== 1 || error?.code !== 'invalid-yaml' || error.fix === undefined)
    return errors.map(({ message }) => message).join(' ') || 'no error';
  // After a nested object ends, only the number of tabs could show to which object the line belongs.
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
