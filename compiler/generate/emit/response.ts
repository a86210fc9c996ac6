/** The response of a handler: the first one whose `if` is true, else the default (decisions 7.8); and headers of responses and exceptions. */
import type { Expression } from '../plan/model.js';
import type { ContentPlan, DataStep, ResponseHeader, ResponsePlan } from '../plan/operation-plan.js';
import { emitExpression, emitTemplate } from './expression.js';
import { argument } from './module/emitted-expression.js';
import type { Module } from './module/module.js';
import { lineComment } from '../../notation/typescript-writer.js';
import type { HandlerContext } from './context.js';
import type { Scope } from './scope.js';
import { MappedBody, MappedNames } from './mapped/mapped-body.js';
import { stringLiteral, templateText } from '../../notation/typescript-writer.js';
import { anyValue, eitherValue, valueOfKinds } from './types/known-value.js';
import { emitItem, emitSchema, type EmittedSchema } from './schema.js';
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

/** The reply of a response with headers or another content; undefined for one without. */
function emitReturn(
  { status, header, content, fileName, etag }: ResponsePlan,
  body: string | undefined,
  hasJsonRows: boolean,
  { module, scope }: HandlerContext,
): string | undefined {
  const optional = (name: string, value: Expression | undefined): string[] =>
    value === undefined ? [] : [`${name}: ${argument(emitExpression(value, scope))}`];
  const fields = [
    ...(header.length === 0 ? [] : [`header: ${emitHeaderLines(header, scope)}`]),
    ...(content === undefined ? [] : [`type: ${stringLiteral(content.type)}`]),
    ...(content === undefined || content.kind === 'json' ? [] : [`as: ${emitContent(content, module)}`]),
    ...optional('fileName', fileName),
    ...(etag === true ? ['etag: true'] : optional('etag', etag)),
  ];
  if (fields.length === 0) return undefined;
  const respond = module.runtime(hasJsonRows ? 'respondJson' : 'respond');
  return `return ${respond}(${status}, ${body ?? 'undefined'}, { ${fields.join(', ')} });`;
}

/** The reply whose rows are written while they arrive. */
function emitStreamed(
  { name, status, header, content, schema, fileName }: ResponsePlan,
  streamed: DataStep,
  context: HandlerContext,
): string {
  const { module, scope } = context;
  const item = schema?.kind === 'array' ? emitItem(schema, scope, `response ${name}`) : undefined;
  const fields = [
    ...(header.length === 0 ? [] : [`header: ${emitHeaderLines(header, scope)}`]),
    ...(content === undefined
      ? []
      : [`type: ${stringLiteral(content.type)}`, `as: ${emitLines(content, module)}`]),
    ...(item === undefined ? [] : [`item: ${item}`]),
    ...(fileName === undefined ? [] : [`fileName: ${argument(emitExpression(fileName, scope))}`]),
  ];
  return `return ${module.runtime('stream')}(${status}, ${context.variable(streamed)}, { ${fields.join(', ')} });`;
}

/** How each row is written. */
function emitLines({ kind, columns, spreadsheet }: ContentPlan, module: Module): string {
  if (kind !== 'csv') return module.runtime('ndjson');
  const names = `[${columns.map(stringLiteral).join(', ')}]`;
  return `${module.runtime('csvLines')}(${names}${spreadsheet ? ', { spreadsheet: true }' : ''})`;
}

/** `headerLines(['Location', `/orders/${segment(order.id)}`])` */
export function emitHeaderLines(header: readonly ResponseHeader[], scope: Scope): string {
  const lines = header.map(({ name, parts }) => `[${stringLiteral(name)}, ${emitValue(parts, scope)}]`);
  return `${scope.module.runtime('headerLines')}(${lines.join(', ')})`;
}

function emitValue(parts: ResponseHeader['parts'], scope: Scope): string {
  const [only, ...others] = parts;
  // One placeholder is the value itself, which may be null or a list.
  if (typeof only === 'object' && others.length === 0) return emitPart(only, scope);
  const text = emitText(parts, scope);
  const ends = parts.flatMap((part) => {
    const next = typeof part === 'object' && part.value.kind === 'next' ? [part.value] : [];
    return next.map((value) => argument(emitExpression(value, scope)));
  });
  // Behind the last page there is nothing to link to.
  return [...new Set(ends)].reduceRight((line, next) => `${next} === null ? null : ${line}`, text);
}

function emitText(parts: ResponseHeader['parts'], scope: Scope): string {
  const isEncoded = parts.some((part) => typeof part !== 'string' && part.encode !== undefined);
  if (!isEncoded)
    return emitTemplate(
      parts.map((part) => (typeof part === 'string' ? part : part.value)),
      scope,
    );
  const texts = parts.map((part) =>
    typeof part === 'string' ? templateText(part) : `\${${emitPart(part, scope)}}`,
  );
  return `\`${texts.join('')}\``;
}

function emitPart({ value, encode }: Exclude<ResponseHeader['parts'][number], string>, scope: Scope): string {
  const code = argument(emitExpression(value, scope));
  return encode === undefined ? code : `${scope.module.runtime(encode)}(${code})`;
}

/** The function of the runtime that makes the content of a body. */
function emitContent({ kind, columns, spreadsheet }: ContentPlan, module: Module): string {
  if (kind !== 'csv')
    return module.runtime(kind === 'lines' ? 'jsonLines' : kind === 'text' ? 'text' : 'bytes');
  const names = `[${columns.map(stringLiteral).join(', ')}]`;
  return `${module.runtime('csv')}(${names}${spreadsheet ? ', { spreadsheet: true }' : ''})`;
}

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
    const { streamed } = context.operation;
    if (streamed !== undefined)
      return {
        value: noBody,
        counted: context.counted(context.points?.ofResponse('response', name)),
        joins: [],
        returnStatement: emitStreamed(response, streamed, context),
      };
    const body = mapped && new MappedBody(mapped, context, names);
    const content =
      body === undefined
        ? schema && emitSchema(schema, context.scope, `response ${name}`)
        : { text: body.code, value: anyValue };
    const hasJsonRows = [...context.operation.jsonRows.values()].some((rows) => rows.response === name);
    const contentArgument = content === undefined ? '' : `, ${content.text}`;
    return {
      value: content?.value ?? noBody,
      counted: context.counted(context.points?.ofResponse('response', name)),
      joins: (body?.declarations ?? []).map((declaration) => `${declaration}\n`),
      returnStatement:
        emitReturn(response, content?.text, hasJsonRows, context) ??
        `return ${context.module.runtime(hasJsonRows ? 'jsonReply' : 'reply')}(${status}${contentArgument});`,
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
