/** Where a command prints: results to standard output, messages to standard error. */
import picocolors from 'picocolors';
import type { Colours } from '../diagnostics/print-diagnostic.js';

export interface Terminal {
  /** Where relative paths begin. */
  readonly folder: string;
  /** A line of the result. */
  readonly print: (text: string) => void;
  /** A line for the person in front of it. */
  readonly tell: (text: string) => void;
  readonly colours: Colours;
}

export function terminalOf(process: NodeJS.Process, useColours: boolean): Terminal {
  return {
    folder: process.cwd(),
    print: (text) => process.stdout.write(`${text}\n`),
    tell: (text) => process.stderr.write(`${text}\n`),
    colours: picocolors.createColors(useColours),
  };
}
