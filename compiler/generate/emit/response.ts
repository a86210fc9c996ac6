/** The response of a handler: the first one whose `if` is true, else the default (decisions 7.8); and headers of responses and exceptions. */
import {
  apart,
  array,
  blank,
  call,
  choose,
  comment,
  equals,
  field,
  fieldOf,
  literal,
  missing,
  nothing,
  object,
  returns,
  run,
  strings,
  template,
  when,
  type Code,
  type Statement,
} from '../code/code.js';
import type { Expression } from '../plan/model.js';
import type { ContentPlan, DataStep, ResponseHeader, ResponsePlan } from '../plan/operation-plan.js';
import { emitExpression, emitTemplate } from './expression.js';
import { argument } from './module/emitted-expression.js';
import type { Module } from './module/module.js';
import type { HandlerContext } from './context.js';
import type { Scope } from './scope.js';
import { MappedBody, MappedNames } from './mapped/mapped-body.js';
import { anyValue, eitherValue, valueOfKinds } from './types/known-value.js';
import { emitItem, emitSchema } from './schema.js';
import type { ReadValue } from '../plan/requests/request-read.js';

/** Statements that return, and what is known of the body. */
export interface EmittedReplies {
  readonly statements: readonly Statement[];
  readonly value: ReadValue;
}

/** The code of all responses; nothing for an operation without any. */
export function emitResponses(responses: readonly ResponsePlan[], context: HandlerContext): EmittedReplies {
  const names = new MappedNames(context);
  const isOnly = responses.length === 1;
  const replies = responses.map((response) => emitResponse(response, context, names, isOnly));
  // A timed operation has nowhere to return data, and others may call it.
  if (!context.isSilent && !responses.some(({ condition }) => condition === undefined))
    replies.push({
      statements: [returns(call(context.module.runtime('reply'), literal(204)))],
      value: noBody,
    });
  if (replies.length === 0) return { statements: [], value: noBody };
  return {
    statements: apart(replies.map(({ statements }) => statements)),
    value: replies.map(({ value }) => value).reduce(eitherValue),
  };
}

/** The result of a reference call if the reply has no body. */
const noBody = valueOfKinds('null');

/** The reply of a response, with its headers and its content where it has such. */
function emitReply(
  { status, header, content, fileName, etag }: ResponsePlan,
  body: Code | undefined,
  hasJsonRows: boolean,
  { module, scope }: HandlerContext,
): Code {
  const valueOf = (value: Expression | undefined): Code | undefined =>
    value && argument(emitExpression(value, scope));
  const fields = [
    ...fieldOf('header', header.length === 0 ? undefined : emitHeaderLines(header, scope)),
    ...fieldOf('type', content && literal(content.type)),
    ...fieldOf(
      'as',
      content === undefined || content.kind === 'json' ? undefined : emitContent(content, module),
    ),
    ...fieldOf('fileName', valueOf(fileName)),
    ...fieldOf('etag', etag === true ? literal(true) : valueOf(etag)),
  ];
  if (fields.length === 0) {
    const reply = module.runtime(hasJsonRows ? 'jsonReply' : 'reply');
    return call(reply, literal(status), ...(body === undefined ? [] : [body]));
  }
  const respond = module.runtime(hasJsonRows ? 'respondJson' : 'respond');
  return call(respond, literal(status), body ?? missing, object(fields));
}

/** The reply whose rows are written while they arrive. */
function emitStreamed(
  { name, status, header, content, schema, fileName }: ResponsePlan,
  streamed: DataStep,
  context: HandlerContext,
): Code {
  const { module, scope } = context;
  const item = schema?.kind === 'array' ? emitItem(schema, scope, `response ${name}`) : undefined;
  const fields = [
    ...fieldOf('header', header.length === 0 ? undefined : emitHeaderLines(header, scope)),
    ...fieldOf('type', content && literal(content.type)),
    ...fieldOf('as', content && emitLines(content, module)),
    ...fieldOf('item', item),
    ...fieldOf('fileName', fileName && argument(emitExpression(fileName, scope))),
  ];
  return call(module.runtime('stream'), literal(status), context.variable(streamed), object(fields));
}

/** How each row is written. */
function emitLines(content: ContentPlan, module: Module): Code {
  return content.kind === 'csv' ? emitCsv('csvLines', content, module) : module.runtime('ndjson');
}

function emitCsv(symbol: 'csv' | 'csvLines', { columns, spreadsheet }: ContentPlan, module: Module): Code {
  const options = spreadsheet ? [object([field('spreadsheet', literal(true))])] : [];
  return call(module.runtime(symbol), strings(columns), ...options);
}

/** `headerLines(['Location', `/orders/${segment(order.id)}`])` */
export function emitHeaderLines(header: readonly ResponseHeader[], scope: Scope): Code {
  const lines = header.map(({ name, parts }) => array([literal(name), emitValue(parts, scope)]));
  return call(scope.module.runtime('headerLines'), ...lines);
}

function emitValue(parts: ResponseHeader['parts'], scope: Scope): Code {
  const [only, ...others] = parts;
  // One placeholder is the value itself, which may be null or a list.
  if (typeof only === 'object' && others.length === 0) return emitPart(only, scope);
  const text = emitText(parts, scope);
  const ends = parts.flatMap((part) => {
    const next = typeof part === 'object' && part.value.kind === 'next' ? [part.value] : [];
    return next.map((value) => argument(emitExpression(value, scope)));
  });
  // After the last page there is nothing to link to.
  return [...new Set(ends)].reduceRight((line, next) => choose(equals(next, nothing), nothing, line), text);
}

function emitText(parts: ResponseHeader['parts'], scope: Scope): Code {
  const isEncoded = parts.some((part) => typeof part !== 'string' && part.encode !== undefined);
  if (!isEncoded)
    return emitTemplate(
      parts.map((part) => (typeof part === 'string' ? part : part.value)),
      scope,
    );
  return template(parts.map((part) => (typeof part === 'string' ? part : emitPart(part, scope))));
}

function emitPart({ value, encode }: Exclude<ResponseHeader['parts'][number], string>, scope: Scope): Code {
  const code = argument(emitExpression(value, scope));
  return encode === undefined ? code : call(scope.module.runtime(encode), code);
}

/** The function of the runtime that makes the content of a body. */
function emitContent(content: ContentPlan, module: Module): Code {
  const { kind } = content;
  if (kind === 'csv') return emitCsv('csv', content, module);
  return module.runtime(kind === 'lines' ? 'jsonLines' : kind === 'text' ? 'text' : 'bytes');
}

interface Emitted {
  /** The TypeScript type of its body. */
  readonly value: ReadValue;
  /** The call that counts that it was chosen. */
  readonly counted: readonly Statement[];
  /** Declarations before it, with empty lines after each. */
  readonly joins: readonly Statement[];
  readonly reply: Code;
}

function emitResponse(
  response: ResponsePlan,
  context: HandlerContext,
  names: MappedNames,
  isOnly: boolean,
): EmittedReplies {
  const { name, condition, schema, mapped } = response;
  const emit = (): Emitted => {
    const { streamed } = context.operation;
    if (streamed !== undefined)
      return {
        value: noBody,
        counted: context.counted(context.points?.ofResponse('response', name)),
        joins: [],
        reply: emitStreamed(response, streamed, context),
      };
    const body = mapped && new MappedBody(mapped, context, names);
    const content =
      body === undefined
        ? schema && emitSchema(schema, context.scope, `response ${name}`)
        : { code: body.code, value: anyValue };
    const hasJsonRows = [...context.operation.jsonRows.values()].some((rows) => rows.response === name);
    return {
      value: content?.value ?? noBody,
      counted: context.counted(context.points?.ofResponse('response', name)),
      joins: (body?.declarations ?? []).flatMap((declaration) => [...declaration, blank]),
      reply: emitReply(response, content?.code, hasJsonRows, context),
    };
  };
  if (condition === undefined) {
    const { counted, joins, reply, value } = emit();
    const statements = [
      ...joins,
      comment(isOnly ? `response ${name}` : `response ${name} (default)`),
      ...(context.debug ? [run(context.traced('default', name))] : []),
      ...counted,
      returns(reply),
    ];
    return { statements, value };
  }
  const test = context.decision('response', name, condition, context.points?.ofResponse('response-if', name));
  const { counted, joins, reply, value } = context.behind(condition, true, emit);
  context.assume(condition, false);
  const statements = [
    comment(`response ${name}, if: ${context.print(condition)}`),
    when(test, [...counted, ...joins, returns(reply)]),
  ];
  return { statements, value };
}
