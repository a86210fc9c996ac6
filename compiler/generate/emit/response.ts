/** The response of a handler: the first one whose `if` is true, else the default (decisions 7.8). */
import type { ResponsePlan } from '../plan/steps.js';
import { lineComment } from './module/comment.js';
import type { HandlerContext } from './context.js';
import { MappedBody, MappedNames } from './mapped-body.js';
import { stringLiteral } from './module/literal.js';
import { emitSchema } from './schema.js';

export function emitResponses(responses: readonly ResponsePlan[], context: HandlerContext): string {
  const names = new MappedNames(context);
  const isOnly = responses.length === 1;
  const returns = responses.map((response) => emitResponse(response, context, names, isOnly));
  // A timed operation has nowhere to return data.
  if (!responses.some(({ condition }) => condition === undefined))
    returns.push(`return ${context.module.runtime('reply')}(204);`);
  return returns.join('\n\n');
}

interface Emitted {
  /** What counts that it was chosen. */
  readonly counted: readonly string[];
  readonly joins: readonly string[];
  readonly returnStatement: string;
}

function emitResponse(
  response: ResponsePlan,
  context: HandlerContext,
  names: MappedNames,
  isOnly: boolean,
): string {
  const { name, condition, status, schema, mapped } = response;
  const emit = (): Emitted => {
    const body = mapped && new MappedBody(mapped, context, names);
    const content = body?.code ?? (schema && emitSchema(schema, context.scope, `response ${name}`));
    const contentArgument = content === undefined ? '' : `, ${content}`;
    return {
      counted: context.counted(context.points?.ofResponse('response', name)),
      joins: (body?.declarations ?? []).map((declaration) => `${declaration}\n`),
      returnStatement: `return ${context.module.runtime('reply')}(${status}${contentArgument});`,
    };
  };
  if (condition === undefined) {
    const { counted, joins, returnStatement } = emit();
    return [
      ...joins,
      lineComment(isOnly ? `response ${name}` : `response ${name} (default)`),
      ...(context.debug ? [`${context.module.runtime('traced')}.default(${stringLiteral(name)});`] : []),
      ...counted,
      returnStatement,
    ].join('\n');
  }
  const test = context.decision('response', name, condition, context.points?.ofResponse('response-if', name));
  const { counted, joins, returnStatement } = context.behind(condition, true, emit);
  context.assume(condition, false);
  return [
    lineComment(`response ${name}, if: ${context.print(condition)}`),
    `if (${test}) {\n${[...counted, ...joins, returnStatement].join('\n')}\n}`,
  ].join('\n');
}
