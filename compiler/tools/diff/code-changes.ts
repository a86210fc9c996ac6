/** Changes to the inputs and results of user functions, which their authors must follow. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { explainSteps } from '../explain/explain-steps.js';
import type { ExplainedStep } from '../explain/explained.js';
import { allSteps, type ServiceView, type ViewedOperation } from '../explain/service-view.js';
import { compareInput } from './compare-shapes.js';
import { shapeOfSchema } from './value-shape.js';

interface Code extends Extract<ExplainedStep, { kind: 'code' }> {
  /** Schema of the result; undefined if there is none. */
  readonly result: ApiSchema | undefined;
}

/** One text per change of a function that both versions call. */
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
      ...resultChanges(was, step).map((text) => `${file} must return another type: ${text}`),
    ];
  });
}

/** Compares results like requests, because the service accepts both. */
function resultChanges(was: Code, now: Code): string[] {
  if (was.result === undefined || now.result === undefined)
    return was.returns === now.returns ? [] : [now.returns ?? 'nothing'];
  return compareInput(shapeOfSchema(was.result), shapeOfSchema(now.result), 'result').flatMap(
    ({ isBreaking, text }) => (isBreaking ? [text] : []),
  );
}

function codeOf(operation: ViewedOperation, view: ServiceView): Code[] {
  const results = new Map(
    allSteps(operation).flatMap(({ viewed }) =>
      viewed.kind === 'code' ? [[viewed.step.fulfillment, viewed.checked.returns] as const] : [],
    ),
  );
  // Explanations are only created if there are user functions.
  if (results.size === 0) return [];
  const flat = (steps: readonly ExplainedStep[]): Code[] =>
    steps.flatMap((step) => {
      if (step.kind === 'loop') return flat(step.steps);
      return step.kind === 'code' ? [{ ...step, result: results.get(step.fulfillment) }] : [];
    });
  return flat(explainSteps(operation, view));
}
