/** `apikiln build --watch`: builds, and builds again whenever a file that the build has read changes. */
import { relative } from 'node:path';
import { CompilationCache } from '../emit/compilation-cache.js';
import { build, type BuildOptions } from './build.js';
import { CommandError, exitStatus } from './exit-status.js';
import { reportFailure } from './failure.js';
import type { Terminal } from './terminal.js';
import { changed, stateOf, type FileStates } from './watched-files.js';

/** Continues until `stop`, even if the configuration has errors; only wrong use ends it at once. */
export async function watch(
  path: string | undefined,
  options: BuildOptions,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<number> {
  const cache = new CompilationCache();
  const log = (text: string): void => {
    if (options.quiet !== true) terminal.log(text);
  };
  let isRepeated = false;
  while (!stop.aborted) {
    const states: FileStates = new Map();
    const note = (file: string): void => {
      if (!states.has(file)) states.set(file, stateOf(file));
    };
    try {
      await build(path, options, terminal, { cache, note, isRepeated });
      isRepeated = true;
    } catch (error) {
      if (!(error instanceof CommandError) || error.status === exitStatus.usage) throw error;
      reportFailure(error, options.format, '', terminal);
    }
    terminal.stage?.(undefined);
    log('Waiting for changes; Ctrl-C ends it.');
    const names = (await changed(states, stop)).map((file) => relative(terminal.folder, file));
    if (names.length > 0) log(`\n${names.join(', ')}: changed`);
  }
  return exitStatus.fine;
}
