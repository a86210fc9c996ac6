/** Reports why a command failed: in one sentence or, for programs, as a document. */
import { CommandError, exitStatus } from './exit-status.js';
import { screen } from '../../../../notation/screen-writer.js';
import type { Format } from './formats.js';
import { printFailure, type Failure } from './print-result.js';
import type { Terminal } from './terminal.js';

/** Prints why a command failed, and returns its exit status. */
export function reportFailure(error: unknown, format: Format, version: string, terminal: Terminal): number {
  if (error instanceof CommandError) {
    log({ status: error.status, message: error.message }, format, terminal);
    return error.status;
  }
  const message =
    'This is a bug in apikiln. Please report it with these lines and, without its secrets, the configuration.';
  log({ status: exitStatus.bug, message, details: linesAbout(error, version) }, format, terminal);
  return exitStatus.bug;
}

function log(failure: Failure, format: Format, terminal: Terminal): void {
  const { message, details = [] } = failure;
  if (format === 'text')
    terminal.log(screen.lines([message, ...details.map((line) => `  ${line}`)].join('\n')));
  else printFailure(format, failure, terminal);
}

/** The error and its position in the compiler, without any text from the configuration, which may be secret. */
function linesAbout(error: unknown, version: string): string[] {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const safe = message.replaceAll(/'[^']*'?|"[^"]*"?|`[^`]*`?/g, "'…'").split('\n')[0] ?? '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [
    `apikiln ${version}, Node ${process.versions.node}, ${process.platform}`,
    `${name}: ${safe}`,
    ...frames.slice(0, 12).map((line) => line.trim()),
  ];
}
