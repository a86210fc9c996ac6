/** Changes of what own code gets and returns: its owner has to follow them. */
import { explainSteps } from '../explain/explain-steps.js';
import type { ExplainedStep } from '../explain/explained.js';
import { allSteps, type ServiceView, type ViewedOperation } from '../explain/service-view.js';

type Code = Extract<ExplainedStep, { kind: 'code' }>;

/** One text for each change of a function that both call. */
export function codeChanges(
  old: ViewedOperation | undefined,
  now: ViewedOperation | undefined,
  before: ServiceView,
  after: ServiceView,
): string[] {
  if (old === undefined || now === undefined) return [];
  const earlier = new Map(codeOf(old, before).map((step) => [step.fulfillment, step]));
  return codeOf(now, after).flatMap((step) => {
    const was = earlier.get(step.fulfillment);
    if (was?.function !== step.function) return [];
    const file = `src/code/${step.function}.ts`;
    return [
      ...(was.input === step.input ? [] : [`${file} gets another input: ${step.input ?? 'none'}`]),
      ...(was.returns === step.returns
        ? []
        : [`${file} must return something else: ${step.returns ?? 'nothing'}`]),
    ];
  });
}

function codeOf(operation: ViewedOperation, view: ServiceView): Code[] {
  // Explanations are made only where there is own code.
  if (!allSteps(operation).some(({ viewed }) => viewed.kind === 'code')) return [];
  const flat = (steps: readonly ExplainedStep[]): Code[] =>
    steps.flatMap((step) => (step.kind === 'loop' ? flat(step.steps) : step.kind === 'code' ? [step] : []));
  return flat(explainSteps(operation, view));
}
