/** `apikiln test --update`: writes actual values to the test files, and runs the changed tests again. */
import { copied, type Written } from '../../notation/written.js';
import { screen } from '../../notation/screen-writer.js';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Source } from '../../read/source.js';
import type { Results } from '../testing/run-tests.js';
import type { TestFile } from '../testing/read/test-model.js';
import type { TestResult } from '../testing/test-result.js';
import { updatedText } from '../testing/update-tests.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { reason } from './shared/files/read-text.js';
import type { Terminal } from './shared/output/terminal.js';
import { counted } from '../../read/diagnostics/quoted-list.js';

export interface Rerun {
  /** Reads the selected tests of a changed file; undefined if the file can no longer be read. */
  readonly read: (source: Source) => TestFile | undefined;
  readonly run: (files: readonly TestFile[]) => Promise<Results>;
}

/**
 * Writes the values that may be written, and returns the results of the updated tests. A failed step ends its test, so later steps are only
 * compared in the next round: there are as many rounds as steps.
 */
export async function updateTests(
  { results, counts }: Results,
  { read, run }: Rerun,
  terminal: Terminal,
): Promise<Results> {
  const now = [...results];
  const rounds = Math.max(0, ...results.map(({ test }) => test.steps.length));
  for (let round = 0; round < rounds; round += 1) {
    const again: TestFile[] = [];
    const slots: number[] = [];
    for (const source of new Set(now.map(({ file }) => file.source))) {
      const own = [...now.keys()].filter((index) => now[index]?.file.source === source);
      const text = update(
        source,
        own.flatMap((index) => now[index] ?? []),
        terminal,
      );
      if (text === source.text) continue;
      const file = read({ path: source.path, text });
      if (file === undefined) continue;
      const open = own.filter((index) => hasFailed(now[index]));
      const tests = open.flatMap((index) => file.tests[own.indexOf(index)] ?? []);
      again.push({ ...file, tests });
      slots.push(...open);
      // Other tests of the changed file have moved too, and the next round needs their new spans.
      for (const index of own) {
        const test = file.tests[own.indexOf(index)];
        const result = now[index];
        if (test !== undefined && result !== undefined) now[index] = { ...result, file, test };
      }
    }
    if (slots.length === 0) break;
    const rerun = await run(again);
    for (const [index, slot] of slots.entries()) {
      const [result, file] = [rerun.results[index], now[slot]?.file];
      if (result !== undefined && file !== undefined) now[slot] = { ...result, file };
    }
    counts.addAll(rerun.counts);
  }
  return { results: now, counts };
}

function hasFailed(result: TestResult | undefined): boolean {
  return result !== undefined && result.failures.length > 0;
}

/** The text of the file with actual values where they differ. */
function update(source: Source, results: readonly TestResult[], terminal: Terminal): string {
  const changes = results.flatMap(({ failures }) => failures.flatMap(({ change }) => change ?? []));
  const text = updatedText(source, changes);
  if (text === source.text) return text;
  writeOutput(source.path, copied(text), terminal);
  terminal.log(screen`${screen.text(source.path)}: ${screen.text(counted(changes.length, 'value'))} updated`);
  return text;
}

/** Throws a CommandError. */
export function writeOutput(path: string, text: Written, { folder }: Terminal): void {
  try {
    writeFileSync(resolve(folder, path), text);
  } catch (error) {
    throw new CommandError(exitStatus.environment, `${path} cannot be written: ${reason(error)}.`);
  }
}
