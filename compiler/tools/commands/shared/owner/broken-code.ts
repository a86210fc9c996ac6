/** User files that are not valid TypeScript. */
import { join, relative } from 'node:path';
import { syntaxErrorsIn } from '../../../typescript/syntax-errors.js';
import { CommandError, exitStatus } from '../output/exit-status.js';
import type { OwnFiles } from './own-files.js';

export class BrokenCode extends CommandError {
  constructor(
    /** Position and message of each error. */
    readonly lines: readonly string[],
  ) {
    super(exitStatus.errors, lines.join('\n'));
  }
}

/** Throws a BrokenCode, with paths relative to `from`. */
export function refuseBrokenCode({ folder, files }: OwnFiles, from: string): void {
  if (folder === undefined) return;
  const lines = files.flatMap((file) =>
    syntaxErrorsIn(file).map(
      ({ line, column, message }) =>
        `${relative(from, join(folder, file.path))}:${line}:${column}: ${message}`,
    ),
  );
  if (lines.length > 0) throw new BrokenCode(lines);
}
