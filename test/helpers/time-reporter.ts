/** Vitest's reporter of the seconds that each test file took, in the file that `TIMES_FILE` names. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

export default class TimeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env['TIMES_FILE'];
    if (path === undefined) return;
    const times = modules.map((module) => [relative(process.cwd(), module.moduleId), secondsOf(module)]);
    writeFileSync(path, JSON.stringify(Object.fromEntries(times)));
  }
}

/** With its imports, which may compile what it tests, and its hooks. Rounded to a tenth. */
function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return Math.round((collectDuration + setupDuration + duration) / 100) / 10;
}
