/** Generates an operation of an API description: parameters, body and all responses. */
import type { Sent } from '../../read/expression/ast.js';
import { omittedFields } from '../operations/omitted-fields.js';
import { withOmissions } from './omitted-properties.js';
import type {
  Config,
  Exception,
  Operation,
  Response,
  Schema,
  Settings,
} from '../../read/config/config-model.js';
import { bodyKind, hasRanges, sentTypes } from '../../read/openapi/media-type.js';
import { neverHasBody } from '../../read/config/status.js';
import { exceptionsOf } from '../../read/config/walk.js';
import { orNull } from '../types/join-types.js';
import type { ValueType } from '../types/value-type.js';
import { filterParameters } from './filter-parameters.js';
import { listParameters } from './list-parameters.js';
import { inputOf, repeatable, stringList, type ParameterKind } from './generate-input.js';
import { schemaOf } from './generate-schema.js';
import type { ErrorForms } from './error-forms.js';
import { errorReference, errorResponses } from './error-responses.js';
import { errorStatuses } from './error-statuses.js';
import type { JsonMap } from '../../read/json.js';
import type { KnownInput, KnownValues } from './known-values.js';
import { pathParameters } from '../../read/openapi/match.js';
import { schemaOfType } from './schema-of-type.js';

/** Facts about an operation from the whole description. */
export interface OperationContext {
  readonly id: string;
  /** The path in the description, whose parameter names can differ from the operation's. */
  readonly path: string;
  readonly security: readonly JsonMap[] | undefined;
  readonly forms: ErrorForms;
}

export function describeOperation(
  operation: Operation,
  config: Config,
  values: KnownValues,
  { id, path, security, forms }: OperationContext,
): { readonly operation: JsonMap; readonly errors: readonly number[] } {
  const own = operation.endpoint?.parameters ?? [];
  const { parameters, sent, kinds, lists, body, called } = inputOf(operation, config, values);
  const known = (name: string): KnownInput => values.parameter(parameters.get(name) ?? [], name);
  const ofLists = listParameters(operation, called);
  const filters = filterParameters(operation, called, (...one) => values.filter(...one));
  const provided = (name: string): JsonMap | undefined => {
    const ofList = ofLists.get(name);
    if (ofList !== undefined) return ofList;
    const { type } = known(name);
    return type && schemaOfType(type);
  };
  const inPath = pathParameters(path).map((name, index) => {
    const schema = provided(own[index] ?? name);
    return {
      name,
      in: 'path',
      required: true,
      schema: schema?.['type'] === 'array' || schema === undefined ? { type: 'string' } : schema,
    };
  });
  const described: JsonMap[] = [
    ...inPath,
    ...[...parameters.keys()]
      .filter((name) => !own.includes(name) && !unheard.test(name) && !filters.sources.has(name))
      .flatMap((name) => parametersOf(name, kinds.get(name), provided(name), known(name).isRequired)),
  ];
  for (const { place, name } of sent) {
    const isKnown = described.some((one) => one['in'] === place && one['name'] === name);
    if (isKnown || (place === 'header' && unheard.test(name))) continue;
    if (place === 'query' && filters.sources.has(name)) continue;
    if (place !== 'query') {
      const required = isRequiredKey(operation, { place, name }) ? { required: true } : {};
      described.push({ name, in: place, ...required, schema: { type: 'string' } });
      continue;
    }
    const { type, isRequired } = values.query([operation, ...called], name);
    const schema =
      ofLists.get(name) ?? (type && schemaOfType(type)) ?? (lists.has(name) ? stringList : repeatable);
    described.push({ name, in: place, ...(isRequired ? { required: true } : {}), schema });
  }
  described.push(...filters.parameters);
  const errors = errorStatuses(operation, called, config, {
    hasInput: described.length > 0 || body !== undefined,
    hasBody: body !== undefined,
  });
  return {
    operation: {
      operationId: id,
      summary: inWords(id),
      ...(security === undefined ? {} : { security }),
      ...(described.length === 0 ? {} : { parameters: described }),
      ...(body === undefined ? {} : { requestBody: body }),
      responses: responsesOf(operation, called, errors, { values, known, forms, settings: config.settings }),
    },
    errors,
  };
}

/** Whether the value is an idempotency key without which requests are refused. */
function isRequiredKey({ idempotency }: Operation, { place, name }: Pick<Sent, 'place' | 'name'>): boolean {
  const key = idempotency?.isRequired === true ? idempotency.key : undefined;
  return key?.kind === 'sent' && key.place === place && key.name.toLowerCase() === name.toLowerCase();
}

/** Turns `getNewsById` into `Get news by id`; the path is displayed next to it anyway. */
function inWords(id: string): string {
  const words = id.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The parameters for a name. Fields of an object are in brackets: `filter[min]=3`. A plain string can be passed several times. */
function parametersOf(
  name: string,
  kind: ParameterKind | undefined,
  provided: JsonMap | undefined,
  isRequired: boolean,
): JsonMap[] {
  const isWord = headerWord.test(name);
  const whole = kind === 'array' ? { type: kind, items: {} } : { type: kind ?? 'string' };
  const header = { name, in: 'header', schema: kind === 'list' ? { type: 'string' } : whole };
  const query = {
    ...{ name, in: 'query' },
    ...(kind === 'object' ? { style: 'deepObject' } : {}),
    schema:
      kind === 'list'
        ? provided?.['type'] === 'array'
          ? provided
          : stringList
        : kind === undefined
          ? (provided ?? repeatable)
          : whole,
  };
  if (isWord) return [query, header];
  const { schema, ...place } = headerName.test(name) ? header : query;
  return [{ ...place, ...(isRequired ? { required: true } : {}), schema }];
}

/** Headers that OpenAPI does not allow as parameters, and Host, which every request has. */
const unheard = /^(?:accept|authorization|content-type|host)$/i;

/** Likely header names; PARAM does not distinguish between headers and query parameters. */
const headerName = /^(?:x-.*|accept-.*|cache-control|content-.*|if-.*|user-agent)$/i;

/** Names that are equally likely as headers and as query parameters, and are described as both. */
const headerWord = /^(?:cookie|date|etag|forwarded|from|origin|prefer|range|referer)$/i;

interface DescribedResponse {
  readonly descriptions: string[];
  /** The schemas of possible bodies, by content type. */
  readonly schemas: Map<string, unknown[]>;
  readonly headers: Set<string>;
}

interface ResponseContext {
  readonly values: KnownValues;
  readonly known: (name: string) => KnownInput;
  readonly forms: ErrorForms;
  readonly settings: Settings;
}

const json = 'application/json';

/** All responses by status: those of the configuration, of exceptions, and of the service itself. */
function responsesOf(
  operation: Operation,
  called: readonly Operation[],
  errors: readonly number[],
  { values, known, forms, settings }: ResponseContext,
): JsonMap {
  const responses = new Map<number, DescribedResponse>();
  const add = (
    status: number,
    description: string,
    schema: unknown,
    { type = json, headers = [] }: { readonly type?: string; readonly headers?: readonly string[] } = {},
  ): void => {
    const response: DescribedResponse = responses.get(status) ?? {
      ...{ descriptions: [], schemas: new Map(), headers: new Set() },
    };
    responses.set(status, response);
    if (!response.descriptions.includes(description)) response.descriptions.push(description);
    for (const header of headers) response.headers.add(header);
    if (schema === undefined) return;
    const schemas = response.schemas.get(type) ?? [];
    response.schemas.set(type, schemas);
    if (!schemas.some((other) => JSON.stringify(other) === JSON.stringify(schema))) schemas.push(schema);
  };
  const addError = (status: number, description: string, headers: readonly string[] = []): void => {
    const { contentType, schema } = forms.contentOf(status);
    add(status, description, schema, { type: contentType, headers });
  };
  const built = values.built(operation);
  const inPath = operation.endpoint?.parameters ?? [];
  const typeOfLeaf = (leaf: Leaf): ValueType | undefined => {
    const { value } = leaf;
    if (value.kind !== 'param' || value.path.length > 0) return built.get(leaf);
    // The API description defines the types of its own values.
    const { type, isRequired } = known(value.name);
    if (type === undefined || values.isApplied === false) return built.get(leaf);
    return isRequired || inPath.includes(value.name) ? type : orNull(type);
  };
  for (const response of operation.responses) {
    const status = response.statuscode.value;
    const hasBody = !neverHasBody(status);
    // A body built from mappings consists of models that are not declared anywhere.
    const mapped = operation.mappings.length > 0 ? {} : undefined;
    const whole = response.schema === undefined ? mapped : schemaOf(response.schema, typeOfLeaf);
    const omitted = omittedFields(response, settings);
    const schema = whole === undefined || omitted === undefined ? whole : withOmissions(whole, omitted);
    const { contents, headers } = describedContent(response, schema);
    const addAll = (code: number, description: string, more: readonly string[]): void => {
      for (const [type, content] of contents)
        add(code, description, hasBody ? content : undefined, { type, headers: [...headers, ...more] });
    };
    const isPartial = hasRanges(response, operation.endpoint?.method);
    addAll(status, response.name.value, isPartial ? ['Accept-Ranges'] : []);
    if (isPartial) {
      addAll(206, 'The requested part of the bytes.', ['Accept-Ranges', 'Content-Range']);
      addError(416, 'The bytes have no such part.', ['Content-Range']);
    }
    if (response.etag !== undefined && operation.endpoint?.method === 'GET')
      add(304, 'The client has this version.', undefined, { headers });
  }
  for (const one of [operation, ...called]) {
    const types = values.built(one);
    for (const { statuscode, message, header, schema } of exceptionsOf(one)) {
      const headers = headerNames(header);
      if (schema === undefined) addError(statuscode, messageText(message), headers);
      else
        add(
          statuscode,
          messageText(message),
          schemaOf(schema, (leaf) => types.get(leaf)),
          { headers },
        );
    }
  }
  for (const status of errors) {
    const description = errorResponses[status]?.description;
    if (responses.has(status) && description !== undefined) addError(status, description);
  }
  const statuses = [...new Set([...responses.keys(), ...errors])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [String(status), responseOf(responses.get(status), status)]),
  );
}

type Leaf = Extract<Schema, { kind: 'leaf' }>;

function responseOf(response: DescribedResponse | undefined, status: number): JsonMap {
  if (response === undefined) return errorReference(status);
  const { descriptions, schemas: contents, headers } = response;
  const content = [...contents].map(([type, schemas]) => {
    const [schema] = schemas;
    return [type, { schema: schemas.length === 1 ? schema : { anyOf: schemas } }];
  });
  return {
    description: descriptions.join(' · '),
    ...(headers.size === 0
      ? {}
      : {
          headers: Object.fromEntries(
            [...headers].sort().map((header) => [header, { schema: { type: 'string' } }]),
          ),
        }),
    ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
  };
}

/** The schemas of its body by content type, and its headers. `schema`: that of JSON. */
function describedContent(
  { contentType, header, fileName, etag }: Response,
  schema: unknown,
): {
  readonly contents: readonly (readonly [type: string, schema: unknown])[];
  readonly headers: readonly string[];
} {
  const kind = bodyKind(contentType);
  const types = contentType === undefined || kind === undefined ? [json] : sentTypes(contentType);
  const isJson = kind === undefined || kind === 'json';
  const headers = [
    ...headerNames(header),
    ...(fileName === undefined ? [] : ['Content-Disposition']),
    ...(etag === undefined ? [] : ['ETag']),
  ];
  return {
    headers,
    contents: types.map((type) => [
      type,
      isJson ? schema : { type: 'string', ...(kind === 'bytes' ? { contentMediaType: type } : {}) },
    ]),
  };
}

function headerNames(header: Response['header']): string[] {
  return [...new Map(header.map(({ name }) => [name.value.toLowerCase(), name.value])).values()];
}

/** The message, with placeholders replaced by an ellipsis. */
function messageText(message: Exception['message']): string {
  return message.map((part) => (typeof part === 'string' ? part : '…')).join('');
}
