/** A Vitest reporter that writes the seconds taken by each test file to the file in `TIMES_FILE`. */
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

/** Includes hooks and imports, which may compile code. Rounded to a tenth. */
function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return Math.round((collectDuration + setupDuration + duration) / 100) / 10;
}
