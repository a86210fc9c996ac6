/** Requests to third-party APIs: the declaration at the top of the module, and the message that each call sends. */
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
import type { RequestPlan } from '../plan/request-plan.js';
import { argument } from './module/emitted-expression.js';
import type { Module } from './module/module.js';
import { emitExpression, emitTemplate } from './expression.js';
import type { Scope } from './scope.js';
import { property, stringLiteral, templateText } from '../../notation/typescript-writer.js';
import { emitSchema } from './schema.js';
import { describedModule } from './service/described-module.js';

/** Dependencies of a request's constant besides the request. */
interface RequestContext {
  readonly module: Module;
  readonly debug: boolean;
  print(expression: Expression): string;
  readonly operation: Pick<OperationPlan, 'responsesName'>;
}

/** The declaration of its constant. */
export function emitRequest(request: RequestPlan, context: RequestContext): string {
  const { module, debug, operation } = context;
  const { datasource, fulfillment, method, isHarmless, retry, pages, described, continues } = request;
  module.import('src/datasources', datasource);
  const names = [
    'operation',
    `fulfillment: ${stringLiteral(fulfillment)}`,
    ...(request.isDelivered ? [`datasource: ${datasource}`] : []),
    `method: ${stringLiteral(method)}`,
    ...(debug ? [`url: ${stringLiteral(shownUrl(request.url, (value) => context.print(value)))}`] : []),
  ];
  if (request.isDelivered) {
    module.import('src/datasources', 'outbox');
    return `outbox.request({ ${names.join(', ')} })`;
  }
  const fields = [
    ...names,
    // Only one that could be sent again needs a word where it is not.
    ...(!isHarmless && (method === 'GET' || method === 'HEAD') ? ['resend: false'] : []),
    ...(retry === undefined ? [] : [`retry: ${emitRetry(retry, module)}`]),
    ...(pages === undefined ? [] : [`pages: ${emitPages(pages, module)}`]),
    ...(described === undefined
      ? []
      : [`described: ${module.import(describedModule, operation.responsesName)}.${described}`]),
  ];
  const created = `${datasource}.${methodOf(request)}({ ${fields.join(', ')} })`;
  return continues ? `${module.runtime('orFailure')}(${created})` : created;
}

/** What creates the request: by what of the response is read. */
function methodOf({ withStatus, withHeaders }: RequestPlan): string {
  if (withStatus) return 'requestWithStatus';
  return withHeaders ? 'requestWithHeaders' : 'request';
}

/** `retry({ times: 3 })`: only what differs from the defaults of the runtime. */
export function emitRetry({ times, on, wait, maxWait }: Retry, module: Module): string {
  const outcomes = on?.map((outcome) => (typeof outcome === 'number' ? outcome : stringLiteral(outcome)));
  const fields = [
    `times: ${times}`,
    ...(outcomes === undefined ? [] : [`on: [${outcomes.join(', ')}]`]),
    ...(wait === undefined ? [] : [`wait: ${wait}`]),
    ...(maxWait === undefined ? [] : [`maxWait: ${maxWait}`]),
  ];
  return `${module.runtime('retry')}({ ${fields.join(', ')} })`;
}

/** `allPages({ next: 'link', max: 50 })`. */
function emitPages({ next, parameter, items, max }: Pages, module: Module): string {
  const fields = [
    `next: ${next === 'link' ? stringLiteral(next) : emitSteps(next)}`,
    ...(parameter === undefined ? [] : [`parameter: ${stringLiteral(parameter.value)}`]),
    ...(items.length === 0 ? [] : [`items: ${emitSteps(items)}`]),
    `max: ${max}`,
  ];
  return `${module.runtime('allPages')}({ ${fields.join(', ')} })`;
}

/** A path without `[*]`. */
function emitSteps(path: Path): string {
  const steps = path.flatMap((step) => {
    if (step.kind === 'all') return [];
    return step.kind === 'name' ? [stringLiteral(step.name)] : [String(step.index)];
  });
  return `[${steps.join(', ')}]`;
}

/** The arguments of one call. */
export function emitMessage(
  { url, header, body, bodyType, multipart, signature, key, fulfillment }: RequestPlan,
  scope: Scope,
): string {
  const headers = header.map(({ name, value }) => property(name, emitHeader(value, scope)));
  const parts = multipart?.map(({ name, value }) => `${property(name, emitPart(value, scope))},`);
  const fields = [
    `url: ${emitUrl(url, scope)},`,
    ...(headers.length === 0 ? [] : [`header: { ${headers.join(', ')} },`]),
    ...(body === undefined
      ? []
      : [
          `${property(bodyType === 'form' ? 'form' : 'body', emitSchema(body, scope, `fulfillment ${fulfillment}`).text)},`,
        ]),
    ...(parts === undefined ? [] : [`multipart: {\n${parts.join('\n')}\n},`]),
    ...(signature === undefined ? [] : [`sign: ${emitSignature(signature, scope)},`]),
    ...(key === undefined ? [] : [`key: ${emitExpression(key, scope).text},`]),
  ];
  return fields.length === 1 ? `{ ${fields.join(' ')} }` : `{\n${fields.join('\n')}\n}`;
}

/** `signed('github', env('SECRET'))`. */
function emitSignature({ scheme, secret }: RequestSignature, scope: Scope): string {
  const value = argument(emitExpression(secret, scope));
  return `${scope.module.runtime('signed')}(${stringLiteral(scheme)}, ${value})`;
}

function emitUrl(url: RequestUrl, scope: Scope): string {
  if (url.kind === 'whole')
    return `${scope.module.runtime('wholeUrl')}(${argument(emitExpression(url.value, scope))})`;
  const [first, ...others] = url.pieces;
  if (first === undefined) return stringLiteral('');
  if (first.kind === 'text' && others.length === 0) return stringLiteral(first.text);
  return `\`${url.pieces.map((piece) => emitPiece(piece, scope)).join('')}\``;
}

function emitPiece(piece: UrlPiece, scope: Scope): string {
  switch (piece.kind) {
    case 'text':
      return templateText(piece.text);
    case 'segment':
      return `\${${scope.module.runtime('segment')}(${emitWhole(piece.value, scope)})}`;
    case 'encoded':
      return `\${${scope.module.runtime('encode')}(${argument(emitExpression(piece.value, scope))})}`;
  }
}

/** A constant is checked when compiled; a value is checked when it is sent, and left out when it is null. */
function emitHeader(value: Template, scope: Scope): string {
  const isConstant = value.every((part) => typeof part === 'string');
  return isConstant
    ? stringLiteral(value.join(''))
    : `${scope.module.runtime('headerValue')}(${emitWhole(value, scope)})`;
}

/** One placeholder is the value itself, which may be null; anything else is a text. */
function emitWhole(value: Template, scope: Scope): string {
  const [only, ...others] = value;
  return typeof only === 'object' && others.length === 0
    ? argument(emitExpression(only, scope))
    : emitTemplate(value, scope);
}

function emitPart(value: Expression, scope: Scope): string {
  return emitExpression(value, scope).text;
}

/** The URL as in the configuration, for traces: without the query, which may contain API keys. */
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
