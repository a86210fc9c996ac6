/** The tools of a service for MCP clients: names, schemas and annotations (docs/design/tools.md#mcp-3). */
import type { ToolArgument } from '../../../runtime/mcp/tool.js';
import type { Config, Operation, ToolDeclaration } from '../../read/config/config-model.js';
import {
  allFulfillments,
  isMessage,
  isStatement,
  reachedInstructions,
  withCalled,
} from '../../read/config/walk.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';
import type { ApiDescription } from '../../read/openapi/api-model.js';
import { bundle } from '../../read/openapi/bundle.js';
import { isIgnoredHeader } from '../../read/openapi/declared.js';
import { pathParameters, pathShape } from '../../read/openapi/match.js';
import { contentKind } from '../../read/openapi/media-type.js';
import { changesRows } from '../../read/sql/facts/verb.js';
import { generateDescription } from './generate.js';
import type { KnownValues } from './known-values.js';
import { credentialParameters } from './security-scheme.js';
import { resolved, ToolSchemas } from './tool-schema.js';

/** A tool as its operation is described. */
export interface DescribedTool {
  readonly operation: string;
  readonly name: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly arguments: readonly ToolArgument[];
  readonly inputSchema: JsonMap;
  /** Undefined if the results do not have one known type. */
  readonly outputSchema: JsonMap | undefined;
}

/** Hints for clients, in the names of the protocol. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * The tools in the order of the configuration. Requires a configuration and a description without errors. `ownHeaders`: the headers that
 * src/middleware.ts sets, which callers must not choose.
 */
export function describeTools(
  config: Config,
  read: ApiDescription | undefined,
  values: () => KnownValues,
  ownHeaders: ReadonlySet<string>,
): DescribedTool[] {
  if (config.mcp === undefined) return [];
  const description: JsonMap =
    read === undefined ? generateDescription(config, values()) : bundle(read.written);
  const byName = new Map(config.operations.map((operation) => [operation.name.value, operation]));
  const hidden = new Set([
    ...credentialParameters(config),
    ...Array.from(ownHeaders, (name) => `header ${name}`),
  ]);
  return config.operations.flatMap((operation) => {
    const { tool } = operation;
    if (tool === undefined) return [];
    const found = describedOperation(description, operation);
    return {
      operation: operation.name.value,
      name: tool.name?.value ?? '',
      description: descriptionOf(tool, found.operation),
      annotations: annotationsOf(operation, byName),
      ...inputOf(found, description, hidden),
      outputSchema: outputOf(operation, found.operation, description),
    };
  });
}

interface Found {
  /** The path in the description, whose parameters can have other names. */
  readonly path: string;
  readonly item: JsonMap;
  readonly operation: JsonMap;
}

function describedOperation(description: JsonMap, { endpoint, name }: Operation): Found {
  const { paths } = description;
  const wanted = endpoint && pathShape(endpoint.path);
  for (const [path, item] of isJsonMap(paths) ? Object.entries(paths) : []) {
    const operation = isJsonMap(item) ? item[(endpoint?.method ?? '').toLowerCase()] : undefined;
    if (isJsonMap(item) && isJsonMap(operation) && pathShape(path) === wanted)
      return { path, item, operation };
  }
  throw new Error(`Nothing was reported of the missing endpoint '${name.value}'.`);
}

function descriptionOf({ description }: ToolDeclaration, operation: JsonMap): string {
  if (description !== undefined) return description.value.trim();
  const written = [operation['summary'], operation['description']].filter((one) => typeof one === 'string');
  return [...new Set(written.map((one) => one.trim()))].join('\n');
}

/** Facts about the effects of an operation and of the operations that it calls. */
export function annotationsOf(operation: Operation, byName: ReadonlyMap<string, Operation>): ToolAnnotations {
  const method = operation.endpoint?.method;
  // The same arguments include the same key.
  const hasKey = operation.idempotency?.isRequired === true;
  let changes = false;
  let isAdditive = true;
  let isOpen = false;
  let sends = false;
  for (const { fulfillments } of withCalled([operation], byName))
    for (const { fulfillment } of allFulfillments(fulfillments)) {
      if (fulfillment.type === 'CODE') {
        // The effects of user code are unknown; GET promises that it only reads.
        isOpen = true;
        if (method !== 'GET') [changes, isAdditive] = [true, false];
      } else if (fulfillment.type === 'DEFERRED') [changes, isAdditive, sends] = [true, false, true];
      else if (fulfillment.type === 'READ' || fulfillment.type === 'UPDATE')
        for (const { action } of reachedInstructions(fulfillment)) {
          if (action === undefined) continue;
          if (isStatement(action)) {
            if (fulfillment.type === 'READ' && !changesRows(action.verb)) continue;
            changes = true;
            const { text } = action.pieces;
            if (action.verb !== 'INSERT' || /\b(?:update|delete|merge)\b/i.test(text.value))
              isAdditive = false;
          } else {
            isOpen = true;
            const isRead = !isMessage(action) && /^(?:GET|HEAD)$/.test(action.httpType.value);
            if (!isRead) [changes, isAdditive, sends] = [true, false, true];
          }
        }
    }
  return {
    readOnlyHint: !changes,
    destructiveHint: changes && !isAdditive,
    idempotentHint: !changes || hasKey || (!sends && (method === 'PUT' || method === 'DELETE')),
    openWorldHint: isOpen,
  };
}

function inputOf(
  { path, item, operation }: Found,
  description: JsonMap,
  hidden: ReadonlySet<string>,
): Pick<DescribedTool, 'arguments' | 'inputSchema'> {
  const schemas = new ToolSchemas(description, 'request');
  const written = parametersOf(item, operation, description).filter(
    ({ name, place }) =>
      !(place === 'header' && isIgnoredHeader(name)) && !hidden.has(`${place} ${name.toLowerCase()}`),
  );
  const order = pathParameters(path);
  const inPath = order.flatMap(
    (name) =>
      written.find((one) => one.place === 'path' && one.name === name) ?? {
        name,
        place: 'path' as const,
        written: {},
      },
  );
  const all = [...inPath, ...written.filter(({ place }) => place !== 'path')];
  const names = argumentNames(all.map(({ name }) => name));
  const properties: Record<string, unknown> = {};
  const required = new Set<string>();
  const args = all.map((parameter): ToolArgument => {
    const { name, place, written: declared } = parameter;
    const argument = names.get(name) ?? name;
    properties[argument] ??= withDescription(schemas.convert(schemaOf(declared)), declared['description']);
    if (place === 'path' || declared['required'] === true) required.add(argument);
    const list = listForm(place, declared);
    return {
      name: argument,
      in: place,
      ...(argument === name ? {} : { parameter: name }),
      ...(list === undefined ? {} : { list }),
    };
  });
  const body = jsonBodyOf(operation, description);
  if (body !== undefined) {
    let argument = 'body';
    while (Object.hasOwn(properties, argument)) argument = `_${argument}`;
    properties[argument] = withDescription(schemas.convert(body.schema), body.description);
    if (body.isRequired) required.add(argument);
    args.push({ name: argument, in: 'body' });
  }
  return {
    arguments: args,
    inputSchema: {
      type: 'object',
      properties,
      ...(required.size === 0 ? {} : { required: [...required] }),
      additionalProperties: false,
      ...schemas.definitions,
    },
  };
}

interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header' | 'cookie';
  readonly written: JsonMap;
}

/** The parameters of the operation and of its path, which it can replace. */
function parametersOf(item: JsonMap, operation: JsonMap, description: JsonMap): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const list of [item['parameters'], operation['parameters']])
    for (const one of Array.isArray(list) ? list : []) {
      const written = resolved(description, one);
      const { name, in: place } = written;
      if (typeof name === 'string' && isPlace(place)) found.set(`${place} ${name}`, { name, place, written });
    }
  return [...found.values()];
}

function isPlace(place: unknown): place is Parameter['place'] {
  return place === 'path' || place === 'query' || place === 'header' || place === 'cookie';
}

/** Argument names for parameters: some models refuse brackets and other characters in them. */
function argumentNames(names: readonly string[]): ReadonlyMap<string, string> {
  const valid = /^[A-Za-z0-9_.-]{1,64}$/;
  const taken = new Set(names.filter((name) => valid.test(name)));
  return new Map(
    [...new Set(names)].map((name) => {
      if (valid.test(name)) return [name, name];
      const wished =
        name
          .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
          .replace(/_$/, '')
          .slice(0, 60) || 'value';
      let free = wished;
      for (let count = 2; taken.has(free); count += 1) free = `${wished}${count}`;
      taken.add(free);
      return [name, free];
    }),
  );
}

/** The schema of a parameter, which may be that of its only content. */
function schemaOf({ schema, content }: JsonMap): unknown {
  if (schema !== undefined || !isJsonMap(content)) return schema;
  const [only] = Object.values(content);
  return isJsonMap(only) ? only['schema'] : undefined;
}

/** How a list is written in the query, unless the parameter is repeated. Elsewhere, commas are the only form. */
function listForm(place: Parameter['place'], { style, explode, content }: JsonMap): ToolArgument['list'] {
  if (content !== undefined) return 'json';
  if (place !== 'query' || style === 'deepObject') return undefined;
  if (style === 'pipeDelimited') return explode === true ? undefined : '|';
  if (style === 'spaceDelimited') return explode === true ? undefined : ' ';
  return explode === false ? ',' : undefined;
}

interface JsonBody {
  readonly schema: unknown;
  readonly description: unknown;
  readonly isRequired: boolean;
}

function jsonBodyOf(operation: JsonMap, description: JsonMap): JsonBody | undefined {
  const { requestBody } = operation;
  if (requestBody === undefined) return undefined;
  const { content, required, description: text } = resolved(description, requestBody);
  const schema = jsonSchemaIn(content);
  return schema && { schema: schema.schema, description: text, isRequired: required === true };
}

/** The schema of the JSON content. */
function jsonSchemaIn(content: unknown): { readonly schema: unknown } | undefined {
  const entries = isJsonMap(content) ? Object.entries(content) : [];
  const found = entries.find(
    ([type, one]) => isJsonMap(one) && (contentKind(type) === 'json' || type === '*/*'),
  );
  return found && { schema: (found[1] as JsonMap)['schema'] };
}

function withDescription(schema: JsonMap, description: unknown): JsonMap {
  return typeof description === 'string' && description.trim() !== ''
    ? { ...schema, description: description.trim() }
    : schema;
}

/** The schema of `structuredContent`: objects as they are, and lists as `items`, with the arguments for the next page. */
function outputOf(operation: Operation, described: JsonMap, description: JsonMap): JsonMap | undefined {
  const successes = operation.responses.filter(({ statuscode }) => statuscode.value < 400);
  const [status, ...others] = new Set(successes.map(({ statuscode }) => statuscode.value));
  if (
    status === undefined ||
    others.length > 0 ||
    successes.some(({ contentType }) => contentType !== undefined)
  )
    return undefined;
  const { responses } = described;
  const all = isJsonMap(responses) ? responses : {};
  const response = resolved(
    description,
    all[String(status)] ?? all[`${String(status)[0]}XX`] ?? all['default'],
  );
  const found = jsonSchemaIn(response['content']);
  if (found === undefined) return undefined;
  const schemas = new ToolSchemas(description, 'response');
  const { type } = resolved(description, found.schema);
  if (type === 'array') {
    const items = schemas.convert(found.schema);
    const next = { type: 'object', description: 'The arguments of the call that returns the next page' };
    return { type: 'object', properties: { items, next }, required: ['items'], ...schemas.definitions };
  }
  if (type !== 'object') return undefined;
  // The protocol requires the type at the root, where a reference would hide it.
  const whole = schemas.convert(resolved(description, found.schema));
  return whole['type'] === 'object' ? { ...whole, ...schemas.definitions } : undefined;
}
