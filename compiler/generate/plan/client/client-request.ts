/** The input of an operation's function, and the request that it becomes. */
import type { Operation } from '../../../read/config/config-model.js';
import type { ApiBody, ApiParameter } from '../../../read/openapi/api-model.js';
import { isIgnoredHeader } from '../../../read/openapi/declared.js';
import { contentKind } from '../../../read/openapi/media-type.js';
import { parameterFormat } from '../../../read/openapi/parameter-style.js';
import { credentialParameters } from '../../../analyze/describe/security-scheme.js';
import { upperFirst } from '../names/identifiers.js';
import { compare, type CalledEndpoint, type ClientContext } from './client-context.js';
import { unionOf, type ClientRecord, type ClientType, type ClientTypes } from './client-types.js';

export interface RequestInputPlan {
  /** The path with the base path: strings, and the inputs between them. */
  readonly path: readonly (string | PathInput)[];
  /** Inputs by place in the request, sorted by name. */
  readonly inputs: readonly InputPlan[];
  readonly body: BodyPlan | undefined;
  /** The header with a key that lets the service recognize a repeated request. */
  readonly key: string | undefined;
}

export interface PathInput {
  readonly key: string;
  /** Whether the value is a whole segment of the path. */
  readonly isSegment: boolean;
}

export interface InputPlan {
  /** The name in the input object. */
  readonly key: string;
  readonly place: ApiParameter['in'];
  /** The name in the request. */
  readonly name: string;
  readonly type: ClientType;
  readonly isOptional: boolean;
  readonly description: string | undefined;
  /** How the value is written; `{ separator }` joins a list. */
  readonly format: 'plain' | 'json' | { readonly separator: string };
}

export interface BodyPlan {
  readonly kind: 'json' | 'form' | 'urlencoded' | 'raw';
  /** The content type; undefined for forms. */
  readonly contentType: string | undefined;
  readonly type: ClientType;
  readonly isOptional: boolean;
}

const places = ['path', 'query', 'header', 'cookie'] as const;

export function planRequest(called: CalledEndpoint, context: ClientContext): RequestInputPlan {
  const { endpoint, described, generated } = called;
  const types = described === generated ? context.types.generated : context.types.described;
  const body = described.body && planBody(described.body, called, types);
  const inputs = inputsOf(called, context, types, body !== undefined);
  const isKey = keyHeaders(called.operation);
  const key = inputs.find(({ place, name }) => place === 'header' && isKey(name))?.name;
  return {
    path: pathOf(context.config.settings.basePath + endpoint.path, inputs),
    inputs,
    body,
    key,
  };
}

/** Whether a service recognizes a repeated request by this header: that of `idempotency`, or that of the draft of the IETF. */
function keyHeaders({ idempotency }: Operation): (name: string) => boolean {
  const { key } = idempotency ?? {};
  const header = key?.kind === 'sent' && key.place === 'header' ? key.name : 'idempotency-key';
  return (name) => name.toLowerCase() === header.toLowerCase();
}

function inputsOf(
  { operation, described, endpoint }: CalledEndpoint,
  { config }: ClientContext,
  types: ClientTypes,
  hasBody: boolean,
): InputPlan[] {
  const secret = credentialParameters(config);
  const isKey = keyHeaders(operation);
  const taken = new Set(hasBody ? ['body'] : []);
  const keyOf = (name: string, place: string): string => {
    let key = taken.has(name) ? `${name}In${upperFirst(place)}` : name;
    while (taken.has(key)) key = `${key}_`;
    taken.add(key);
    return key;
  };
  const order = operation.endpoint?.parameters ?? endpoint.parameters;
  const rank = ({ in: place, name }: ApiParameter): string =>
    `${places.indexOf(place)} ${place === 'path' ? String(order.indexOf(name)).padStart(4, '0') : name}`;
  return (
    described.parameters
      .filter(({ in: place, name }) => place !== 'header' || !isIgnoredHeader(name))
      // Browsers send cookies themselves, and operations without the authentication can read them.
      .filter(({ in: place, name }) => place === 'cookie' || !secret.has(`${place} ${name.toLowerCase()}`))
      .toSorted((a, b) => compare(rank(a), rank(b)))
      .map((parameter) => {
        const { name, in: place, required, schema, description } = parameter;
        // Browsers send cookies themselves, and a call creates its own key.
        const isGiven = place === 'cookie' || (place === 'header' && isKey(name));
        return {
          key: keyOf(name, place),
          place,
          name,
          type: inputType(parameter, types),
          isOptional: !required || schema?.default !== undefined || isGiven,
          description: description ?? schema?.description,
          format: formatOf(parameter),
        };
      })
  );
}

/** Numbers of 64 bits are also strings, as in responses. */
function inputType({ schema }: ApiParameter, types: ClientTypes): ClientType {
  if (schema === undefined) return { kind: 'string' };
  const type = types.of(schema, 'request');
  const withStrings = (one: ClientType): ClientType => {
    if (one.kind === 'number') return unionOf([one, { kind: 'string' }]);
    return one.kind === 'list' ? { ...one, of: withStrings(one.of) } : one;
  };
  const isLong = schema.format === 'int64' || schema.items?.format === 'int64';
  if (isLong) return withStrings(type);
  return type.kind === 'unknown'
    ? unionOf([{ kind: 'string' }, { kind: 'number' }, { kind: 'boolean' }])
    : type;
}

function formatOf(parameter: ApiParameter): InputPlan['format'] {
  const { json, separator } = parameterFormat(parameter) ?? {};
  if (json === true) return 'json';
  return separator === undefined ? 'plain' : { separator };
}

function pathOf(path: string, inputs: readonly InputPlan[]): RequestInputPlan['path'] {
  const own = inputs.filter(({ place }) => place === 'path');
  let count = 0;
  return path.split(/(\{[^{}]*\})/).flatMap((part, index, parts): (string | PathInput)[] => {
    if (index % 2 === 0) return part === '' ? [] : [part];
    const input = own[count];
    count += 1;
    if (input === undefined) return [part];
    const [before = '', after = ''] = [parts[index - 1], parts[index + 1]];
    const isLast = index + 2 >= parts.length && after === '';
    return [{ key: input.key, isSegment: before.endsWith('/') && (isLast || after.startsWith('/')) }];
  });
}

function planBody(
  body: ApiBody,
  { operation, described, generated }: CalledEndpoint,
  types: ClientTypes,
): BodyPlan | undefined {
  const { contents, form, json, required } = body;
  const isOptional = !required;
  const written = [...contents.keys()].map((type) => (type.split(';', 1)[0] ?? '').trim().toLowerCase());
  const jsonType = written.find((type) => contentKind(type) === 'json');
  const sorted = (type: ClientType): ClientType => (described === generated ? sortedFields(type) : type);
  if (jsonType !== undefined && json !== undefined)
    return {
      ...{ kind: 'json', contentType: jsonType, isOptional },
      type: sorted(types.of(json, 'request')),
    };
  if (form !== undefined) {
    const kind = form.types.includes('multipart') ? 'form' : 'urlencoded';
    return { kind, contentType: undefined, type: sorted(types.form(form)), isOptional };
  }
  const accepted = operation.accepts === undefined ? undefined : written.find((type) => !type.includes('*'));
  const contentType = accepted ?? written.find((type) => !type.includes('*'));
  if (written.length === 0) return undefined;
  return {
    ...{ kind: 'raw', contentType: contentType ?? 'application/octet-stream', isOptional },
    type: unionOf([{ kind: 'string' }, { kind: 'Blob' }]),
  };
}

/** The order of the fields of a generated description depends on the order of statements, which clients cannot see. */
function sortedFields(type: ClientType): ClientType {
  switch (type.kind) {
    case 'record':
      return sortedRecord(type);
    case 'list':
      return { ...type, of: sortedFields(type.of) };
    case 'union':
    case 'intersection':
      return { ...type, of: type.of.map(sortedFields) };
    default:
      return type;
  }
}

function sortedRecord(record: ClientRecord): ClientRecord {
  const fields = record.fields.map((field) => ({ ...field, type: sortedFields(field.type) }));
  return { ...record, fields: fields.toSorted((a, b) => compare(a.name, b.name)) };
}
