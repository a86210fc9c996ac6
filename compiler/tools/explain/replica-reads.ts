/** Which READs of an operation may run on a read replica: those of a request that only reads, until something may change. */
import type { ExplainedReplica, ExplainedStep } from './explained.js';

type Steps = readonly ExplainedStep[];

/** `stepsOf` returns the steps of a called operation; undefined if they run in a transaction. */
export function replicaReads(
  operation: string,
  steps: Steps,
  variableOf: (datasource: string) => string,
  stepsOf: (operation: string) => Steps | undefined,
): ExplainedReplica[] {
  if (!/^(?:GET|HEAD) /.test(operation)) return [];
  const first = steps.findIndex((step) => mayChange(step, stepsOf, new Set()));
  const found = new Map<string, string[]>();
  for (const { datasource, fulfillment } of readsIn(first === -1 ? steps : steps.slice(0, first)))
    found.set(datasource, [...(found.get(datasource) ?? []), fulfillment]);
  return [...found].map(([datasource, of]) => ({ datasource, of, variable: variableOf(datasource) }));
}

function readsIn(steps: Steps): Extract<ExplainedStep, { kind: 'statements' }>[] {
  return steps.flatMap((step) => {
    if (step.kind === 'loop') return readsIn(step.steps);
    return step.kind === 'statements' && step.statements.length > 0 ? [step] : [];
  });
}

/** Whether reads after this step must be current. */
function mayChange(
  step: ExplainedStep,
  stepsOf: (operation: string) => Steps | undefined,
  seen: ReadonlySet<string>,
): boolean {
  switch (step.kind) {
    case 'statements':
      return step.use === 'UPDATE' || step.statements.some(({ retried }) => !retried);
    case 'requests':
      return step.requests.some(({ method }) => method !== 'GET' && method !== 'HEAD');
    case 'messages':
      return step.messages.some(({ delivery }) => delivery === null);
    case 'loop':
      return step.steps.some((inside) => mayChange(inside, stepsOf, seen));
    case 'call': {
      // Storing a call is a change.
      if (step.delivery !== undefined) return true;
      if (seen.has(step.operation)) return false;
      const steps = stepsOf(step.operation);
      const all = new Set([...seen, step.operation]);
      return steps === undefined || steps.some((inside) => mayChange(inside, stepsOf, all));
    }
    case 'code':
      return true;
    case 'compute':
      return false;
  }
}
