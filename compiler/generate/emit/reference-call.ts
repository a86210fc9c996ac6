/** Calls of other handlers with a call of their own (decisions 7.6), and of own code with its input (extensions 12.13). */
import type { Schema } from '../plan/model.js';
import type { CodeStep, ReferenceStep } from '../plan/operation-plan.js';
import { argument } from './module/emitted-expression.js';
import type { HandlerContext } from './context.js';
import { emitExpression } from './expression.js';
import type { Scope } from './scope.js';
import { property, stringLiteral } from '../../notation/typescript-writer.js';
import { emitSchema, type EmittedSchema } from './schema.js';
import { functionsModule } from './service/function-types.js';
import { eitherValue, valueOfKinds } from './types/known-value.js';

/** The call of the other handler, which returns a promise of the body of its reply. */
export function emitReference(
  { called, parameters, body, fulfillment, continues }: ReferenceStep,
  context: HandlerContext,
): string {
  const name = `fulfillment ${fulfillment}`;
  const passed = parameters.map(({ name: key, value }) => ({
    key,
    ...emitPassed(value, context.scope, name),
  }));
  const sent = body && emitPassed(body, context.scope, name);
  const fields = [
    ...(passed.length === 0
      ? []
      : [`parameters: { ${passed.map(({ key, text }) => property(key, text)).join(', ')} }`]),
    ...(sent === undefined ? [] : [property('body', sent.text)]),
  ];
  const options = fields.length === 0 ? '' : `, { ${fields.join(', ')} }`;
  const call = context.module.runtime(continues ? 'callOrContinue' : 'callOperation');
  const code = `${call}(call, ${context.handlerOf(called)}${options})`;
  if (!context.debug) return code;
  const names = [fulfillment, called.name].map(stringLiteral).join(', ');
  const isAsync = [sent, ...passed].some((one) => one?.awaits === true) ? 'async ' : '';
  return `${context.module.runtime('traced')}.reference(${names}, ${isAsync}() => ${code})`;
}

/** A value by itself may be undefined for null. */
function emitPassed(schema: Schema, scope: Scope, name: string): Pick<EmittedSchema, 'text' | 'awaits'> {
  return schema.kind === 'leaf'
    ? { text: argument(emitExpression(schema.value, scope)) }
    : emitSchema(schema, scope, name);
}

/** The call of own code, which returns a promise of its result. */
export function emitCodeCall(step: CodeStep, { module, scope, debug }: HandlerContext): string {
  const { fulfillment, input } = step;
  const passed = input === undefined ? undefined : emitSchema(input, scope, `fulfillment ${fulfillment}`);
  const value = passed?.value ?? valueOfKinds('null');
  const other = module.inputs.get(step.function);
  module.inputs.set(step.function, other === undefined ? value : eitherValue(other, value));
  const name = stringLiteral(fulfillment);
  const values = passed === undefined ? name : `${name}, ${passed.text}`;
  const code = `${module.import(functionsModule, 'functions')}.${step.function}(call, ${values})`;
  if (!debug) return code;
  const names = [fulfillment, step.function].map(stringLiteral).join(', ');
  const isAsync = passed?.awaits === true ? 'async ' : '';
  return `${module.runtime('traced')}.code(${names}, ${isAsync}() => ${code})`;
}
