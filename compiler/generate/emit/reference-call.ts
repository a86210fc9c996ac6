/** A reference call: the other handler with a call of its own (decisions 7.6). */
import type { Schema } from '../plan/model.js';
import type { ReferenceStep } from '../plan/operation-plan.js';
import { argument } from './module/emitted-expression.js';
import type { HandlerContext } from './context.js';
import { emitExpression } from './expression.js';
import type { Scope } from './scope.js';
import { property, stringLiteral } from './module/literal.js';
import { emitSchema } from './schema.js';

/** The call of the other handler, which returns a promise of the body of its reply. */
export function emitReference(
  { called, parameters, body, fulfillment, continues }: ReferenceStep,
  context: HandlerContext,
): string {
  const name = `fulfillment ${fulfillment}`;
  const passed = parameters.map((parameter) =>
    property(parameter.name, emitPassed(parameter.value, context.scope, name)),
  );
  const fields = [
    ...(passed.length === 0 ? [] : [`parameters: { ${passed.join(', ')} }`]),
    ...(body === undefined ? [] : [property('body', emitPassed(body, context.scope, name))]),
  ];
  const options = fields.length === 0 ? '' : `, { ${fields.join(', ')} }`;
  const call = context.module.runtime(continues ? 'callOrContinue' : 'callOperation');
  const code = `${call}(call, ${context.handlerOf(called)}${options})`;
  if (!context.debug) return code;
  const names = [fulfillment, called.name].map(stringLiteral).join(', ');
  return `${context.module.runtime('traced')}.reference(${names}, ${code.includes('await ') ? 'async ' : ''}() => ${code})`;
}

/** A value by itself may be undefined for null. */
function emitPassed(schema: Schema, scope: Scope, name: string): string {
  return schema.kind === 'leaf'
    ? argument(emitExpression(schema.value, scope))
    : emitSchema(schema, scope, name).text;
}
