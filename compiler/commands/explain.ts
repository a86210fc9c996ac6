/** `apikiln explain`: what a code means, or all codes. */
import { CommandError, exitStatus } from './exit-status.js';
import { explainCode, listCodes } from './explain-code.js';
import type { Terminal } from './terminal.js';

export interface ExplainOptions {
  readonly codes?: boolean;
  readonly format: 'text' | 'json';
}

export function explain(
  subject: string | undefined,
  { codes, format }: ExplainOptions,
  terminal: Terminal,
): number {
  if (codes === true) return listCodes(format, terminal);
  if (subject !== undefined) return explainCode(subject, format, terminal);
  throw new CommandError(
    exitStatus.usage,
    "Name the code of a diagnostic, such as 'unknown-field', or list them with --codes.",
  );
}
