/** The calls of a failed test, with their steps. */
import type { Trace } from '../../../../runtime/trace/steps.js';
import { stepLines } from '../../local/step-lines.js';

/** Maximum number of lines. */
const maxLines = 40;

export function callLines(traces: readonly Trace[]): string[] {
  const lines = traces.flatMap(({ operation, status, failure, steps }) => [
    `${operation} → ${status}${failure === undefined ? '' : `: ${failure}`}`,
    ...stepLines(steps, { longestSql: 160, hasTimes: false }),
  ]);
  return lines.length <= maxLines
    ? lines
    : [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more`];
}
