/** Files of a service's owner that are no TypeScript. */
import { join, relative } from 'node:path';
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

/** Throws a BrokenCode, with paths from that folder. */
export async function refuseBrokenCode({ folder, files }: OwnFiles, from: string): Promise<void> {
  if (folder === undefined || files.length === 0) return;
  // Loaded here, because it brings the TypeScript compiler.
  const { syntaxErrorsIn } = await import('../../../../generate/emit/module/transpile.js');
  const lines = files.flatMap((file) =>
    syntaxErrorsIn(file).map(
      ({ line, column, message }) =>
        `${relative(from, join(folder, file.path))}:${line}:${column}: ${message}`,
    ),
  );
  if (lines.length > 0) throw new BrokenCode(lines);
}
