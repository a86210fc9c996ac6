/** `apikiln check`: reports everything that build would report. Only writes to the configuration, and only with --fix. */
import { screen } from '../../notation/screen-writer.js';
import { relative, resolve } from 'node:path';
import { checkWithDatabases, type Input } from '../../compile.js';
import type { Source } from '../../read/source.js';
import { applySafeFixes, writeFixed, type AppliedFix } from './fix-file.js';
import {
  printDiagnostics,
  runCompilation,
  reportUnchecked,
  type CompilationOptions,
  type Run,
} from './shared/run-compilation.js';
import type { Terminal } from './shared/output/terminal.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import { existsSync } from 'node:fs';
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Diagnostic } from '../../read/diagnostics/diagnostic.js';
import { readStubFile } from '../testing/read/read-stub-file.js';
import { readTests } from '../testing/read/read-tests.js';
import { stubFileOf, testsBeside } from './shared/files/find-tests.js';
import { refuseOutside } from './shared/files/file-inside.js';
import { readText } from './shared/files/read-text.js';

export interface CheckOptions extends CompilationOptions {
  /** Apply safe fixes. */
  readonly fix?: boolean;
}

export async function check(
  path: string | undefined,
  options: CheckOptions,
  terminal: Terminal,
): Promise<number> {
  let fixed: readonly AppliedFix[] = [];
  const fixAndExamine: Run<Awaited<ReturnType<typeof checkWithDatabases>>> = async (input, databases) => {
    const { texts, applied } = await applySafeFixes(async (changed) => {
      const own = withTexts(input, changed);
      const { diagnostics, analysis } = await checkWithDatabases(own, databases);
      const sources = [own.config, ...(analysis?.config.included ?? [])];
      return { diagnostics, files: new Map(sources.map((source) => [source.path, source])) };
    });
    if (applied.length > 0)
      writeFixed(
        [...texts].map(([shown, text]) => ({ absolute: resolve(terminal.folder, shown), shown, text })),
      );
    fixed = applied;
    reportFixes(applied, options, terminal);
    return checkWithDatabases(withTexts(input, texts), databases);
  };
  const examine = options.fix === true ? fixAndExamine : checkWithDatabases;
  const run: Run<Awaited<ReturnType<typeof checkWithDatabases>>> = async (input, databases) => {
    const examined = await examine(input, databases);
    const ofStubs = stubDiagnostics(examined.analysis, input, terminal.folder);
    return { ...examined, diagnostics: [...examined.diagnostics, ...ofStubs] };
  };
  const { status, path: found, diagnostics, unchecked } = await runCompilation(path, options, terminal, run);
  printDiagnostics(diagnostics, options, terminal, options.fix === true ? { fixed } : {});
  if (diagnostics.length === 0 && options.format === 'text' && options.quiet !== true)
    terminal.log(screen`${screen.text(found)} is fine.`);
  reportUnchecked(unchecked, options, terminal);
  return status;
}

/** The input with replaced texts of some files, by path. */
function withTexts(input: Input, texts: ReadonlyMap<string, string>): Input {
  const changed = <File extends Source>(file: File): File => {
    return { ...file, text: texts.get(file.path) ?? file.text };
  };
  const { config, include = () => [] } = input;
  return {
    ...input,
    config: changed(config),
    include: (pattern) =>
      include(pattern).map((file) => ({
        ...file,
        read: () => {
          const read = file.read();
          return 'problem' in read ? read : changed(read);
        },
      })),
  };
}

/** Maximum number of fixes printed individually. */
const maxReported = 100;

function reportFixes(
  applied: readonly AppliedFix[],
  { format, quiet }: CheckOptions,
  terminal: Terminal,
): void {
  if (format !== 'text' || quiet === true || applied.length === 0) return;
  for (const { file, line, code, text, others } of applied.slice(0, maxReported)) {
    const written = text === undefined || text.trim() === '' ? '' : `: ${text.split('\n')[0] ?? ''}`;
    terminal.log(
      screen`${screen.text(file)}:${line}: fixed${screen.text(written)} [${screen.text(code)}]${screen.text(alsoIn(others))}`,
    );
  }
  const more = applied.length - maxReported;
  if (more > 0) terminal.log(screen`and ${more} more`);
  terminal.log(screen`${screen.text(counted(applied.length, 'problem'))} fixed.\n`);
}

/** Maximum number of additional lines printed per error. */
const maxLines = 10;

function alsoIn(lines: readonly number[]): string {
  if (lines.length === 0) return '';
  const more = lines.length - maxLines;
  const shown = lines.slice(0, maxLines).join(', ');
  return ` (also line${lines.length === 1 ? '' : 's'} ${shown}${more > 0 ? ` and ${more} more` : ''})`;
}

/** Diagnostics of stub files. Other errors in these files are reported by the commands that use them. */
function stubDiagnostics(
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
  refuseOutside(stubs, shown, absolute);
  const ofStubs = existsSync(stubs)
    ? [readStubFile({ path: shown, text: readText(stubs, shown) }, config.datasources, beside)]
    : [];
  return [...ofTests, ...ofStubs].flatMap(({ diagnostics }) =>
    diagnostics.filter(({ code }) => code === 'undescribed-stub'),
  );
}
