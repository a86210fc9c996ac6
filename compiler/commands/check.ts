/** `apikiln check`: everything that build would say; writes nothing, but with --fix the configuration. */
import { resolve } from 'node:path';
import { checkWithDatabases } from '../compile.js';
import { visible } from '../diagnostics/visible.js';
import { applySafeFixes, writeFixed, type AppliedFix } from './fix-file.js';
import {
  printDiagnostics,
  runCompilation,
  tellUnchecked,
  type CompilationOptions,
  type Run,
} from './run-compilation.js';
import type { Terminal } from './terminal.js';

export interface CheckOptions extends CompilationOptions {
  /** Apply what is safe to apply. */
  readonly fix?: boolean;
}

export async function check(
  path: string | undefined,
  options: CheckOptions,
  terminal: Terminal,
): Promise<number> {
  let fixed: readonly AppliedFix[] = [];
  const fixAndExamine: Run<Awaited<ReturnType<typeof checkWithDatabases>>> = async (input, databases) => {
    const { text, applied } = await applySafeFixes(input.config, async (config) => {
      return (await checkWithDatabases({ ...input, config }, databases)).diagnostics;
    });
    const { path: shown } = input.config;
    if (applied.length > 0) writeFixed(resolve(terminal.folder, shown), shown, text);
    fixed = applied;
    tellFixes(applied, shown, options, terminal);
    return checkWithDatabases({ ...input, config: { path: shown, text } }, databases);
  };
  const run = options.fix === true ? fixAndExamine : checkWithDatabases;
  const { status, path: found, diagnostics, unchecked } = await runCompilation(path, options, terminal, run);
  printDiagnostics(diagnostics, options, terminal, options.fix === true ? { fixed } : {});
  if (diagnostics.length === 0 && options.format === 'text' && options.quiet !== true)
    terminal.tell(`${visible(found)} is fine.`);
  tellUnchecked(unchecked, options, terminal);
  return status;
}

/** So many fixes are told one by one. */
const mostTold = 100;

function tellFixes(
  applied: readonly AppliedFix[],
  path: string,
  { format, quiet }: CheckOptions,
  terminal: Terminal,
): void {
  if (format !== 'text' || quiet === true || applied.length === 0) return;
  for (const { line, code, text, others } of applied.slice(0, mostTold)) {
    const written = text === undefined || text.trim() === '' ? '' : `: ${text.split('\n')[0] ?? ''}`;
    terminal.tell(`${path}:${line}: fixed${written} [${code}]${alsoIn(others)}`);
  }
  const more = applied.length - mostTold;
  if (more > 0) terminal.tell(`and ${more} more`);
  terminal.tell(`${applied.length} ${applied.length === 1 ? 'mistake' : 'mistakes'} fixed.\n`);
}

/** So many further lines of one mistake are told. */
const mostLines = 10;

function alsoIn(lines: readonly number[]): string {
  if (lines.length === 0) return '';
  const more = lines.length - mostLines;
  const shown = lines.slice(0, mostLines).join(', ');
  return ` (also line${lines.length === 1 ? '' : 's'} ${shown}${more > 0 ? ` and ${more} more` : ''})`;
}
