/** Functions with which handlers record their steps. Conditions are passed through: `traced.if(name, condition, holds)` returns `holds`. */
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

  /** Yields the elements of a LOOP with sequential iterations. */
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

  /** Records the iterations of a LOOP with `concurrency`. */
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

  /** Records the steps of a transaction. After a conflict, the steps run again, and the trace only contains the last run. */
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

  /** Records a call of a user function. */
  code<Result>(fulfillment: string, name: string, run: () => Promise<Result>): Promise<Result> {
    const scope = currentScope();
    return scope === undefined ? run() : scope.timed({ kind: 'code', fulfillment, function: name }, run);
  },

  /** Records a COMPUTE, which may wait for the hash of a password. */
  compute<Result>(fulfillment: string, run: () => Promise<Result>): Promise<Result> {
    const scope = currentScope();
    return scope === undefined ? run() : scope.timed({ kind: 'compute', fulfillment }, run);
  },

  /** Records a reference call. */
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
