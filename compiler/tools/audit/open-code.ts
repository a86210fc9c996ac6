/** Publicly callable user code: only its author knows whether it uses databases and other systems. */
import { isOpen } from '../../analyze/operations/authentications/accepted.js';
import { allSteps, type ServiceView } from '../explain/service-view.js';
import { nodesOf } from '../../read/config/walk.js';
import { readsRequest } from '../../read/expression/visit.js';
import type { Span } from '../../read/source.js';
import type { Risk } from './risk.js';

export function openCode(view: ServiceView): Risk[] {
  return view.operations.flatMap((operation): Risk[] => {
    const { name } = operation.checked.operation;
    const accepted = view.plan.access.get(name.value) ?? [];
    if (operation.plan.endpoint === undefined || !isOpen(accepted)) return [];
    const steps = allSteps(operation).flatMap(({ viewed }) => (viewed.kind === 'code' ? [viewed] : []));
    // A function of values that the caller does not choose computes what its author expects.
    const calls = nodesOf(operation.checked.operation).flatMap((node) =>
      node.kind === 'code' && node.input.some(readsRequest) ? [node] : [],
    );
    const ofSteps = riskOf(
      name.value,
      steps.map(({ step, checked }) => ({ name: step.function, span: checked.written.function.span })),
      'Make sure that this code validates its input: it has access to the databases, without the limits of the language.',
    );
    const ofCalls = riskOf(
      name.value,
      calls.map((node) => ({ name: node.function, span: node.functionSpan })),
      'Make sure that this code is fast for any input: a running function cannot be stopped, and other requests wait for it.',
    );
    return [...ofSteps, ...ofCalls];
  });
}

/** The risk of these functions; empty if there are none. */
function riskOf(
  operation: string,
  functions: readonly { readonly name: string; readonly span: Span }[],
  hint: string,
): Risk[] {
  const [first] = functions;
  if (first === undefined) return [];
  const files = [...new Set(functions.map(({ name }) => `src/code/${name}.ts`))];
  const message = `Anyone may call '${operation}', which runs ${files.join(', ')}.`;
  return [{ rule: 'open-code', severity: 'low', span: first.span, message, hint }];
}
