/** `apikiln check`: everything that build would say; writes nothing. */
import { examineWith } from '../compile.js';
import { printJsonResult, runCompilation, type CompilationOptions } from './run-compilation.js';
import type { Terminal } from './terminal.js';

export async function check(
  path: string | undefined,
  options: CompilationOptions,
  terminal: Terminal,
): Promise<number> {
  const { status, path: found, diagnostics } = await runCompilation(path, options, terminal, examineWith);
  if (options.format === 'json') printJsonResult(diagnostics, options, terminal);
  if (diagnostics.length === 0 && options.format === 'text' && options.quiet !== true)
    terminal.tell(`${found} is fine.`);
  return status;
}
