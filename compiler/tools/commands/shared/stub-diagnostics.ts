/** What `apikiln check` reports of stubs: those of tests and of `apikiln dev` that contradict the description of their third party. */
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Analysis } from '../../../analyze/operations/analysis.js';
import type { Input } from '../../../compile.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { readStubFile } from '../../testing/read/read-stub-file.js';
import { readTests } from '../../testing/read/read-tests.js';
import { stubFileOf, testsBeside } from './find-tests.js';
import { readText } from './read-text.js';

/** Other errors of these files are reported by the commands that run them. */
export function stubDiagnostics(
  analysis: Analysis | undefined,
  { config: { path }, severities }: Input,
  folder: string,
): readonly Diagnostic[] {
  const thirdParties = analysis?.beside.thirdParties ?? new Map();
  if (analysis === undefined || thirdParties.size === 0) return [];
  const { config } = analysis;
  const absolute = resolve(folder, path);
  const beside = { thirdParties, severities, hasOwnPages: true };
  const ofTests = testsBeside({ config: absolute, folder }).map((source) =>
    readTests(source, config, beside),
  );
  const stubs = stubFileOf(absolute);
  const shown = relative(folder, stubs);
  const ofStubs = existsSync(stubs)
    ? [readStubFile({ path: shown, text: readText(stubs, shown) }, config.datasources, beside)]
    : [];
  return [...ofTests, ...ofStubs].flatMap(({ diagnostics }) =>
    diagnostics.filter(({ code }) => code === 'undescribed-stub'),
  );
}
