/** Calls to other handlers with parameters and body, immediately or after the commit, and to user functions with their input. */
import { arrow, call, field, fieldOf, literal, method, object, type Code, type Field } from '../code/code.js';
import type { Schema } from '../plan/model.js';
import type { CodeStep, DeferredStep, ReferenceStep } from '../plan/operation-plan.js';
import { argument } from './module/emitted-expression.js';
import type { HandlerContext } from './context.js';
import { emitExpression, theCall } from './expression.js';
import type { Scope } from './scope.js';
import { emitSchema } from './schema.js';
import { functionsModule } from './service/function-types.js';
import { eitherValue, valueOfKinds } from './types/known-value.js';

/** Calls another operation's handler; the promise resolves to the body of its reply. */
export function emitReference(step: ReferenceStep, context: HandlerContext): Code {
  const { called, fulfillment, continues } = step;
  const fields = passedFields(step, context);
  const code = call(
    context.module.runtime(continues ? 'callOrContinue' : 'callOperation'),
    theCall,
    context.handlerOf(called),
    ...(fields.length === 0 ? [] : [object(fields)]),
  );
  if (!context.debug) return code;
  return context.traced('reference', fulfillment, literal(called.name), arrow([], code));
}

/** Stores the call of another operation in the transaction. */
export function emitDeferred(step: DeferredStep, context: HandlerContext): Code {
  const fields = passedFields(step, context);
  const values = fields.length === 0 ? [] : [object(fields)];
  return call(context.constantOf(step), theCall, ...values);
}

/** The parameters and the body that are passed to the called operation. */
function passedFields(
  { fulfillment, parameters, body }: Pick<ReferenceStep, 'fulfillment' | 'parameters' | 'body'>,
  { scope }: HandlerContext,
): Field[] {
  const owner = `fulfillment ${fulfillment}`;
  const passed = parameters.map(({ name, value }) => field(name, emitPassed(value, scope, owner)));
  return [
    ...fieldOf('parameters', passed.length === 0 ? undefined : object(passed)),
    ...fieldOf('body', body && emitPassed(body, scope, owner)),
  ];
}

/** A value outside of an object may be undefined instead of null. */
function emitPassed(schema: Schema, scope: Scope, owner: string): Code {
  return schema.kind === 'leaf'
    ? argument(emitExpression(schema.value, scope))
    : emitSchema(schema, scope, owner).code;
}

/** Calls a user function; returns a promise of its result. */
export function emitCodeCall(step: CodeStep, context: HandlerContext): Code {
  const { module, scope, debug } = context;
  const { fulfillment, input } = step;
  const passed = input === undefined ? undefined : emitSchema(input, scope, `fulfillment ${fulfillment}`);
  const value = passed?.value ?? valueOfKinds('null');
  const other = module.inputs.get(step.function);
  module.inputs.set(step.function, other === undefined ? value : eitherValue(other, value));
  const values = [literal(fulfillment), ...(passed === undefined ? [] : [passed.code])];
  const functions = module.import(functionsModule, 'functions');
  const code = method(functions, step.function, theCall, ...values);
  return debug ? context.traced('code', fulfillment, literal(step.function), arrow([], code)) : code;
}
