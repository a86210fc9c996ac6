/** Prints a request to `apikiln dev` as terminal lines: status, time, and the steps of its operation. */
import type { Trace } from '../../../runtime/trace/steps.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import { screen, type Colours, type Shown } from '../../notation/screen-writer.js';
import { duration, stepLines } from '../local/step-lines.js';

export interface SeenRequest {
  readonly method: string;
  /** The target as sent. */
  readonly target: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Undefined if no operation ran. */
  readonly trace: Trace | undefined;
  /** Why its credentials were refused; undefined if they were not. */
  readonly refusal?: string | undefined;
  /** Whether it lacks the headers with which browsers name the page that sends a request. */
  readonly isFromProgram?: boolean;
}

/** A timed operation run from the page. */
export interface SeenRun {
  readonly operation: string;
  readonly succeeded: boolean;
  readonly milliseconds: number;
  /** Undefined if the operation did not finish. */
  readonly trace: Trace | undefined;
}

/** Maximum number of printed steps. */
const maxSteps = 20;

export function requestLines(request: SeenRequest, colours: Colours): Shown[] {
  const { method, target, status, milliseconds, trace, refusal, isFromProgram } = request;
  const paint = status >= 500 ? colours.red : status >= 400 ? colours.yellow : colours.bold;
  const reason =
    refusal === undefined
      ? screen``
      : screen` ${paint(screen`credentials refused: ${screen.text(refusal)}`)}`;
  const advice =
    refusal === 'origin' && isFromProgram === true
      ? [colours.dim(screen`  Outside of a browser, add a header: curl -H 'Sec-Fetch-Site: same-origin'`)]
      : [];
  return [
    screen`${paint(screen`${status}`)} ${screen.text(`${method} ${target}`)} ${colours.dim(screen.text(duration(milliseconds)))}${reason}`,
    ...advice,
    ...traceLines(trace, colours),
  ];
}

export function runLines({ operation, succeeded, milliseconds, trace }: SeenRun, colours: Colours): Shown[] {
  const outcome = succeeded ? colours.bold(screen`ran`) : colours.red(screen`failed`);
  return [
    screen`${outcome} ${screen.text(operation)} ${colours.dim(screen.text(duration(milliseconds)))}`,
    ...traceLines(trace, colours),
  ];
}

function traceLines(trace: Trace | undefined, colours: Colours): Shown[] {
  if (trace === undefined) return [];
  const steps = stepLines(trace.steps, { longestSql: 90, hasTimes: true }).map(screen.text);
  const shown = steps.slice(0, maxSteps);
  const rest = steps.length - shown.length + trace.omitted;
  return [
    ...shown.map((line) => colours.dim(line)),
    ...(rest > 0 ? [colours.dim(screen.text(`  ${counted(rest, 'more step')}`))] : []),
    ...(trace.failure === undefined || shown.at(-1)?.includes(screen.text(trace.failure)) === true
      ? []
      : [colours.red(screen`  ${screen.text(trace.failure)}`)]),
  ];
}
