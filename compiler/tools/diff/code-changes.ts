/** Changes to the inputs and results of user functions, which their authors must follow. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { explainSteps } from '../explain/explain-steps.js';
import type { ExplainedStep } from '../explain/explained.js';
import { allSteps, type ServiceView, type ViewedOperation } from '../explain/service-view.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import { compareInput, compareOutput, type ShapeChange } from './compare-shapes.js';
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

/** One text per change of a function that expressions of both versions call. */
export function functionChanges(before: ServiceView, after: ServiceView): string[] {
  const earlier = new Map(before.plan.functions.map((one) => [one.name, one]));
  return after.plan.functions.flatMap(({ name, input, returns }) => {
    const was = earlier.get(name);
    if (was === undefined) return [];
    const file = `src/code/${name}.ts`;
    if (was.input.length !== input.length)
      return [`${file} gets ${counted(input.length, 'argument')} now; it got ${was.input.length}`];
    const args = input.flatMap(({ schema }, index) => {
      const old = was.input[index];
      const at = `argument ${index + 1}`;
      return old === undefined ? [] : compareOutput(shapeOfSchema(old.schema), shapeOfSchema(schema), at);
    });
    const result = compareInput(shapeOfSchema(was.returns), shapeOfSchema(returns), 'result');
    return [
      ...breakingTexts(args).map((text) => `${file} gets another type: ${text}`),
      ...breakingTexts(result).map((text) => `${file} must return another type: ${text}`),
    ];
  });
}

function breakingTexts(changes: readonly ShapeChange[]): string[] {
  return changes.flatMap(({ isBreaking, text }) => (isBreaking ? [text] : []));
}

/** Compares results like requests, because the service accepts both. */
function resultChanges(was: Code, now: Code): string[] {
  if (was.result === undefined || now.result === undefined)
    return was.returns === now.returns ? [] : [now.returns ?? 'nothing'];
  return breakingTexts(compareInput(shapeOfSchema(was.result), shapeOfSchema(now.result), 'result'));
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
