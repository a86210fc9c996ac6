/** The answer of a handler: the first response whose `if` is true, else the default (decisions 7.8). */
import type { Response } from '../config/model.js';
import { lineComment } from './comment.js';
import type { HandlerContext } from './context.js';
import { emitCondition } from './expression.js';
import { emitSchema } from './schema.js';

export function emitResponses(responses: readonly Response[], context: HandlerContext): string {
  const answers = responses.map((response) => emitResponse(response, context));
  // A timed operation has nowhere to return data.
  if (!responses.some((response) => response.default))
    answers.push(`return ${context.module.runtime('reply')}(204);`);
  return answers.join('\n\n');
}

function emitResponse({ name, statuscode, schema, ...response }: Response, context: HandlerContext): string {
  const status = statuscode.value;
  const hasBody = schema !== undefined && status !== 204 && status !== 304;
  const body = hasBody ? `, ${emitSchema(schema, context.scope, `response ${name.value}`)}` : '';
  const answer = `return ${context.module.runtime('reply')}(${status}${body});`;
  if (response.default) return `${lineComment(`response ${name.value} (default)`)}\n${answer}`;
  if (response.if === undefined) throw new Error('A response without a condition was planned.');
  return [
    lineComment(`response ${name.value}, if: ${context.print(response.if)}`),
    `if (${emitCondition(response.if, context.scope)}) {\n${answer}\n}`,
  ].join('\n');
}
