/** Functions with which handlers record their steps. Each returns its argument: `traced.if(name, condition, holds)` is `holds`. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { currentScope } from './recording.js';
import type { DecisionKind, LoopStep, TraceStep } from './steps.js';

type Decide = (name: string, condition: string, holds: boolean) => boolean;

function decide(kind: DecisionKind): Decide {
  return (name, condition, holds) => {
    currentScope()?.add({ kind, name, condition, holds });
    return holds;
  };
}

export const traced = {
  /** The `if` of a fulfillment. */
  if: decide('if'),
  /** The `if` of an instruction or query. */
  instruction: decide('instruction'),
  /** The `if` of an exception. */
  exception: decide('exception'),
  loopbreak: decide('loopbreak'),
  /** The `if` of a response. */
  response: decide('response'),

  /** The default response was chosen. */
  default(name: string): void {
    currentScope()?.add({ kind: 'default', name });
  },

  /** The elements of a LOOP whose iterations run one after the other. */
  *loop<Element>(fulfillment: string, elements: Iterable<Element>): Generator<Element, void> {
    const scope = currentScope();
    if (scope === undefined) {
      yield* elements;
      return;
    }
    const around = scope.steps;
    const loop = scope.add<LoopStep>({ kind: 'loop', fulfillment, iterations: 0, steps: [] });
    try {
      for (const element of elements) {
        scope.steps = loop.steps;
        scope.steps = scope.add({ kind: 'iteration', position: loop.iterations, steps: [] }).steps;
        loop.iterations += 1;
        yield element;
      }
    } finally {
      scope.steps = around;
    }
  },

  /** The iterations of a LOOP with `concurrency`. */
  iterations<Element>(
    fulfillment: string,
    run: (element: Element, position: number) => Promise<void>,
  ): (element: Element, position: number) => Promise<void> {
    const scope = currentScope();
    if (scope === undefined) return run;
    const loop = scope.add<LoopStep>({ kind: 'loop', fulfillment, iterations: 0, steps: [] });
    return (element, position) => {
      loop.iterations += 1;
      const { steps } = scope.at(loop.steps).add({ kind: 'iteration', position, steps: [] });
      return scope.at(steps).run(() => run(element, position));
    };
  },

  /** The steps of a transaction. After a conflict they run again; the trace has the last run. */
  attempt<Own extends Call, Result>(run: (call: Own) => Promise<Result>): (call: Own) => Promise<Result> {
    const scope = currentScope();
    if (scope === undefined) return run;
    const { steps } = scope;
    const { length } = steps;
    return (call) => {
      steps.length = length;
      return run(call);
    };
  },

  /** A call of a user function. */
  code<Result>(fulfillment: string, name: string, run: () => Promise<Result>): Promise<Result> {
    const scope = currentScope();
    return scope === undefined ? run() : scope.timed({ kind: 'code', fulfillment, function: name }, run);
  },

  /** A reference call. */
  reference<Body extends Json>(
    fulfillment: string,
    operation: string,
    run: () => Promise<Body>,
  ): Promise<Body> {
    const scope = currentScope();
    if (scope === undefined) return run();
    const steps: TraceStep[] = [];
    return scope.timed({ kind: 'reference', fulfillment, operation, steps }, () => scope.at(steps).run(run));
  },
};
