/** `build --watch` and `test --watch`: runs a command again whenever a file that it read changes. */
import { screen } from '../../../notation/screen-writer.js';
import { CommandError, exitStatus } from './output/exit-status.js';
import { reportFailure } from './output/failure.js';
import type { Terminal } from './output/terminal.js';
import { changed, changedLine, stateOf, type FileStates } from './files/watched-files.js';

interface Repeated {
  /** Must pass each file that it reads to `note`. */
  readonly run: (note: (file: string) => void) => Promise<unknown>;
  readonly format: Parameters<typeof reportFailure>[1];
  readonly isQuiet: boolean;
}

/** Runs until `stop`, even if the configuration has errors; only incorrect use ends it immediately. */
export async function repeatOnChanges(
  { run, format, isQuiet }: Repeated,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<number> {
  const log = (text: string): void => {
    if (!isQuiet) terminal.log(screen.lines(text));
  };
  while (!stop.aborted) {
    const states: FileStates = new Map();
    try {
      await run((file) => {
        if (!states.has(file)) states.set(file, stateOf(file));
      });
    } catch (error) {
      if (!(error instanceof CommandError) || error.status === exitStatus.usage) throw error;
      reportFailure(error, format, '', terminal);
    }
    terminal.stage?.(undefined);
    log('Waiting for changes; Ctrl-C ends it.');
    const files = await changed(states, stop);
    if (files.length > 0) log(`\n${changedLine(files, terminal.folder)}`);
  }
  return exitStatus.fine;
}
