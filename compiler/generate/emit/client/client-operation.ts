/** The function of an operation in a client module, with the types of its input and responses. */
import {
  array,
  arrow,
  binary,
  call,
  choose,
  declareFunction,
  declareInterface,
  declareType,
  doc,
  exported,
  field,
  fieldOf,
  generic,
  json,
  literal,
  member,
  missing,
  name,
  object,
  parameter,
  recordType,
  returns,
  strings,
  tallArray,
  tallObject,
  template,
  union,
  type Code,
  type Field,
  type FieldType,
  type Parameter,
  type Statement,
  type Type,
} from '../../code/code.js';
import type { ClientOperation } from '../../plan/client/client-plan.js';
import type { ContentPlan, ReplyPlan } from '../../plan/client/client-replies.js';
import type { BodyPlan, InputPlan } from '../../plan/client/client-request.js';
import { typeOfClient } from './client-type.js';

const [client, input, options] = [name('client'), name('input'), name('options')];

/** Groups of statements, which are separated by blank lines. */
export function emitClientOperation(operation: ClientOperation): (readonly Statement[])[] {
  const { title, summary, inputType, responseType, replies } = operation;
  const inputs = inputFields(operation);
  const response = union(...replies.map(replyType));
  return [
    ...(inputs.length === 0 ? [] : [[exported(declareInterface(inputType, recordType(inputs)))]]),
    [exported(declareType(responseType, response))],
    [doc(...(summary === undefined ? [title] : [summary, '', title])), exported(callOf(operation))],
    ...pagesOf(operation),
  ];
}

function inputFields({ inputs, body }: ClientOperation): FieldType[] {
  return [
    ...inputs.map(({ key, type, isOptional, description }): FieldType => ({
      key,
      // A parameter whose value is undefined is not sent.
      type: isOptional ? union(typeOfClient(type), name('undefined')) : typeOfClient(type),
      isOptional,
      doc: description,
    })),
    ...(body === undefined
      ? []
      : [
          {
            key: 'body',
            type: body.isOptional
              ? union(typeOfClient(body.type), name('undefined'))
              : typeOfClient(body.type),
            isOptional: body.isOptional,
          },
        ]),
  ];
}

/** `Success<200, Invoice[]>`, `Failure<400 | 404, Problem>`. */
function replyType({ statuses, isSuccess, contents }: ReplyPlan): Type {
  return generic(
    name(isSuccess ? 'Success' : 'Failure'),
    union(...statuses.map(literal)),
    union(...contents.map(({ body }) => typeOfClient(body))),
  );
}

function callOf(operation: ClientOperation): ReturnType<typeof declareFunction> {
  const { name: functionName, responseType, method, title, credentials, replies, key, body } = operation;
  const fields = [
    field('method', literal(method)),
    field('operation', literal(title)),
    field('path', pathOf(operation)),
    ...valuesIn('query', operation),
    ...valuesIn('header', operation),
    ...valuesIn('cookie', operation),
    ...fieldOf('body', body && bodyOf(body)),
    ...fieldOf('credentials', credentials.length === 0 ? undefined : strings(credentials)),
    ...fieldOf('key', key === undefined ? undefined : literal(key)),
    field('replies', tallArray(replies.flatMap(repliesOf))),
  ];
  return declareFunction(
    functionName,
    parametersOf(operation),
    generic(name('Promise'), name(responseType)),
    [returns(call(name('send'), client, options, tallObject(fields)))],
    false,
  );
}

/** `client`, `input` if there is one, and `options`. */
function parametersOf(operation: ClientOperation): Parameter[] {
  const inputs = inputFields(operation);
  const isOptional = inputs.every((one) => one.isOptional === true);
  return [
    parameter('client', name('Client')),
    ...(inputs.length === 0
      ? []
      : [parameter('input', name(operation.inputType), isOptional ? object([]) : undefined)]),
    parameter('options', name('CallOptions'), object([])),
  ];
}

function pathOf({ path }: ClientOperation): Code {
  const isConstant = path.every((part) => typeof part === 'string');
  if (isConstant) return literal(path.join(''));
  return template(
    path.map((part) =>
      typeof part === 'string'
        ? part
        : call(name(part.isSegment ? 'segment' : 'encodeURIComponent'), member(input, part.key)),
    ),
  );
}

const fieldsOfCall = { query: 'query', header: 'headers', cookie: 'cookies' } as const;

function valuesIn(place: keyof typeof fieldsOfCall, { inputs }: ClientOperation): Field[] {
  const own = inputs.filter((one) => one.place === place);
  if (own.length === 0) return [];
  return [field(fieldsOfCall[place], object(own.map((one) => field(one.name, sentValue(one)))))];
}

function sentValue({ key, format, place, type }: InputPlan): Code {
  const value = member(input, key);
  if (format === 'json') return call(member(name('JSON'), 'stringify'), value);
  // Lists in the query are several parameters, unless the description says otherwise.
  if (format === 'plain') return value;
  const canBeList =
    type.kind === 'list' || type.kind === 'tuple' || type.kind === 'union' || type.kind === 'named';
  return canBeList || place !== 'query' ? call(name('joined'), value, literal(format.separator)) : value;
}

const helpers = {
  json: 'jsonBody',
  form: 'formBody',
  urlencoded: 'urlencodedBody',
  raw: 'rawBody',
} as const;

function bodyOf({ kind, contentType }: BodyPlan): Code {
  const isUsual = contentType === undefined || (kind === 'json' && contentType === 'application/json');
  return call(name(helpers[kind]), member(input, 'body'), ...(isUsual ? [] : [literal(contentType)]));
}

/** `[[200], json, 'application/json']`. */
function repliesOf({ statuses, contents }: ReplyPlan): Code[] {
  return contents.map(({ reader, types }: ContentPlan) =>
    array([json(statuses), name(reader), ...types.map(literal)]),
  );
}

/** The function that reads all pages of a list. */
function pagesOf(operation: ClientOperation): (readonly Statement[])[] {
  const { name: functionName, pages } = operation;
  if (pages === undefined) return [];
  const { next, after, names } = pages;
  const others = names.filter((one) => one !== after).map((one) => field(one, missing));
  const following = (cursor: Code): Code =>
    choose(
      binary('==', cursor, literal(null)),
      missing,
      object([...(after === undefined ? [] : [field(after, cursor)]), ...others]),
    );
  const inputNames = names.map(literal);
  const pathIn = (path: readonly string[]): Code =>
    path.reduce<Code>((value, one) => member(value, one), member(name('page'), 'body'));
  const nextOf = (): Code => {
    switch (next.kind) {
      case 'cursor':
        return following(pathIn(next.path));
      case 'header':
        return following(call(member(member(name('page'), 'headers'), 'get'), literal(next.name)));
      case 'url':
        return choose(
          binary('==', pathIn(next.path), literal(null)),
          missing,
          call(name('pageOf'), pathIn(next.path), ...inputNames),
        );
      case 'link':
        return call(name('linked'), member(name('page'), 'headers'), ...inputNames);
    }
  };
  const request = arrow([parameter('page')], call(name(functionName), client, name('page'), options));
  return [
    [
      doc(`The bodies of all pages of ${functionName}, from the page that the input names.`),
      exported(
        declareFunction(
          pages.name,
          parametersOf(operation),
          generic(name('AsyncGenerator'), typeOfClient(pages.body), name('void')),
          [returns(call(name('pages'), input, request, arrow([parameter('page')], nextOf())))],
          false,
        ),
      ),
    ],
  ];
}
