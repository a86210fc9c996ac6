/** Example operations for a third party: a list, one of its elements, and a request that creates one, if its API has them. */
import { requiredIn } from '../../../analyze/check/sent-value.js';
import type { ApiEndpoint, ApiParameter, ApiSchema } from '../../../read/openapi/api-model.js';
import { isIgnoredHeader } from '../../../read/openapi/declared.js';
import { methodsOf } from '../../../read/openapi/third-party/outline.js';
import { branchesOf } from '../../../read/openapi/schema-part.js';
import type { ThirdParty } from '../../../read/openapi/third-party/third-party.js';
import { singular } from '../../../generate/plan/names/singular.js';
import { exampleValue } from '../example-value.js';
import { isToken, template } from '../../../notation/template-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import type { Words } from '../words.js';

/** An operation of the new service, and the request that it sends. */
export interface ThirdPartyOperation {
  /** Such as `GET /payments/{id}`. */
  readonly name: string;
  readonly endpoint: ApiEndpoint;
  /** The operation as written in a configuration's `operations`. */
  readonly operation: object;
  /** Status and schema of the response that is passed on; no schema if the response is not JSON. */
  readonly status: string;
  readonly json: ApiSchema | undefined;
  readonly sends: SentExample;
}

/** Example values for a call of the operation. */
export interface SentExample {
  /** Path of the request, relative to the server. */
  readonly path: string;
  /** Path of the operation, with query. */
  readonly own: string;
  /** Fields of the operation's body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface OperationContext {
  readonly datasource: string;
  /** Words in syntax A, which supports calls to third parties. */
  readonly words: Words;
  /** Prefix of the names of environment variables, such as `STRIPE`. */
  readonly prefix: string;
}

/** Max number of paths to examine: descriptions have up to a thousand, and reading their schemas takes time. */
const maxPaths = 120;

export function thirdPartyOperations(
  thirdParty: ThirdParty,
  context: OperationContext,
): ThirdPartyOperation[] {
  const { list, one, made } = chosen(thirdParty);
  const names = new Set<string>();
  return [list, one, made].flatMap((usable) => {
    const operation = usable && operationFor(usable, thirdParty, context);
    if (operation === undefined || names.has(operation.name)) return [];
    names.add(operation.name);
    return [operation];
  });
}

/** An endpoint for which an example can be written. */
interface Usable {
  readonly endpoint: ApiEndpoint;
  readonly success: Success;
  readonly body: WrittenBody | undefined;
}

interface Success {
  readonly status: string;
  readonly json: ApiSchema | undefined;
}

interface Chosen {
  readonly list?: Usable | undefined;
  readonly one?: Usable | undefined;
  readonly made?: Usable | undefined;
}

/** The first collection that has all three; otherwise the best one, completed with endpoints of others. */
function chosen(thirdParty: ThirdParty): Chosen {
  const plain = thirdParty.paths.filter((path) => !path.includes('{'));
  const known = new Set(thirdParty.paths);
  const elementOf = (path: string): string | undefined =>
    thirdParty.paths.find(
      (other) => other.startsWith(`${path}/{`) && /^\/\{[^{}/]+\}$/.test(other.slice(path.length)),
    );
  const ranked = plain
    .map((path) => {
      const methods = methodsOf(thirdParty.written, path);
      const element = elementOf(path);
      const hasOne =
        element !== undefined && known.has(element) && methodsOf(thirdParty.written, element).includes('GET');
      const rank = (methods.includes('GET') ? 1 : 0) + (hasOne ? 1 : 0) + (methods.includes('POST') ? 1 : 0);
      return { path, element: hasOne ? element : undefined, rank };
    })
    .sort((a, b) => b.rank - a.rank || segmentsIn(a.path) - segmentsIn(b.path));
  let best: Chosen = {};
  for (const { path, element } of ranked.slice(0, maxPaths)) {
    const found = {
      list: best.list ?? usable(thirdParty, path, 'GET', isList),
      one: best.one ?? (element === undefined ? undefined : usable(thirdParty, element, 'GET')),
      made: best.made ?? usable(thirdParty, path, 'POST'),
    };
    best = found;
    if (found.list !== undefined && found.one !== undefined && found.made !== undefined) break;
  }
  const elements = thirdParty.paths.filter((path) => /^[^{}]*\/\{[^{}/]+\}$/.test(path)).slice(0, maxPaths);
  for (const path of elements)
    if (best.one === undefined) best = { ...best, one: usable(thirdParty, path, 'GET') };
  return best;
}

function segmentsIn(path: string): number {
  return path.split('/').length;
}

function usable(
  thirdParty: ThirdParty,
  path: string,
  method: 'GET' | 'POST',
  isMeant: (success: Success) => boolean = () => true,
): Usable | undefined {
  if (!methodsOf(thirdParty.written, path).includes(method)) return undefined;
  const [found] = thirdParty
    .endpoints(path)
    .filter((one) => one.method === method)
    .flatMap((endpoint): Usable[] => {
      const success = successOf(endpoint);
      const body = bodyOf(endpoint);
      return success === undefined || body === 'unknown' || !isMeant(success)
        ? []
        : [{ endpoint, success, body }];
    });
  return found;
}

function successOf({ responses }: ApiEndpoint): Success | undefined {
  const [found] = [...responses].filter(([status]) => /^2\d\d$/.test(status));
  return found && { status: found[0], json: found[1].json };
}

/** Whether the response is a list, or an object that contains one. */
function isList({ json }: Success): boolean {
  if (json === undefined) return false;
  return branchesOf(json).some(
    ({ types, properties }) =>
      types?.includes('array') === true ||
      [...properties.values()].some((one) => one.types?.includes('array') === true),
  );
}

function operationFor(
  { endpoint, success, body }: Usable,
  thirdParty: ThirdParty,
  { datasource, prefix, words }: OperationContext,
): ThirdPartyOperation | undefined {
  const { method, path } = endpoint;
  const credentials = new Set(thirdParty.credentials.map(({ name }) => name.toLowerCase()));
  const required = endpoint.parameters.filter(
    ({ in: place, name, required: isRequired }) =>
      isRequired &&
      !credentials.has(name.toLowerCase()) &&
      (place === 'query' || (place === 'header' && !isIgnoredHeader(name))),
  );
  const headers = required.filter(({ in: place }) => place === 'header');
  // The third party would reject a request without the header.
  if (!headers.every(({ name }) => isToken(name))) return undefined;
  const sent = required.map((parameter) => ({ ...parameter, sent: valueOf(parameter, prefix, words) }));
  const query = sent.filter(({ in: place }) => place === 'query');
  const url = path
    .split(/(\{[^{}]*\})/)
    .map((part) =>
      /^\{.*\}$/.test(part)
        ? words.inText(words.param(identifier(part.slice(1, -1))))
        : template.urlPath(part),
    );
  const withQuery = query.map(
    (one, index) =>
      template`${index === 0 ? template`?` : template`&`}${template.urlPart(one.name)}=${one.sent.text}`,
  );
  const name = nameOf(path);
  const step = identifier(isList(success) && method === 'GET' ? name : (singular(name) ?? name));
  const own = ownPath(path);
  const header = sent
    .filter(({ in: place }) => place === 'header')
    .map((one) => template`${template.headerName(one.name)}: ${one.sent.text}`);
  const isRead = success.json !== undefined;
  const statuscode = isRead ? Number(success.status) : 204;
  const operation = {
    fulfillments: [
      {
        name: step,
        type: method === 'GET' ? 'READ' : 'UPDATE',
        datasource,
        [words.instructions]: [
          {
            request: {
              ...{ url: joined([...url, ...withQuery], ''), httpType: method },
              ...(header.length === 0 ? {} : { header }),
              ...(body === undefined
                ? {}
                : { body: { contentType: body.type, schema: bodySchema(body, words) } }),
            },
          },
        ],
      },
    ],
    responses: [
      {
        name: 'ok',
        default: true,
        statuscode,
        ...(isRead ? { schema: words.rows(step) } : {}),
      },
    ],
  };
  const values = new Map(
    endpoint.parameters.flatMap(({ in: place, name: parameter, schema }): [string, string][] =>
      place === 'path' ? [[parameter, template.urlPart(textFor(schema))]] : [],
    ),
  );
  const filled = (text: string): string =>
    text.replaceAll(/\{([^{}]*)\}/g, (_, one: string) => values.get(one) ?? '1');
  const asked = query.filter((one) => one.sent.parameter !== undefined);
  return {
    ...{ name: `${method} ${own}`, endpoint, operation, status: success.status, json: success.json },
    sends: {
      path: filled(path),
      own: `${filledOwn(own, path, filled)}${asked.map((one, index) => `${index === 0 ? '?' : '&'}${one.sent.parameter ?? ''}=${template.urlPart(textFor(one.schema))}`).join('')}`,
      body: body?.example,
    },
  };
}

/** The path of the operation: `/v1/customers/{customer}` → `/customers/{customer}` */
function ownPath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const last = segments.at(-1) ?? '';
  const before = segments.at(-2) ?? 'item';
  const plain = (segment: string): string =>
    segment.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|(?<!-)-+$/g, '') || 'item';
  return last.includes('{')
    ? `/${plain(before)}/{${identifier(last.replaceAll(/[{}]/g, ''))}}`
    : `/${plain(last)}`;
}

function filledOwn(own: string, path: string, filled: (text: string) => string): string {
  const last = /\{[^{}]*\}$/.exec(path)?.[0];
  return last === undefined ? own : own.replace(/\{[^{}]*\}$/, () => filled(last));
}

function nameOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'));
  return segments.at(-1) ?? 'result';
}

/** The name of a fulfillment or parameter. */
function identifier(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|(?<!_)_+$/g, '');
  return /^[A-Za-z]/.test(plain) ? plain : `the_${plain}`;
}

/** `parameter` is the operation's parameter that provides the value. */
function valueOf(
  { name, in: place, schema }: ApiParameter,
  prefix: string,
  words: Words,
): { readonly text: Written<'template'>; readonly parameter: string | undefined } {
  if (/token|secret|(?:^|[_-]|api)key|password/i.test(name))
    return {
      text: words.inText(words.variable(`${prefix}_${identifier(name).toUpperCase()}`)),
      parameter: undefined,
    };
  const [constant] = schema?.enum ?? (schema?.default === undefined ? [] : [schema.default]);
  const written = typeof constant === 'number' ? String(constant) : constant;
  if (typeof written === 'string' && (place === 'query' || isHeaderValue(written)))
    return {
      text: place === 'query' ? template.urlPart(written) : words.asText(written),
      parameter: undefined,
    };
  return { text: words.inText(words.param(identifier(name))), parameter: identifier(name) };
}

function isHeaderValue(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}

/** An example value in a path or query. */
function textFor(schema: ApiSchema | undefined): string {
  const value = schema && exampleValue(schema, 'sent', 2);
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain && value !== '' ? String(value) : '1';
}

interface WrittenBody {
  readonly type: 'json' | 'form';
  readonly example: Readonly<Record<string, unknown>>;
}

/** Number of fields to write if none is required. */
const fewFields = 3;

/** The required fields of the body, read from the same fields of the request's body; a few fields if none is required. */
function bodyOf({ body }: ApiEndpoint): WrittenBody | undefined | 'unknown' {
  if (body === undefined) return undefined;
  const type = body.json === undefined ? 'form' : 'json';
  const schema = body.json ?? body.form?.schema;
  if (schema === undefined || (type === 'form' && body.form?.types.includes('urlencoded') !== true))
    return body.required ? 'unknown' : undefined;
  const needed = requiredIn(schema).map(({ name }) => name);
  const all = new Map(branchesOf(schema).flatMap(({ properties }) => [...properties]));
  if (all.size === 0) return body.required ? 'unknown' : undefined;
  const some = [...all].filter(
    ([, { types, readOnly }]) => readOnly !== true && types?.includes('string') === true,
  );
  const names = needed.length > 0 ? needed : some.slice(0, fewFields).map(([name]) => name);
  const example = names.map((name): [string, unknown] => {
    const property = all.get(name);
    return [name, (property && exampleValue(property, 'sent', 2)) ?? 'text'];
  });
  return { type, example: Object.fromEntries(example) };
}

function bodySchema({ example }: WrittenBody, words: Words): Readonly<Record<string, Written<'expression'>>> {
  return Object.fromEntries(Object.keys(example).map((name) => [name, words.body(name)]));
}
