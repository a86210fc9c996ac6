/** Publicly callable user code: only its author knows whether it uses databases and other systems. */
import { isOpen } from '../../analyze/operations/authentications/accepted.js';
import { allSteps, type ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';

export function openCode(view: ServiceView): Risk[] {
  return view.operations.flatMap((operation): Risk | [] => {
    const { name } = operation.checked.operation;
    const accepted = view.plan.access.get(name.value) ?? [];
    if (operation.plan.endpoint === undefined || !isOpen(accepted)) return [];
    const steps = allSteps(operation).flatMap(({ viewed }) => (viewed.kind === 'code' ? [viewed] : []));
    const [first] = steps;
    if (first === undefined) return [];
    const files = [...new Set(steps.map(({ step }) => `src/code/${step.function}.ts`))];
    return {
      ...{ rule: 'open-code', severity: 'low', span: first.checked.written.function.span },
      message: `Anyone may call '${name.value}', which runs ${files.join(', ')}.`,
      hint: 'Make sure that this code validates its input: it has access to the databases, without the limits of the language.',
    };
  });
}
