/** What a call did, step by step, as lines of text. */
import type { Trace, TraceStep } from '../../runtime/trace/steps.js';

/** Maximum number of lines. */
const maxLines = 40;

/** The steps of the calls of a test that failed. */
export function stepLines(traces: readonly Trace[]): string[] {
  const lines = traces.flatMap(({ operation, status, failure, steps }) => [
    `${operation} → ${status}${failure === undefined ? '' : `: ${failure}`}`,
    ...steps.flatMap((step) => linesOf(step, '  ')),
  ]);
  return lines.length <= maxLines
    ? lines
    : [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more`];
}

function linesOf(step: TraceStep, indent: string): string[] {
  switch (step.kind) {
    case 'statement': {
      const outcome =
        step.failure ??
        (step.affected === undefined ? rows(step.rows, step.milliseconds) : `${step.affected} changed`);
      return [`${indent}${step.fulfillment}: ${oneLine(step.sql)} → ${outcome}`];
    }
    case 'request':
      return [
        `${indent}${step.fulfillment}: ${step.method} ${step.url} (${step.datasource}) → ${step.failure ?? step.status ?? 'no response'}`,
      ];
    case 'loop':
      return [
        `${indent}${step.fulfillment}: loop, ${step.iterations} iterations`,
        ...step.steps.flatMap((inner) => linesOf(inner, `${indent}  `)),
      ];
    case 'iteration':
      return [
        `${indent}iteration ${step.position + 1}`,
        ...step.steps.flatMap((inner) => linesOf(inner, `${indent}  `)),
      ];
    case 'reference':
      return [
        `${indent}${step.fulfillment}: calls ${step.operation}${step.failure === undefined ? '' : ` → ${step.failure}`}`,
        ...step.steps.flatMap((inner) => linesOf(inner, `${indent}  `)),
      ];
    case 'default':
      return [`${indent}response ${step.name} (default)`];
    default:
      return [`${indent}${step.name}: ${words[step.kind]} ${step.condition} → ${String(step.holds)}`];
  }
}

const words = {
  if: 'if',
  instruction: 'instruction if',
  exception: 'exception if',
  loopbreak: 'loopbreak',
  response: 'response if',
} as const;

/** PostgreSQL reports no number for a change without RETURNING. */
function rows(count: number | undefined, milliseconds: number | undefined): string {
  if (count === undefined) return milliseconds === undefined ? 'no response' : 'done';
  return count === 1 ? '1 row' : `${count} rows`;
}

function oneLine(sql: string): string {
  const text = sql.trim().replaceAll(/\s+/g, ' ');
  return text.length <= 160 ? text : `${text.slice(0, 160)}…`;
}
