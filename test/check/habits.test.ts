/**
 * Mistakes made by people who know other languages and tools: each has one message with the right form, and an unambiguous fix yields a
 * configuration without errors. `fixtures/habits/mistakes.yaml` lists them; UPDATE_FIXTURES=1 writes the messages.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { readEntries, type Keys } from '../helpers/fixture-keys.js';
import { everyOf } from '../helpers/runs.js';
import { repository } from '../helpers/service-fixture.js';

const folder = join(repository, 'fixtures/habits');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

interface Habit {
  readonly syntax: 'A' | 'B';
  /** The right text of the configuration, and the mistake. */
  readonly right: string;
  readonly wrong: string;
  /** Code, message and hint. */
  readonly told: string;
  /** The replacement written by the fix; `suggested` if the fix is ambiguous. */
  readonly fix?: 'safe' | 'suggested';
}

const keys: Keys<Habit> = {
  syntax: 'required',
  right: 'required',
  wrong: 'required',
  told: 'required',
  fix: 'optional',
};
const habits = readEntries(join(folder, 'mistakes.yaml'), keys);
const configs = { A: read('syntax-a.yaml'), B: read('syntax-b.yaml') };
const description = { path: 'openapi.yaml', text: read('openapi.yaml') };
const seen: Habit[] = [];

function diagnosticsOf(text: string, syntax: 'A' | 'B'): readonly Diagnostic[] {
  const config = { path: 'config.yaml', text };
  if (syntax === 'A') return checkSource({ config }).diagnostics;
  return checkSource({ config, description: { source: description, read: () => undefined } }).diagnostics;
}

test.each(['A', 'B'] as const)('the configuration of Syntax %s is right', (syntax) => {
  expect(diagnosticsOf(configs[syntax], syntax)).toEqual([]);
});

describe('one message with what to write', () => {
  test.each(habits.filter((_, index) => index % everyOf(3) === 0))(
    '$syntax: $wrong',
    ({ syntax, right, wrong, told, fix: kind }) => {
      expect(configs[syntax]).toContain(right);
      const text = configs[syntax].replace(right, () => wrong);
      const [first, ...others] = diagnosticsOf(text, syntax);
      expect(others).toEqual([]);
      const { code = '', message = '', hint = '', fix } = first ?? {};
      expect(hint).not.toBe('');
      const now = `${code}: ${message}\n${hint}\n`;
      const kindNow = fix === undefined ? undefined : fix.isSafe ? 'safe' : 'suggested';
      seen.push({ syntax, right, wrong, told: now, ...(kindNow && { fix: kindNow }) });
      if (process.env['UPDATE_FIXTURES'] !== '1') expect([now, kindNow]).toEqual([told, kind]);
      if (fix !== undefined && kindNow === 'safe')
        expect(diagnosticsOf(withEdits(text, fix.edits), syntax)).toEqual([]);
    },
  );
});

afterAll(() => {
  if (process.env['UPDATE_FIXTURES'] === '1')
    writeFileSync(join(folder, 'mistakes.yaml'), stringify(seen, { lineWidth: 0 }));
});
