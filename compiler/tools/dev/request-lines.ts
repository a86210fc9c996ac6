/** A request under `apikiln dev` as lines for the terminal: status, time, and the steps that its operation took. */
import type { Trace } from '../../../runtime/trace/steps.js';
import type { Colours } from '../../read/diagnostics/print/print-diagnostic.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import { visible } from '../../read/diagnostics/visible.js';
import { duration, stepLines } from '../local/step-lines.js';

export interface SeenRequest {
  readonly method: string;
  /** As it was sent. */
  readonly target: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Undefined where no operation ran. */
  readonly trace: Trace | undefined;
}

/** A timed operation that was run at once. */
export interface SeenRun {
  readonly operation: string;
  readonly succeeded: boolean;
  readonly milliseconds: number;
  /** Undefined where it did not end. */
  readonly trace: Trace | undefined;
}

/** The number of steps that are printed. */
const maxSteps = 20;

export function requestLines(request: SeenRequest, colours: Colours): string[] {
  const { method, target, status, milliseconds, trace } = request;
  const paint = status >= 500 ? colours.red : status >= 400 ? colours.yellow : colours.bold;
  return [
    `${paint(String(status))} ${visible(`${method} ${target}`)} ${colours.dim(duration(milliseconds))}`,
    ...traceLines(trace, colours),
  ];
}

export function runLines({ operation, succeeded, milliseconds, trace }: SeenRun, colours: Colours): string[] {
  const outcome = succeeded ? colours.bold('ran') : colours.red('failed');
  return [
    `${outcome} ${visible(operation)} ${colours.dim(duration(milliseconds))}`,
    ...traceLines(trace, colours),
  ];
}

function traceLines(trace: Trace | undefined, colours: Colours): string[] {
  if (trace === undefined) return [];
  const steps = stepLines(trace.steps, { longestSql: 90, hasTimes: true }).map(visible);
  const shown = steps.slice(0, maxSteps);
  const rest = steps.length - shown.length + trace.omitted;
  return [
    ...shown.map((line) => colours.dim(line)),
    ...(rest > 0 ? [colours.dim(`  ${counted(rest, 'more step')}`)] : []),
    ...(trace.failure === undefined || shown.at(-1)?.includes(visible(trace.failure)) === true
      ? []
      : [colours.red(`  ${visible(trace.failure)}`)]),
  ];
}
