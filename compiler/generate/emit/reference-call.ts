/** Calls to other handlers with parameters and body, and to user functions with their input. */
import { arrow, call, field, fieldOf, literal, method, object, type Code } from '../code/code.js';
import type { Schema } from '../plan/model.js';
import type { CodeStep, ReferenceStep } from '../plan/operation-plan.js';
import { argument } from './module/emitted-expression.js';
import type { HandlerContext } from './context.js';
import { emitExpression, theCall } from './expression.js';
import type { Scope } from './scope.js';
import { emitSchema } from './schema.js';
import { functionsModule } from './service/function-types.js';
import { eitherValue, valueOfKinds } from './types/known-value.js';

/** Calls another operation's handler; the promise resolves to the body of its reply. */
export function emitReference(
  { called, parameters, body, fulfillment, continues }: ReferenceStep,
  context: HandlerContext,
): Code {
  const owner = `fulfillment ${fulfillment}`;
  const passed = parameters.map(({ name, value }) => field(name, emitPassed(value, context.scope, owner)));
  const fields = [
    ...fieldOf('parameters', passed.length === 0 ? undefined : object(passed)),
    ...fieldOf('body', body && emitPassed(body, context.scope, owner)),
  ];
  const code = call(
    context.module.runtime(continues ? 'callOrContinue' : 'callOperation'),
    theCall,
    context.handlerOf(called),
    ...(fields.length === 0 ? [] : [object(fields)]),
  );
  if (!context.debug) return code;
  return context.traced('reference', fulfillment, literal(called.name), arrow([], code));
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
