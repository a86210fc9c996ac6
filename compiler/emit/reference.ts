/** A reference call: the other handler with a call of its own (decisions 7.6). */
import type { ReferenceStep } from '../plan/operation.js';
import type { HandlerContext } from './context.js';
import { propertyKey, stringLiteral } from './literal.js';
import { emitSchema } from './schema.js';

/** The call of the other handler, which gives a promise of the body of its reply. */
export function emitReference(
  { called, parameters, body, fulfillment }: ReferenceStep,
  context: HandlerContext,
): string {
  const name = `fulfillment ${fulfillment}`;
  const given = parameters.map(
    (parameter) => `${propertyKey(parameter.name)}: ${emitSchema(parameter.value, context.scope, name)}`,
  );
  const fields = [
    ...(given.length === 0 ? [] : [`parameters: { ${given.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: ${emitSchema(body, context.scope, name)}`]),
  ];
  const options = fields.length === 0 ? '' : `, { ${fields.join(', ')} }`;
  const code = `${context.module.runtime('refer')}(call, ${context.handlerOf(called)}${options})`;
  if (!context.debug) return code;
  const names = [fulfillment, called.name].map(stringLiteral).join(', ');
  return `${context.module.runtime('traced')}.reference(${names}, ${code.includes('await ') ? 'async ' : ''}() => ${code})`;
}
