/** Finds out how a client reads the next page of a list: by a cursor or a URL in the body, or by a header. */
import { parameterOf } from '../../../analyze/describe/list-parameters.js';
import type { ListPage, Operation, Response, Schema } from '../../../read/config/config-model.js';
import { allFulfillments } from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import type { ClientContext, Models } from './client-context.js';
import type { ReplyPlan } from './client-replies.js';
import type { RequestInputPlan } from './client-request.js';
import { unknownType, type ClientType } from './client-types.js';

export interface PagesPlan {
  readonly next:
    | { readonly kind: 'cursor' | 'url'; readonly path: readonly string[] }
    | { readonly kind: 'header'; readonly name: string }
    | { readonly kind: 'link' };
  /** The input with the cursor; undefined if pages only have numbers. */
  readonly after: string | undefined;
  /** All inputs that name a page. */
  readonly names: readonly string[];
  /** The type of a page's body. */
  readonly body: ClientType;
}

interface PagesContext {
  readonly request: RequestInputPlan;
  readonly replies: readonly ReplyPlan[];
  readonly models: Models;
  readonly types: ClientContext['types'];
}

export function planPages(operation: Operation, context: PagesContext): PagesPlan | undefined {
  // With several kinds of bodies, the place of the next page would depend on the body.
  const successes = context.replies.filter(({ isSuccess }) => isSuccess);
  const contents = successes.flatMap((reply) => reply.contents);
  const [content] = contents;
  if (content === undefined || contents.length > 1) return undefined;
  const responses = operation.responses.filter(({ statuscode: { value } }) => value >= 200 && value < 300);
  const [response, ...others] = responses;
  if (response === undefined || others.length > 0) return undefined;
  for (const { fulfillment, loop } of allFulfillments(operation.fulfillments)) {
    if (loop !== undefined || !('page' in fulfillment) || fulfillment.page === undefined) continue;
    const names = inputsOf(fulfillment.page, context.request);
    const { after } = names;
    const next = nextOf(response, fulfillment.name.value, content.body, context);
    if (next === undefined || names.all.length === 0) continue;
    if (after === undefined && (next.kind === 'cursor' || next.kind === 'header')) continue;
    return { next, after, names: names.all, body: content.body };
  }
  return undefined;
}

/** The inputs that choose the page. */
function inputsOf(
  { after, number, offset }: ListPage,
  { inputs }: RequestInputPlan,
): { readonly after: string | undefined; readonly all: readonly string[] } {
  const inputOf = (expression: Expression | undefined): string | undefined => {
    const name = parameterOf(expression, true);
    return inputs.find((one) => one.place === 'query' && one.name === name && one.key === name)?.key;
  };
  const all = [after, number, offset].flatMap((expression) => inputOf(expression) ?? []);
  return { after: inputOf(after), all };
}

function nextOf(
  { schema, header }: Response,
  list: string,
  body: ClientType,
  context: PagesContext,
): PagesPlan['next'] | undefined {
  const leaves = schema === undefined ? [] : leavesOf(schema);
  const inBody = (is: (expression: Expression) => boolean): readonly string[] | undefined =>
    leaves.find(({ path, value }) => is(value) && isText(path, body, context))?.path;
  const isCursor = (one: Expression): boolean => one.kind === 'next' && one.name === list;
  const cursor = inBody(isCursor);
  if (cursor !== undefined) return { kind: 'cursor', path: cursor };
  for (const { name, value } of header) {
    const isLink = name.value.toLowerCase() === 'link';
    const expressions = value.filter((part) => typeof part !== 'string');
    if (isLink && expressions.some((one) => isCursor(one) || isUrl(one, list, undefined)))
      return { kind: 'link' };
    const [only] = value;
    if (!isLink && value.length === 1 && typeof only === 'object' && isCursor(only))
      return { kind: 'header', name: name.value };
  }
  const url = inBody((one) => isUrl(one, list, 'next'));
  return url && { kind: 'url', path: url };
}

function isUrl(one: Expression, list: string, relation: 'next' | undefined): boolean {
  return one.kind === 'paging' && one.fact === 'link' && one.name === list && one.relation === relation;
}

/** The values of a body that are in objects only, with their paths. */
function leavesOf(schema: Schema): { readonly path: readonly string[]; readonly value: Expression }[] {
  switch (schema.kind) {
    case 'leaf':
      return [{ path: [], value: schema.value }];
    case 'array':
      return [];
    case 'object':
      return schema.fields.flatMap(({ key, value }) =>
        leavesOf(value).map((leaf) => ({ ...leaf, path: [key, ...leaf.path] })),
      );
  }
}

/** Whether the body has a string there, or null, whose parents cannot be missing. */
function isText(path: readonly string[], body: ClientType, context: PagesContext): boolean {
  let type = resolved(body, context);
  for (const [index, name] of path.entries()) {
    const field = type.kind === 'record' ? type.fields.find((one) => one.name === name) : undefined;
    if (field === undefined || (field.isOptional && index < path.length - 1)) return false;
    type = resolved(field.type, context);
  }
  const kinds = type.kind === 'union' ? type.of.map(({ kind }) => kind) : [type.kind];
  return path.length > 0 && kinds.every((kind) => kind === 'string' || kind === 'null');
}

function resolved(type: ClientType, { models, types }: PagesContext): ClientType {
  if (type.kind !== 'named') return type;
  const content = models.contentOf(type.name, (model) => types.of(model.description));
  return content ?? unknownType;
}
