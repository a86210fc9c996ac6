/** How a command ends that cannot do its work: in one sentence, or with `--format json` as the one JSON document. */
import { CommandError, exitStatus } from './exit-status.js';
import type { Terminal } from './terminal.js';

/** Prints why a command has ended, and gives its exit status. */
export function tellFailure(
  error: unknown,
  format: 'text' | 'json',
  version: string,
  terminal: Terminal,
): number {
  if (error instanceof CommandError) {
    tell({ status: error.status, message: error.message }, [], format, terminal);
    return error.status;
  }
  const message =
    'This is a bug in apikiln. Please report it with these lines and, without its secrets, the configuration.';
  tell({ status: exitStatus.bug, message }, linesAbout(error, version), format, terminal);
  return exitStatus.bug;
}

function tell(
  failure: { readonly status: number; readonly message: string },
  details: readonly string[],
  format: 'text' | 'json',
  terminal: Terminal,
): void {
  if (format === 'text') terminal.tell([failure.message, ...details.map((line) => `  ${line}`)].join('\n'));
  else {
    const error = details.length === 0 ? failure : { ...failure, details };
    terminal.print(JSON.stringify({ diagnostics: [], error }, null, 2));
  }
}

/** What went wrong and where in the compiler; nothing of the configuration, which may be a secret. */
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
