/** `apikiln build --watch`: builds again whenever a file that the build read changes. */
import { CompilationCache } from '../../generate/emit/compilation-cache.js';
import { build, type BuildOptions } from './build.js';
import { repeatOnChanges } from './shared/repeat-on-changes.js';
import type { Terminal } from './shared/output/terminal.js';

export async function watch(
  path: string | undefined,
  options: BuildOptions,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<number> {
  const cache = new CompilationCache();
  let isRepeated = false;
  const run = async (note: (file: string) => void): Promise<void> => {
    await build(path, options, terminal, { cache, note, isRepeated });
    isRepeated = true;
  };
  return repeatOnChanges({ run, format: options.format, isQuiet: options.quiet === true }, terminal, stop);
}
