/** Compares a request with its endpoint in the third party's description: names, required parts, values. */
import { headersOf, type Datasource, type Request } from '../../read/config/config-model.js';
import type { ApiBody, ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';
import { isIgnoredHeader } from '../../read/openapi/declared.js';
import { partOf, type Span } from '../../read/source.js';
import type { ThirdPartyRequest } from '../operations/requests/third-party-request.js';
import type { RequestSite } from './rule.js';
import { bodyProblems } from './sent-body.js';
import { textProblem, wrong, type WrongValue } from './sent-value.js';

/** A request's operation and datasource. */
export type SentSite = Pick<RequestSite, 'analyzed' | 'datasource'>;

/** A name that the description does not contain. */
export interface UnknownPart {
  /** The kind of part: `property`, `query parameter`. */
  readonly what: string;
  readonly name: string;
  readonly span: Span;
  readonly names: readonly string[];
  readonly free: readonly string[];
}

export function unknownParts(request: Request, found: ThirdPartyRequest, site: SentSite): UnknownPart[] {
  if (found.endpoint === undefined) return [];
  const names = queryNames(found);
  const sent = sentQuery(request, found);
  const free = names.filter((name) => sent.every((one) => one.name !== name));
  const inQuery = sent
    .filter(({ name }) => !isKnownQuery(name, names))
    .map((one) => ({ ...one, what: 'query parameter', names, free }));
  const inBody = bodyProblems(request, found.endpoint, site).flatMap((problem) =>
    problem.kind === 'unknown' ? [{ ...problem, what: 'property' }] : [],
  );
  return [...inQuery, ...inBody];
}

/** A required part that is not sent. */
export interface MissingPart {
  /** The kind of part: `property`, `query parameter`, `header`, `part`. */
  readonly what: string;
  readonly name: string;
  readonly span: Span;
  /** The line to write. */
  readonly line: string;
}

export function missingParts(request: Request, found: ThirdPartyRequest, site: SentSite): MissingPart[] {
  const { datasource } = site;
  const { endpoint } = found;
  if (endpoint === undefined || request.url === undefined) return [];
  const { span } = request.url;
  const headers = new Set(
    [...request.header, ...headersOf(datasource)].map(({ name }) => name.value.toLowerCase()),
  );
  const hasBody =
    request.body !== undefined || request.multipart.length > 0 || request.bodyType !== undefined;
  return [
    ...missingQuery(found, datasource).map(({ name, schema }) => ({
      ...{ what: 'query parameter', name, span },
      line: `?${name}=${exampleOf(schema) ?? ':[PARAM(…)]'} at the end of the URL, with & after other parameters`,
    })),
    ...missingHeaders(found, headers).map(({ name, schema }) => ({
      ...{ what: 'header', name, span },
      line: `- "${name}: ${exampleOf(schema) ?? '…'}" below 'header' of the request or the datasource`,
    })),
    ...bodyProblems(request, endpoint, site).flatMap((problem) =>
      problem.kind === 'missing'
        ? [{ ...problem, what: 'property', line: `a line ${problem.name}: with its value` }]
        : [],
    ),
    ...(endpoint.body?.required === true && !hasBody
      ? [
          {
            ...{ what: 'part', name: 'body', span: request.fields.get('body') ?? span },
            line: "'body' of the request, with a schema",
          },
        ]
      : []),
  ];
}

/** The constants, and values of a known type, that the description does not allow. */
export function wrongValues(request: Request, found: ThirdPartyRequest, site: SentSite): WrongValue[] {
  const { endpoint } = found;
  if (endpoint === undefined || request.url === undefined) return [];
  const problems = [
    ...urlProblems(found, request.url.span),
    ...bodyProblems(request, endpoint, site),
    ...kindProblems(request, endpoint.body),
  ];
  return problems.filter((problem) => problem.kind === 'wrong');
}

/** The values of path parameters, by the names in the description; undefined for values that are not constant. */
export function pathValues({ segments, path = '' }: ThirdPartyRequest): {
  readonly name: string;
  readonly value: string | undefined;
}[] {
  return path
    .split('/')
    .slice(-segments.length)
    .flatMap((described, index) => {
      const name = /^\{([^{}]*)\}$/.exec(described)?.[1];
      return name === undefined ? [] : [{ name, value: segments[index] }];
    });
}

/** The problems with constant parts of the URL. */
function urlProblems(found: ThirdPartyRequest, span: Span): WrongValue[] {
  const parameters = found.endpoint?.parameters ?? [];
  const inPath = pathValues(found).map((one) => ({ place: 'path', ...one }));
  return [...inPath, ...found.query.map((one) => ({ place: 'query', ...one }))].flatMap(
    ({ place, name, value }): WrongValue[] => {
      const schema = parameters.find((one) => one.in === place && one.name === name)?.schema;
      const problem = schema === undefined || value === undefined ? undefined : textProblem(value, schema);
      if (schema === undefined || value === undefined || problem === undefined) return [];
      const whole = place === 'query' ? partOf(span, `${name ?? ''}=${value}`) : span;
      return [wrong(partOf(whole, value), problem, value, schema)];
    },
  );
}

/** Problems with the kind of body, such as a form where JSON is described. */
function kindProblems({ bodyType, fields }: Request, body: ApiBody | undefined): WrongValue[] {
  const span = fields.get('body') ?? fields.get('multipart');
  if (body === undefined || span === undefined) return [];
  const sent = fields.has('body') ? bodyType : 'multipart';
  const { json, form = { types: [] } } = body;
  const described: readonly string[] = [
    ...(json === undefined ? [] : ['json']),
    ...form.types.map((type) => (type === 'urlencoded' ? 'form' : type)),
  ];
  if (sent === undefined || body.isAny === true || described.length === 0 || described.includes(sent))
    return [];
  const problem = `the body must be ${described.map(nameOfBody).join(' or ')}, and is sent as ${nameOfBody(sent)}`;
  return [{ kind: 'wrong', span, problem, written: undefined, allowed: [] }];
}

function nameOfBody(type: string): string {
  return { json: 'JSON', form: 'a form' }[type] ?? type;
}

function missingQuery(
  { endpoint, query, thirdParty }: ThirdPartyRequest,
  { url }: Datasource,
): ApiEndpoint['parameters'] {
  if (query.some(({ name }) => name === undefined)) return [];
  const ofDatasource = [...(url?.value ?? '').matchAll(/[?&]([^=&#]+)/g)].map(([, name = '']) => name);
  const names = [...ofDatasource, ...query.map(({ name = '' }) => name)];
  const sent = new Set(names.flatMap((name) => [name, rootOf(name)]));
  const credentials = thirdParty.credentials.map(({ name }) => name);
  return (endpoint?.parameters ?? []).filter(
    ({ in: place, required, name, schema }) =>
      place === 'query' &&
      required &&
      !sent.has(name) &&
      !sent.has(rootOf(name)) &&
      !credentials.includes(name) &&
      schema?.default === undefined,
  );
}

function missingHeaders(
  { endpoint, thirdParty }: ThirdPartyRequest,
  sent: ReadonlySet<string>,
): ApiEndpoint['parameters'] {
  const credentials = thirdParty.credentials.map(({ name }) => name.toLowerCase());
  return (endpoint?.parameters ?? []).filter(
    ({ in: place, required, name }) =>
      place === 'header' &&
      required &&
      !isIgnoredHeader(name) &&
      !sent.has(name.toLowerCase()) &&
      !credentials.includes(name.toLowerCase()),
  );
}

/** A constant from the description as an example. */
function exampleOf(schema: ApiSchema | undefined): string | undefined {
  const [value] = schema?.enum ?? [];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The names of query parameters in the URL, including the page parameter. */
function sentQuery(
  { url, pages }: Request,
  { query }: ThirdPartyRequest,
): { readonly name: string; readonly span: Span }[] {
  const inUrl = query.flatMap(({ name }) =>
    name === undefined || url === undefined ? [] : [{ name, span: partOf(url.span, name) }],
  );
  const { parameter } = pages ?? {};
  return parameter === undefined ? inUrl : [...inUrl, { name: parameter.value, span: parameter.span }];
}

/** The names of query parameters that the request can have. */
function queryNames({ endpoint, thirdParty }: ThirdPartyRequest): string[] {
  const parameters = (endpoint?.parameters ?? []).filter((one) => one.in === 'query');
  const keys = thirdParty.credentials.filter((one) => one.in === 'query');
  return [...new Set([...parameters, ...keys].map(({ name }) => name))];
}

/** Whether the name is described. Lists and maps can be written as `ids[]` and `created[from]`. */
function isKnownQuery(name: string, names: readonly string[]): boolean {
  return names.includes(name) || names.some((one) => rootOf(one) === rootOf(name));
}

function rootOf(name: string): string {
  return name.replace(/\[.*$/s, '');
}
