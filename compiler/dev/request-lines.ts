/** A request under `apikiln dev` as lines for the terminal: status, time, and the steps that its operation took. */
import type { Trace, TraceStep } from '../../runtime/trace/steps.js';
import type { Colours } from '../diagnostics/print-diagnostic.js';

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

/** So many steps are printed, and so much of a SQL text. */
const maxSteps = 20;
const longestSql = 90;

export function requestLines(request: SeenRequest, colours: Colours): string[] {
  const { method, target, status, milliseconds, trace } = request;
  const paint = status >= 500 ? colours.red : status >= 400 ? colours.yellow : colours.bold;
  return [
    `${paint(String(status))} ${printable(`${method} ${target}`)} ${colours.dim(duration(milliseconds))}`,
    ...traceLines(trace, colours),
  ];
}

export function runLines({ operation, succeeded, milliseconds, trace }: SeenRun, colours: Colours): string[] {
  const outcome = succeeded ? colours.bold('ran') : colours.red('failed');
  return [
    `${outcome} ${printable(operation)} ${colours.dim(duration(milliseconds))}`,
    ...traceLines(trace, colours),
  ];
}

function traceLines(trace: Trace | undefined, colours: Colours): string[] {
  if (trace === undefined) return [];
  const steps = linesOf(trace.steps, '  ');
  const shown = steps.slice(0, maxSteps);
  const rest = steps.length - shown.length + trace.omitted;
  return [
    ...shown.map((line) => colours.dim(line)),
    ...(rest > 0 ? [colours.dim(`  ${rest} more steps`)] : []),
    ...(trace.failure === undefined ? [] : [colours.red(`  ${printable(trace.failure)}`)]),
  ];
}

function linesOf(steps: readonly TraceStep[], indent: string): string[] {
  return steps.flatMap((step) => {
    const line = `${indent}${printable(textOf(step))}`;
    return 'steps' in step ? [line, ...linesOf(step.steps, `${indent}  `)] : [line];
  });
}

function textOf(step: TraceStep): string {
  switch (step.kind) {
    case 'statement': {
      const count = step.affected ?? step.rows;
      const rows = count === undefined ? '' : `, ${count} ${count === 1 ? 'row' : 'rows'}`;
      return `${step.fulfillment}: ${shortened(step.sql)}${rows}${timeOf(step)}`;
    }
    case 'request':
      return `${step.fulfillment}: ${step.method} ${step.url}${step.status === undefined ? '' : `, ${step.status}`}${timeOf(step)}`;
    case 'loop':
      return `${step.fulfillment}: LOOP, ${step.iterations} ${step.iterations === 1 ? 'iteration' : 'iterations'}`;
    case 'iteration':
      return `iteration ${step.position}`;
    case 'reference':
      return `${step.fulfillment}: calls '${step.operation}'${timeOf(step)}`;
    case 'default':
      return `response ${step.name}`;
    default:
      return `${step.name}: ${step.kind} ${step.condition} is ${String(step.holds)}`;
  }
}

function timeOf({
  milliseconds,
  failure,
}: {
  readonly milliseconds?: number;
  readonly failure?: string;
}): string {
  return `${milliseconds === undefined ? '' : `, ${duration(milliseconds)}`}${failure === undefined ? '' : `: ${failure}`}`;
}

function duration(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`;
}

function shortened(sql: string): string {
  const line = sql.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestSql ? `${line.slice(0, longestSql - 1)}…` : line;
}

/** A request must not steer the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '?');
}
