/** `--error`, `--warn` and `--off`: severities for a run. */
import { allCodes, canBeLowered } from '../../../analyze/check/disable-comments.js';
import type { Severities, Severity } from '../../../read/diagnostics/diagnostic.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { CommandError, exitStatus } from './output/exit-status.js';
import { didYouMean } from '../../../read/diagnostics/catalogue/entry-messages.js';

/** Diagnostic codes from the command line. */
export interface SeverityOptions {
  readonly error?: readonly string[];
  readonly warn?: readonly string[];
  readonly off?: readonly string[];
}

/** Throws a CommandError if a code is unknown, is named twice, or cannot be lowered. */
export function severitiesOf({ error = [], warn = [], off = [] }: SeverityOptions): Severities {
  const severities = new Map<string, Severity | 'off'>();
  const set = (code: string, severity: Severity | 'off', option: string): void => {
    if (!allCodes().includes(code)) throw unknownCode(code, option);
    if (severity !== 'error' && !canBeLowered(code))
      throw new CommandError(
        exitStatus.usage,
        `${option} ${code}: this error cannot be lowered, because no service can be generated while it is reported. Fix it in the configuration.`,
      );
    const other = severities.get(code);
    if (other !== undefined && other !== severity)
      throw new CommandError(
        exitStatus.usage,
        `${option} ${code}: it already has another severity. Name each code once.`,
      );
    severities.set(code, severity);
  };
  for (const code of error) set(code, 'error', '--error');
  for (const code of warn) set(code, 'warning', '--warn');
  for (const code of off) set(code, 'off', '--off');
  return severities;
}

function unknownCode(written: string, option: string): CommandError {
  return new CommandError(
    exitStatus.usage,
    `${option} ${written}: unknown diagnostic code. ${didYouMean(nearest(written, allCodes())) ?? "'apikiln explain --codes' lists all codes."}`,
  );
}
