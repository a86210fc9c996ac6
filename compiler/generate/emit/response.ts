/** The responses of a handler: the first one whose `if` is true, otherwise the default. Also headers of responses and exceptions. */
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
import type { ContentPlan, ResponseHeader, ResponsePlan } from '../plan/operation-plan.js';
import { emitExpression, emitTemplate } from './expression.js';
import { argument } from './module/emitted-expression.js';
import type { Module } from './module/module.js';
import type { HandlerContext } from './context.js';
import type { Scope } from './scope.js';
import { MappedBody, MappedNames } from './mapped/mapped-body.js';
import { anyValue, eitherValue, valueOfKinds } from './types/known-value.js';
import { emitItem, emitSchema } from './schema.js';
import type { ReadValue } from '../plan/requests/request-read.js';

/** Return statements, and facts about the body. */
export interface EmittedReplies {
  readonly statements: readonly Statement[];
  readonly value: ReadValue;
}

/** The code of all responses; empty for an operation without responses. */
export function emitResponses(responses: readonly ResponsePlan[], context: HandlerContext): EmittedReplies {
  const names = new MappedNames(context);
  const isOnly = responses.length === 1;
  const replies = responses.map((response) => emitResponse(response, context, names, isOnly));
  // A reply for callers of the operation if no response applies; timers do not need one.
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

/** `reply(200, orders, { etag: true })` */
function emitReply(response: ResponsePlan, body: Code | undefined, context: HandlerContext): Code {
  const options = emitOptions(response, context);
  return call(
    context.module.runtime('reply'),
    literal(response.status),
    ...(body === undefined && options === undefined ? [] : [body ?? missing]),
    ...(options === undefined ? [] : [options]),
  );
}

/** Response options other than status and body; undefined if there are none. */
function emitOptions(
  { name, header, content, schema, fileName, etag, omitted, isSecret }: ResponsePlan,
  { module, scope, operation }: HandlerContext,
): Code | undefined {
  const valueOf = (value: Expression | undefined): Code | undefined =>
    value && argument(emitExpression(value, scope));
  const item =
    operation.streamed === undefined || schema === undefined || schema.kind === 'object'
      ? undefined
      : emitItem(schema, scope, `response ${name}`);
  const fields = [
    ...fieldOf('header', header.length === 0 ? undefined : emitHeaderLines(header, scope)),
    ...fieldOf('type', content && emitType(content, module, valueOf)),
    ...fieldOf('as', content && emitContent(content, module)),
    ...fieldOf('item', item),
    ...fieldOf('omit', omitted && literal(omitted)),
    ...fieldOf('fileName', valueOf(fileName)),
    ...fieldOf('etag', etag === true ? literal(true) : valueOf(etag)),
    ...fieldOf('secret', isSecret ? literal(true) : undefined),
  ];
  return fields.length === 0 ? undefined : object(fields);
}

/** The media type, as a constant or as the one of a stored file. */
function emitType(
  { type, file }: ContentPlan,
  module: Module,
  valueOf: (value: Expression | undefined) => Code | undefined,
): Code {
  const stored = valueOf(file?.stored);
  if (file === undefined || stored === undefined) return literal(type);
  return call(module.runtime('allowedType'), stored, strings(file.allowed));
}

/** How the runtime writes a body; undefined for JSON. */
function emitContent({ kind, columns, spreadsheet }: ContentPlan, module: Module): Code | undefined {
  if (kind === 'json') return undefined;
  if (kind !== 'csv') return module.runtime(kind === 'lines' ? 'jsonLines' : kind);
  const options = spreadsheet ? [object([field('spreadsheet', literal(true))])] : [];
  return call(module.runtime('csv'), strings(columns), ...options);
}

/** `headerLines(['Location', `/orders/${segment(order.id)}`])` */
export function emitHeaderLines(header: readonly ResponseHeader[], scope: Scope): Code {
  const lines = header.map(({ name, parts }) => array([literal(name), emitValue(parts, scope)]));
  return call(scope.module.runtime('headerLines'), ...lines);
}

function emitValue(parts: ResponseHeader['parts'], scope: Scope): Code {
  const [only, ...others] = parts;
  // A single placeholder keeps its value, which may be null or a list.
  if (typeof only === 'object' && others.length === 0) return emitPart(only, scope);
  const text = emitText(parts, scope);
  const ends = parts.flatMap((part) => {
    const next = typeof part === 'object' && isOfOtherPage(part.value) ? [part.value] : [];
    return next.map((value) => argument(emitExpression(value, scope)));
  });
  // After the last page there is no next page to link to, and before the first page no previous page.
  return [...new Set(ends)].reduceRight((line, next) => choose(equals(next, nothing), nothing, line), text);
}

function isOfOtherPage(value: Expression): boolean {
  return (
    value.kind === 'next' || (value.kind === 'paging' && (value.fact === 'previous' || value.fact === 'link'))
  );
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

interface Emitted {
  /** The TypeScript type of the body. */
  readonly value: ReadValue;
  /** The call that counts this response for coverage. */
  readonly counted: readonly Statement[];
  /** Preceding declarations, each followed by a blank line. */
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
    const counted = context.counted(context.points?.ofResponse('response', name));
    const { streamed } = context.operation;
    if (streamed !== undefined)
      return {
        value: noBody,
        counted,
        joins: [],
        reply: emitReply(response, context.variable(streamed), context),
      };
    const body = mapped && new MappedBody(mapped, context, names);
    const content =
      body === undefined
        ? schema && emitSchema(schema, context.scope, `response ${name}`)
        : { code: body.code, value: anyValue };
    return {
      value: content?.value ?? noBody,
      counted,
      joins: (body?.declarations ?? []).flatMap((declaration) => [...declaration, blank]),
      reply: emitReply(response, content?.code, context),
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
