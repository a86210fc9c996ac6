/** The responses of an operation: statuses, content types and bodies. */
import type { KnownValues } from '../../../analyze/describe/known-values.js';
import { withOmissions } from '../../../analyze/describe/omitted-properties.js';
import { omittedFields } from '../../../analyze/operations/omitted-fields.js';
import type { Expression } from '../../../read/expression/ast.js';
import { schemaOf } from '../../../analyze/describe/generate-schema.js';
import { schemasOfModels } from '../../../analyze/describe/read-generated.js';
import { describedKey, statusOfInvalid } from '../../../analyze/mapping/described.js';
import type { Response } from '../../../read/config/config-model.js';
import { neverHasBody } from '../../../read/config/status.js';
import type { ApiEndpoint, ApiResponse, ApiSchema } from '../../../read/openapi/api-model.js';
import { bodyKind, contentKind, hasRanges, sentTypes } from '../../../read/openapi/media-type.js';
import type { CalledEndpoint, ClientContext } from './client-context.js';
import type { SentValues } from './sent-values.js';
import { undefinedType, unionOf, type ClientType, type ClientTypes } from './client-types.js';

/** Responses with equal bodies. */
export interface ReplyPlan {
  /** Ascending. */
  readonly statuses: readonly number[];
  /** Whether the statuses are from 200 to 299. */
  readonly isSuccess: boolean;
  readonly contents: readonly ContentPlan[];
}

export interface ContentPlan {
  readonly reader: 'empty' | 'json' | 'text' | 'blob' | 'lines';
  /** Media types in lower case, without parameters; empty without a body. */
  readonly types: readonly string[];
  readonly body: ClientType;
}

const nothing: ContentPlan = { reader: 'empty', types: [], body: undefinedType };

export function planReplies(called: CalledEndpoint, context: ClientContext): ReplyPlan[] {
  const groups = new Map<
    string,
    { statuses: number[]; isSuccess: boolean; contents: readonly ContentPlan[] }
  >();
  for (const status of statusesOf(called)) {
    const contents = contentsOf(status, called, context);
    const isSuccess = status >= 200 && status < 300;
    const key = JSON.stringify([isSuccess, contents]);
    const group = groups.get(key) ?? { statuses: [], isSuccess, contents };
    group.statuses.push(status);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** All statuses that the service sends or that its description names, ascending. */
function statusesOf({ described, generated }: CalledEndpoint): number[] {
  const isInvalid = described.parameters.length > 0 || described.body !== undefined;
  const named = [...generated.responses.keys(), ...described.responses.keys()];
  return [
    ...new Set([
      ...named.map(Number).filter((status) => Number.isInteger(status)),
      ...(isInvalid ? [statusOfInvalid(described) ?? 400] : []),
      ...(described.body === undefined ? [] : [413, 415]),
    ]),
  ].sort((a, b) => a - b);
}

/** Bodies of responses are as described; the service generates those of errors, which descriptions often omit. */
function contentsOf(status: number, called: CalledEndpoint, context: ClientContext): ContentPlan[] {
  const { operation, endpoint, described, generated } = called;
  if (neverHasBody(status) || endpoint.method === 'HEAD') return [nothing];
  const { types } = context;
  const own = operation.responses.filter(({ statuscode }) => statuscode.value === status);
  const isPart =
    status === 206 && operation.responses.some((one) => hasRanges(one, operation.endpoint?.method));
  const written = isPart
    ? operation.responses.filter((one) => hasRanges(one, operation.endpoint?.method))
    : own;
  if (written.length > 0) return merged(written.map((one) => contentOf(one, status, called, context)));
  const of = generated.responses.get(String(status));
  if (of !== undefined) return inDescription(of, types.generated);
  const form = generated.responses.get('500');
  const key = describedKey(String(status), described);
  const found = key === undefined ? undefined : described.responses.get(key);
  // Errors of the validation have the form of all other errors of the service.
  const isOwnError = [400, 413, 415, 422].includes(status) && !described.responses.has(String(status));
  if (isOwnError && form !== undefined) return inDescription(form, types.generated);
  return found === undefined ? [nothing] : inDescription(found, types.described);
}

/** The content of a response of the configuration. */
function contentOf(
  response: Response,
  status: number,
  { operation, described, generated, mapped }: CalledEndpoint,
  { config, types, values, nullBodies }: ClientContext,
): ContentPlan {
  const kind = bodyKind(response.contentType) ?? 'json';
  const { contentType } = response;
  const media = contentType === undefined ? ['application/json'] : sentTypes(contentType).map(essence);
  switch (kind) {
    case 'csv':
    case 'text':
      return { reader: 'text', types: media, body: { kind: 'string' } };
    case 'bytes':
      return { reader: 'blob', types: media, body: { kind: 'Blob' } };
    case 'lines': {
      const { schema } = response;
      const built = values.built(operation);
      const item =
        schema?.kind === 'array'
          ? schemaOf(schema.item, (leaf) => built.get(leaf))
          : itemsOf(schema && schemaOf(schema, (leaf) => built.get(leaf)));
      const omitted = omittedFields(response, config.settings);
      const sent = omitted === undefined ? item : withOmissions(item, omitted);
      const read = schemasOfModels({ item: sent }).get('item');
      const of = read === undefined ? undefined : types.generated.content(read, 'response');
      return { reader: 'lines', types: media, body: { kind: 'lines', of: of ?? { kind: 'unknown' } } };
    }
    case 'json': {
      if (response.schema === undefined && !mapped.bodies.has(response)) return nothing;
      const json = jsonOf(status, described);
      const body =
        json === undefined
          ? types.generated.of(jsonOf(status, generated), 'response')
          : (described === generated ? types.generated : types.described).of(json, 'response');
      const whole = nullBodies.has(response) ? unionOf([body, { kind: 'null' }]) : body;
      return { reader: 'json', types: media, body: whole };
    }
  }
}

function itemsOf(schema: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const items = schema?.['items'];
  return typeof items === 'object' && items !== null ? { ...items } : {};
}

/** Several responses with one status: one content for each reader. */
function merged(contents: readonly ContentPlan[]): ContentPlan[] {
  const readers = new Map<ContentPlan['reader'], ContentPlan>();
  for (const content of contents) {
    const known = readers.get(content.reader);
    readers.set(
      content.reader,
      known === undefined
        ? content
        : {
            ...content,
            types: [...new Set([...known.types, ...content.types])],
            body: unionOf([known.body, content.body]),
          },
    );
  }
  // A reader without content types accepts all responses, so it is last.
  return [...readers.values()].sort((a, b) => Number(a.reader === 'empty') - Number(b.reader === 'empty'));
}

/** The content of a response that only a description has. */
function inDescription({ contentTypes, json }: ApiResponse, types: ClientTypes): ContentPlan[] {
  const contents = contentTypes.map((written): ContentPlan => {
    const kind = contentKind(written);
    const media = [essence(written)];
    if (kind === 'json') return { reader: 'json', types: media, body: types.of(json, 'response') };
    return kind === 'text' || kind === 'csv'
      ? { reader: 'text', types: media, body: { kind: 'string' } }
      : { reader: 'blob', types: media, body: { kind: 'Blob' } };
  });
  return contents.length === 0 ? [nothing] : merged(contents);
}

function jsonOf(status: number, endpoint: ApiEndpoint): ApiSchema | undefined {
  const key = describedKey(String(status), endpoint);
  return key === undefined ? undefined : endpoint.responses.get(key)?.json;
}

function essence(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * Notes what the service sends that its description excludes, in bodies of the operation's responses. Returns the responses whose body can
 * be null.
 */
export function noteSentValues(
  { operation, described, generated, mapped }: CalledEndpoint,
  values: KnownValues,
  sent: SentValues,
): Response[] {
  if (described === generated) return [];
  const isNull = (value: Expression): boolean => values.mapped(operation, value)?.kinds.has('null') === true;
  return operation.responses.filter((response) => {
    const json = jsonOf(response.statuscode.value, described);
    if (json === undefined) return false;
    const body = mapped.bodies.get(response);
    if (body !== undefined) return sent.addMapped(body, json, isNull);
    sent.compare(json, jsonOf(response.statuscode.value, generated));
    return false;
  });
}
