/** Requests to third-party APIs: the declaration at the top of the module, and the message sent by each call. */
import {
  call,
  field,
  fieldOf,
  jsonFields,
  literal,
  member,
  method,
  name,
  object,
  tallObject,
  template,
  type Code,
} from '../code/code.js';
import type {
  Expression,
  Pages,
  Path,
  RequestSignature,
  RequestUrl,
  Retry,
  Template,
  UrlPiece,
} from '../plan/model.js';
import type { OperationPlan } from '../plan/operation-plan.js';
import type { RequestPlan } from '../plan/requests/request-plan.js';
import { argument } from './module/emitted-expression.js';
import type { Module } from './module/module.js';
import { emitExpression, emitTemplate } from './expression.js';
import type { Scope } from './scope.js';
import { emitSchema } from './schema.js';
import { describedModule } from './service/described-module.js';

/** Dependencies of a request constant in addition to the request. */
interface RequestContext {
  readonly module: Module;
  readonly debug: boolean;
  print(expression: Expression): string;
  readonly operation: Pick<OperationPlan, 'responsesName'>;
}

/** The initializer of the request constant. */
export function emitRequest(request: RequestPlan, context: RequestContext): Code {
  const { module, debug, operation } = context;
  const { datasource, fulfillment, method: verb, isHarmless, response, readsParts } = request;
  const { retry, pages, described, continues } = request;
  const source = module.import('src/datasources', datasource);
  const names = [
    field('operation', name('operation')),
    field('fulfillment', literal(fulfillment)),
    ...fieldOf('datasource', request.isDelivered ? source : undefined),
    field('method', literal(verb)),
    ...(debug ? [field('url', literal(shownUrl(request.url, (value) => context.print(value))))] : []),
  ];
  if (request.isDelivered)
    return method(
      module.import('src/datasources', 'outbox'),
      'request',
      object([...names, ...fieldOf('sealed', request.isSealed ? literal(true) : undefined)]),
    );
  const fields = [
    ...names,
    // GET and HEAD requests are resent by default; this disables it.
    ...(!isHarmless && (verb === 'GET' || verb === 'HEAD') ? [field('resend', literal(false))] : []),
    ...fieldOf('response', response && literal(response)),
    ...(readsParts ? [field('readsParts', literal(true))] : []),
    ...fieldOf('retry', retry && emitRetry(retry, module)),
    ...fieldOf('pages', pages && emitPages(pages, module)),
    ...(described === undefined
      ? []
      : [field('described', member(module.import(describedModule, operation.responsesName), described))]),
  ];
  const created = method(source, methodOf(request), object(fields));
  return continues ? call(module.runtime('orFailure'), created) : created;
}

/** The helper that creates the request, chosen by the parts of the response that are read. */
function methodOf({ withStatus, withHeaders }: RequestPlan): string {
  if (withStatus) return 'requestWithStatus';
  return withHeaders ? 'requestWithHeaders' : 'request';
}

/** `retry({ times: 3 })`, with only the values that differ from the runtime's defaults. */
export function emitRetry({ times, on, wait, maxWait }: Retry, module: Module): Code {
  const options = jsonFields({ times, on, wait, maxWait });
  return call(module.runtime('retry'), object(options));
}

/** `allPages({ next: 'link', max: 50 })`. */
function emitPages({ next, parameter, items, max }: Pages, module: Module): Code {
  const options = jsonFields({
    next: next === 'link' ? next : stepsOf(next),
    parameter: parameter?.value,
    items: items.length === 0 ? undefined : stepsOf(items),
    max,
  });
  return call(module.runtime('allPages'), object(options));
}

/** The names and indexes of a path without `[*]`. */
function stepsOf(path: Path): (string | number)[] {
  return path.flatMap((step): (string | number)[] => {
    if (step.kind === 'all') return [];
    return [step.kind === 'name' ? step.name : step.index];
  });
}

/** The arguments of one call. */
export function emitMessage(
  { url, header, body, bodyType, multipart, signature, key, fulfillment }: RequestPlan,
  scope: Scope,
): Code {
  const headers = header.map((one) => field(one.name, emitHeader(one.value, scope)));
  const parts = multipart?.map((one) => field(one.name, emitExpression(one.value, scope).code));
  const sent = body && emitSchema(body, scope, `fulfillment ${fulfillment}`).code;
  const fields = [
    field('url', emitUrl(url, scope)),
    ...fieldOf('header', headers.length === 0 ? undefined : object(headers)),
    ...fieldOf(bodyType === 'form' ? 'form' : 'body', sent),
    ...fieldOf('multipart', parts && tallObject(parts)),
    ...fieldOf('sign', signature && emitSignature(signature, scope)),
    ...fieldOf('key', key && emitExpression(key, scope).code),
  ];
  return fields.length === 1 ? object(fields) : tallObject(fields);
}

/** `signed('github', env('SECRET'))`. */
function emitSignature({ scheme, secret }: RequestSignature, scope: Scope): Code {
  const value = argument(emitExpression(secret, scope));
  return call(scope.module.runtime('signed'), literal(scheme), value);
}

function emitUrl(url: RequestUrl, scope: Scope): Code {
  if (url.kind === 'whole')
    return call(scope.module.runtime('wholeUrl'), argument(emitExpression(url.value, scope)));
  const [first, ...others] = url.pieces;
  if (first === undefined) return literal('');
  if (first.kind === 'text' && others.length === 0) return literal(first.text);
  return template(url.pieces.map((piece) => emitPiece(piece, scope)));
}

function emitPiece(piece: UrlPiece, scope: Scope): string | Code {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'segment':
      return call(scope.module.runtime('segment'), emitWhole(piece.value, scope));
    case 'encoded':
      return call(scope.module.runtime('encode'), argument(emitExpression(piece.value, scope)));
  }
}

/** Constants are checked at compile time; other values are checked when sent, and omitted if null. */
function emitHeader(value: Template, scope: Scope): Code {
  const isConstant = value.every((part) => typeof part === 'string');
  return isConstant
    ? literal(value.join(''))
    : call(scope.module.runtime('headerValue'), emitWhole(value, scope));
}

/** A single placeholder keeps its value, which may be null; anything else becomes a string. */
function emitWhole(value: Template, scope: Scope): Code {
  const [only, ...others] = value;
  return typeof only === 'object' && others.length === 0
    ? argument(emitExpression(only, scope))
    : emitTemplate(value, scope);
}

/** The URL as written in the configuration, for traces; the query is omitted, because it may contain API keys. */
function shownUrl(url: RequestUrl, print: (expression: Expression) => string): string {
  const placeholder = (expression: Expression): string => `:[${print(expression)}]`;
  const template = (value: Template): string =>
    value.map((part) => (typeof part === 'string' ? part : placeholder(part))).join('');
  if (url.kind === 'whole') return placeholder(url.value);
  let shown = '';
  for (const piece of url.pieces) {
    if (piece.kind === 'text') {
      const query = piece.text.indexOf('?');
      if (query !== -1) return `${shown}${piece.text.slice(0, query)}?…`;
      shown += piece.text;
    } else shown += piece.kind === 'segment' ? template(piece.value) : placeholder(piece.value);
  }
  return shown;
}
