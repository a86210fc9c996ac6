/** One operation of a generated API description: parameters, body and every response. */
import type { Config, Exception, Operation, Schema } from '../../read/config/config-model.js';
import { neverHasBody } from '../../read/config/status.js';
import { allFulfillments, exceptionsOf, walkOperation } from '../../read/config/walk.js';
import { contains } from '../../read/expression/visit.js';
import { orNull } from '../types/join-types.js';
import type { ValueType } from '../types/value-type.js';
import { inputOf, repeatable } from './generate-input.js';
import { schemaOf } from './generate-schema.js';
import { errorReference, errorResponses, type JsonMap } from './error-responses.js';
import type { KnownInput, KnownValues } from './known-values.js';
import { pathParameters } from '../../read/openapi/match.js';
import { schemaOfType } from './schema-of-type.js';

/** Facts of the whole description about an operation. */
export interface OperationContext {
  readonly id: string;
  /** As in the description: its parameters may have other names than the operation's. */
  readonly path: string;
  readonly security: readonly JsonMap[] | undefined;
  readonly isProtected: boolean;
}

export function describeOperation(
  operation: Operation,
  config: Config,
  values: KnownValues,
  { id, path, security, isProtected }: OperationContext,
): { readonly operation: JsonMap; readonly errors: readonly number[] } {
  const own = operation.endpoint?.parameters ?? [];
  const { parameters, sent, kinds, body, called } = inputOf(operation, config, values);
  const known = (name: string): KnownInput => values.parameter(parameters.get(name) ?? [], name);
  const provided = (name: string): JsonMap | undefined => {
    const { type } = known(name);
    return type && schemaOfType(type);
  };
  const inPath = pathParameters(path).map((name, index) => {
    const schema = provided(own[index] ?? name) ?? { type: 'string' };
    return { name, in: 'path', required: true, schema };
  });
  const described: JsonMap[] = [
    ...inPath,
    ...[...parameters.keys()]
      .filter((name) => !own.includes(name) && !unheard.test(name))
      .flatMap((name) => parametersOf(name, kinds.get(name), provided(name), known(name).isRequired)),
  ];
  for (const { place, name } of sent) {
    const isKnown = described.some((one) => one['in'] === place && one['name'] === name);
    const schema = place === 'query' ? repeatable : { type: 'string' };
    if (!isKnown && !(place === 'header' && unheard.test(name))) described.push({ name, in: place, schema });
  }
  const errors = errorStatuses([operation, ...called], config, {
    hasInput: described.length > 0 || body !== undefined,
    hasBody: body !== undefined,
    hasFiles: [operation, ...called].some(readsFiles),
    isProtected,
  });
  return {
    operation: {
      operationId: id,
      summary: inWords(id),
      ...(security === undefined ? {} : { security }),
      ...(described.length === 0 ? {} : { parameters: described }),
      ...(body === undefined ? {} : { requestBody: body }),
      responses: responsesOf(operation, called, errors, { values, known }),
    },
    errors,
  };
}

/** `getNewsById` as `Get news by id`: the path is beside it already. */
function inWords(id: string): string {
  const words = id.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An object has its fields in brackets: `filter[min]=3`. A plain string may be passed several times. */
function parametersOf(
  name: string,
  kind: 'object' | 'array' | undefined,
  provided: JsonMap | undefined,
  isRequired: boolean,
): JsonMap[] {
  const isWord = headerWord.test(name);
  const whole = kind === 'array' ? { type: kind, items: {} } : { type: kind ?? 'string' };
  const header = { name, in: 'header', schema: whole };
  const query = {
    ...{ name, in: 'query' },
    ...(kind === 'object' ? { style: 'deepObject' } : {}),
    schema: kind === undefined ? (provided ?? repeatable) : whole,
  };
  if (isWord) return [query, header];
  const { schema, ...place } = headerName.test(name) ? header : query;
  return [{ ...place, ...(isRequired ? { required: true } : {}), schema }];
}

/** Headers that OpenAPI does not allow as parameters, and the one that every request has. */
const unheard = /^(?:accept|authorization|content-type|host)$/i;

/** Names of headers; PARAM does not distinguish them from query parameters. */
const headerName = /^(?:x-.*|accept-.*|cache-control|content-.*|if-.*|user-agent)$/i;

/** Words that are headers as well as likely parameters of a query: they may be either. */
const headerWord = /^(?:cookie|date|etag|forwarded|from|origin|prefer|range|referer)$/i;

/** The errors that the service itself may return, and that no exception of the configuration describes. */
function errorStatuses(
  operations: readonly Operation[],
  { datasources }: Config,
  {
    hasInput,
    hasBody,
    hasFiles,
    isProtected,
  }: Readonly<Record<'hasInput' | 'hasBody' | 'hasFiles' | 'isProtected', boolean>>,
): number[] {
  const steps = operations.flatMap(({ fulfillments }) =>
    allFulfillments(fulfillments).map(({ fulfillment }) => fulfillment),
  );
  const uses = (type: 'db' | 'rest', changes = false): boolean =>
    steps.some((step) => {
      if (step.type !== 'READ' && step.type !== 'UPDATE') return false;
      const datasource = datasources.find(({ name }) => name.value === step.datasource.value);
      return datasource?.type === type && (!changes || step.type === 'UPDATE');
    });
  return [
    ...(hasInput ? [400] : []),
    ...(isProtected ? [401] : []),
    ...(uses('db', true) ? [409] : []),
    ...(hasBody ? [413, 415] : []),
    500,
    ...(uses('rest') ? [502] : []),
    ...(uses('db') || hasFiles ? [503] : []),
    504,
  ];
}

/** Uploads share a memory, and are refused where it is used up. */
function readsFiles(operation: Operation): boolean {
  let reads = false;
  walkOperation(operation, (expression) => {
    reads ||= contains(expression, 'multipart-file');
  });
  return reads;
}

interface DescribedResponse {
  readonly descriptions: string[];
  /** Of each body that it may have. */
  readonly schemas: unknown[];
}

/** Every response by its status: the responses, the exceptions, and those of the service itself. */
function responsesOf(
  operation: Operation,
  called: readonly Operation[],
  errors: readonly number[],
  { values, known }: { readonly values: KnownValues; readonly known: (name: string) => KnownInput },
): JsonMap {
  const responses = new Map<number, DescribedResponse>();
  const add = (status: number, description: string, schema: unknown): void => {
    const response = responses.get(status) ?? { descriptions: [], schemas: [] };
    responses.set(status, response);
    if (!response.descriptions.includes(description)) response.descriptions.push(description);
    const isKnown = response.schemas.some((other) => JSON.stringify(other) === JSON.stringify(schema));
    if (schema !== undefined && !isKnown) response.schemas.push(schema);
  };
  const built = values.built(operation);
  const inPath = operation.endpoint?.parameters ?? [];
  const typeOfLeaf = (leaf: Extract<Schema, { kind: 'leaf' }>): ValueType | undefined => {
    const { value } = leaf;
    if (value.kind !== 'param' || value.path.length > 0) return built.get(leaf);
    // A value of the API description has its type there.
    const { type, isRequired } = known(value.name);
    if (type === undefined) return built.get(leaf);
    return isRequired || inPath.includes(value.name) ? type : orNull(type);
  };
  for (const response of operation.responses) {
    const status = response.statuscode.value;
    const hasBody = !neverHasBody(status);
    // A body that is built from mappings has the shape of models that are declared nowhere.
    const mapped = operation.mappings.length > 0 ? {} : undefined;
    const schema = response.schema === undefined ? mapped : schemaOf(response.schema, typeOfLeaf);
    add(status, response.name.value, hasBody ? schema : undefined);
  }
  for (const { statuscode, message } of [operation, ...called].flatMap(exceptionsOf))
    add(statuscode, messageText(message), { $ref: '#/components/schemas/Error' });
  for (const status of errors) {
    const description = errorResponses[status]?.description;
    if (responses.has(status) && description !== undefined)
      add(status, description, { $ref: '#/components/schemas/Error' });
  }
  const statuses = [...new Set([...responses.keys(), ...errors])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [String(status), responseOf(responses.get(status), status)]),
  );
}

function responseOf(response: DescribedResponse | undefined, status: number): JsonMap {
  if (response === undefined) return errorReference(status);
  const { descriptions, schemas } = response;
  const [schema] = schemas;
  const description = descriptions.join(' · ');
  if (schemas.length === 0) return { description };
  return {
    description,
    content: { 'application/json': { schema: schemas.length === 1 ? schema : { anyOf: schemas } } },
  };
}

/** Placeholders become three dots. */
function messageText(message: Exception['message']): string {
  return message.map((part) => (typeof part === 'string' ? part : '…')).join('');
}
