/** The answer of a handler: the first response whose `if` is true, else the default (decisions 7.8). */
import { neverHasBody } from '../config/status.js';
import type { ResponsePlan } from '../plan/steps.js';
import { lineComment } from './comment.js';
import type { HandlerContext } from './context.js';
import { MappedBody, MappedNames } from './mapped-body.js';
import { stringLiteral } from './literal.js';
import { emitSchema } from './schema.js';

export function emitResponses(responses: readonly ResponsePlan[], context: HandlerContext): string {
  const names = new MappedNames(context);
  const answers = responses.map((response) => emitResponse(response, context, names));
  // A timed operation has nowhere to return data.
  if (!responses.some((response) => response.default))
    answers.push(`return ${context.module.runtime('reply')}(204);`);
  return answers.join('\n\n');
}

function emitResponse(response: ResponsePlan, context: HandlerContext, names: MappedNames): string {
  const { name, statuscode, mapped } = response;
  const body = mapped && new MappedBody(mapped, context, names);
  const content = body?.code ?? emitContent(response, context);
  const joins = (body?.declarations ?? []).map((declaration) => `${declaration}\n`);
  const given = content === undefined ? '' : `, ${content}`;
  const answer = `return ${context.module.runtime('reply')}(${statuscode.value}${given});`;
  if (response.default)
    return [
      ...joins,
      lineComment(`response ${name.value} (default)`),
      ...(context.debug
        ? [`${context.module.runtime('traced')}.default(${stringLiteral(name.value)});`]
        : []),
      answer,
    ].join('\n');
  if (response.if === undefined) throw new Error('A response without a condition was planned.');
  return [
    lineComment(`response ${name.value}, if: ${context.print(response.if)}`),
    `if (${context.decision('response', name.value, response.if)}) {\n${[...joins, answer].join('\n')}\n}`,
  ].join('\n');
}

/** The body of a schema; undefined for a response without one, and for a status that never has a body. */
function emitContent(
  { name, statuscode, schema }: ResponsePlan,
  context: HandlerContext,
): string | undefined {
  const hasBody = schema !== undefined && !neverHasBody(statuscode.value);
  return hasBody ? emitSchema(schema, context.scope, `response ${name.value}`) : undefined;
}
