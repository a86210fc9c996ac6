/** Runs in the browser: shows a trace with one line for each step, including its SQL, and with collapsible loops. */
import type { DecisionStep, Trace, TraceStep } from '../trace/steps.js';

/** The parts of React that are used here. Swagger UI includes React. */
export interface React {
  readonly Fragment: unknown;
  readonly createElement: (type: unknown, props: object | null, ...children: unknown[]) => Element;
  useState<State>(first: State): [State, (next: State) => void];
  useEffect(effect: () => undefined | (() => void), dependencies: readonly unknown[]): void;
}

/** A React element, which is opaque here. */
export interface Element {
  readonly props: unknown;
}

type Create = React['createElement'];

/** Number of iterations that are initially expanded. */
const open = 3;

export function traceView(h: Create, trace: Trace): Element[] {
  const { operation, status, milliseconds, failure, omitted, steps } = trace;
  return [
    line(h, { kind: 'operation', name: operation, facts: [String(status), time(milliseconds)] }),
    list(h, steps),
    ...(failure === undefined ? [] : [h('p', { className: 'trace-failure' }, failure)]),
    ...(omitted === 0
      ? []
      : [h('p', { className: 'trace-note' }, `${omitted} more steps are not in the trace.`)]),
  ];
}

function list(h: Create, steps: readonly TraceStep[]): Element {
  const items = steps.map((step, index) => h('li', { key: index }, ...stepView(h, step)));
  return h('ol', { className: 'trace-steps' }, ...items);
}

function stepView(h: Create, step: TraceStep): Element[] {
  switch (step.kind) {
    case 'statement': {
      const { fulfillment, datasource, sql, rows, affected, isStreamed } = step;
      const count = affected === undefined ? plural(rows, 'row') : `${affected} affected`;
      const way = isStreamed === true ? 'written while they arrived' : '';
      const facts = [datasource, count, way, time(step.milliseconds)];
      return [
        line(h, { kind: 'SQL', name: fulfillment, facts }),
        h('pre', null, sql),
        ...failed(h, step.failure),
      ];
    }
    case 'request': {
      const { fulfillment, datasource, method, url, status, tries = [] } = step;
      const facts = [datasource, ...tries.slice(0, -1), status ?? '', time(step.milliseconds)];
      return [
        line(h, { kind: 'HTTP', name: fulfillment, facts }),
        h('pre', null, `${method} ${url}`),
        ...(step.end === undefined
          ? []
          : [h('p', { className: 'trace-note' }, `no further try: ${step.end}`)]),
        ...failed(h, step.failure),
      ];
    }
    case 'reference': {
      const way = step.isDeferred === true ? 'after the commit' : '';
      const facts = [step.operation, way, time(step.milliseconds)];
      return [line(h, { kind: 'reference', name: step.fulfillment, facts }), list(h, step.steps)];
    }
    case 'message': {
      const facts = [`message (${step.datasource})`, step.status ?? '', time(step.milliseconds)];
      return [line(h, { kind: 'message', name: step.fulfillment, facts }), ...failed(h, step.failure)];
    }
    case 'code': {
      const facts = [`src/code/${step.function}.ts`, time(step.milliseconds)];
      return [line(h, { kind: 'code', name: step.fulfillment, facts }), ...failed(h, step.failure)];
    }
    case 'compute':
      return [
        line(h, { kind: 'COMPUTE', name: step.fulfillment, facts: [time(step.milliseconds)] }),
        ...failed(h, step.failure),
      ];
    case 'loop':
      return [
        line(h, { kind: 'loop', name: step.fulfillment, facts: [plural(step.iterations, 'iteration')] }),
        list(h, step.steps),
      ];
    case 'iteration': {
      const summary = h('summary', null, `iteration ${step.position + 1}`);
      return [h('details', { open: step.position < open }, summary, list(h, step.steps))];
    }
    case 'default':
      return [line(h, { kind: 'response', name: step.name, facts: ['default'], outcome: 'chosen' })];
    default:
      return [decision(h, step)];
  }
}

/** Labels for true and false results of a condition, by kind. */
const outcomes: Readonly<Record<DecisionStep['kind'], readonly [holds: string, not: string]>> = {
  if: ['runs', 'skipped'],
  instruction: ['chosen', 'not chosen'],
  exception: ['fired', 'not fired'],
  loopbreak: ['loop ends', 'loop continues'],
  response: ['chosen', 'not chosen'],
};

function decision(h: Create, { kind, name, condition, holds }: DecisionStep): Element {
  const [yes, no] = outcomes[kind];
  return line(h, { kind, name, condition, outcome: holds ? yes : no, holds });
}

interface Line {
  readonly kind: string;
  readonly name: string;
  readonly condition?: string;
  readonly facts?: readonly string[];
  readonly outcome?: string;
  readonly holds?: boolean;
}

function line(h: Create, { kind, name, condition, facts = [], outcome, holds = true }: Line): Element {
  const part = (className: string, text: string): Element => h('span', { className, key: className }, text);
  return h(
    'div',
    { className: `trace-line trace-${kind.toLowerCase()}${holds ? '' : ' trace-not'}` },
    part('trace-kind', kind),
    part('trace-name', name),
    ...(condition === undefined ? [] : [h('code', { key: 'condition' }, condition)]),
    ...(outcome === undefined ? [] : [part('trace-outcome', outcome)]),
    part('trace-facts', facts.filter((fact) => fact !== '').join(' · ')),
  );
}

function failed(h: Create, failure: string | undefined): Element[] {
  return failure === undefined ? [] : [h('p', { className: 'trace-failure' }, failure)];
}

function plural(count: number | undefined, word: string): string {
  if (count === undefined) return '';
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function time(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : `${milliseconds} ms`;
}
