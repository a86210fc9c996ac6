/** The response of a handler: the first one whose `if` is true, else the default (decisions 7.8). */
import type { ResponsePlan } from '../plan/operation-plan.js';
import { lineComment } from './module/comment.js';
import type { HandlerContext } from './context.js';
import { MappedBody, MappedNames } from './mapped-body.js';
import { stringLiteral } from './module/literal.js';
import { anyValue, eitherValue, valueOfKinds } from './types/known-value.js';
import { emitSchema, type EmittedSchema } from './schema.js';
import type { ReadValue } from '../plan/request-read.js';

/** The code of all responses; nothing for an operation without any. */
export function emitResponses(responses: readonly ResponsePlan[], context: HandlerContext): EmittedSchema {
  const names = new MappedNames(context);
  const isOnly = responses.length === 1;
  const returns = responses.map((response) => emitResponse(response, context, names, isOnly));
  // A timed operation has nowhere to return data, and others may call it.
  if (!context.isSilent && !responses.some(({ condition }) => condition === undefined))
    returns.push({ text: `return ${context.module.runtime('reply')}(204);`, value: noBody });
  if (returns.length === 0) return { text: '', value: noBody };
  return {
    text: returns.map(({ text }) => text).join('\n\n'),
    value: returns.map(({ value }) => value).reduce(eitherValue),
  };
}

/** The result of a reference call if the reply has no body. */
const noBody = valueOfKinds('null');

interface Emitted {
  /** The TypeScript type of its body. */
  readonly value: ReadValue;
  /** The call that counts that it was chosen. */
  readonly counted: readonly string[];
  readonly joins: readonly string[];
  readonly returnStatement: string;
}

function emitResponse(
  response: ResponsePlan,
  context: HandlerContext,
  names: MappedNames,
  isOnly: boolean,
): EmittedSchema {
  const { name, condition, status, schema, mapped } = response;
  const emit = (): Emitted => {
    const body = mapped && new MappedBody(mapped, context, names);
    const content =
      body === undefined
        ? schema && emitSchema(schema, context.scope, `response ${name}`)
        : { text: body.code, value: anyValue };
    const contentArgument = content === undefined ? '' : `, ${content.text}`;
    return {
      value: content?.value ?? noBody,
      counted: context.counted(context.points?.ofResponse('response', name)),
      joins: (body?.declarations ?? []).map((declaration) => `${declaration}\n`),
      returnStatement: `return ${context.module.runtime('reply')}(${status}${contentArgument});`,
    };
  };
  if (condition === undefined) {
    const { counted, joins, returnStatement, value } = emit();
    const text = [
      ...joins,
      lineComment(isOnly ? `response ${name}` : `response ${name} (default)`),
      ...(context.debug ? [`${context.module.runtime('traced')}.default(${stringLiteral(name)});`] : []),
      ...counted,
      returnStatement,
    ].join('\n');
    return { text, value };
  }
  const test = context.decision('response', name, condition, context.points?.ofResponse('response-if', name));
  const { counted, joins, returnStatement, value } = context.behind(condition, true, emit);
  context.assume(condition, false);
  const text = [
    lineComment(`response ${name}, if: ${context.print(condition)}`),
    `if (${test}) {\n${[...counted, ...joins, returnStatement].join('\n')}\n}`,
  ].join('\n');
  return { text, value };
}
