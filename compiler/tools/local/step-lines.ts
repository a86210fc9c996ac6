/** The steps of a call as lines of text, shared by `dev` and `test`. */
import type { Trace, TraceStep } from '../../../runtime/trace/steps.js';
import { counted } from '../../read/diagnostics/quoted-list.js';

export interface StepStyle {
  /** Maximum characters of SQL that are printed. */
  readonly longestSql: number;
  /** Whether to print the duration of steps. */
  readonly hasTimes: boolean;
}

export function stepLines(steps: Trace['steps'], style: StepStyle, indent = '  '): string[] {
  return steps.flatMap((step) => {
    const line = `${indent}${textOf(step, style)}`;
    return 'steps' in step ? [line, ...stepLines(step.steps, style, `${indent}  `)] : [line];
  });
}

function textOf(step: TraceStep, style: StepStyle): string {
  switch (step.kind) {
    case 'statement':
      return `${step.fulfillment}: ${shortened(step.sql, style)} → ${step.failure ?? changed(step)}${timeOf(step, style)}`;
    case 'request':
      return `${step.fulfillment}: ${step.method} ${step.url} (${step.datasource}) → ${triesOf(step)}${step.failure ?? step.status ?? 'no response'}${endOf(step)}${timeOf(step, style)}`;
    case 'message':
      return `${step.fulfillment}: message (${step.datasource}) → ${step.failure ?? step.status ?? 'not sent'}${timeOf(step, style)}`;
    case 'loop':
      return `${step.fulfillment}: loop, ${counted(step.iterations, 'iteration')}`;
    case 'iteration':
      return `iteration ${step.position + 1}`;
    case 'reference':
      return `${step.fulfillment}: calls '${step.operation}'${step.isDeferred === true ? ' after the commit' : ''}${step.failure === undefined ? '' : ` → ${step.failure}`}${timeOf(step, style)}`;
    case 'code':
      return `${step.fulfillment}: own code, src/code/${step.function}.ts${step.failure === undefined ? '' : ` → ${step.failure}`}${timeOf(step, style)}`;
    case 'compute':
      return `${step.fulfillment}: computed${step.failure === undefined ? '' : ` → ${step.failure}`}${timeOf(step, style)}`;
    case 'default':
      return `response ${step.name} (default)`;
    default:
      return `${step.name}: ${conditions[step.kind]} ${step.condition} → ${String(step.holds)}`;
  }
}

/** Statuses and failures of all tries except the last one. */
function triesOf({ tries = [] }: Extract<TraceStep, { kind: 'request' }>): string {
  return tries
    .slice(0, -1)
    .map((outcome) => `${outcome}, again → `)
    .join('');
}

function endOf({ end }: Extract<TraceStep, { kind: 'request' }>): string {
  return end === undefined ? '' : `, no further try: ${end}`;
}

const conditions = {
  if: 'if',
  instruction: 'instruction if',
  exception: 'exception if',
  loopbreak: 'loopbreak',
  response: 'response if',
} as const;

/** PostgreSQL does not report a count for a change without RETURNING. */
function changed({ affected, rows, milliseconds }: Extract<TraceStep, { kind: 'statement' }>): string {
  if (affected !== undefined) return `${affected} changed`;
  if (rows !== undefined) return counted(rows, 'row');
  return milliseconds === undefined ? 'no result' : 'done';
}

function timeOf({ milliseconds }: { readonly milliseconds?: number }, { hasTimes }: StepStyle): string {
  return !hasTimes || milliseconds === undefined ? '' : `, ${duration(milliseconds)}`;
}

export function duration(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`;
}

/** Puts SQL on one line, without line comments, which would swallow the rest. */
function shortened(sql: string, { longestSql }: StepStyle): string {
  const withoutComments = sql.replaceAll(/('[^']*'|"[^"]*")|--[^\n]*/g, '$1');
  const line = withoutComments.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestSql ? `${line.slice(0, longestSql - 1)}…` : line;
}
