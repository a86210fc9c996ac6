/** The request content of an operation, as far as its expressions show it. */
import type { AcceptedBody, Config, Operation } from '../../read/config/config-model.js';
import { allFulfillments, walkOperation } from '../../read/config/walk.js';
import type { Expression, Path, Sent } from '../../read/expression/ast.js';
import { orNull } from '../types/join-types.js';
import type { JsonMap } from '../../read/json.js';
import { acceptedTypes } from '../operations/requests/accepted-types.js';
import type { KnownInput, KnownValues } from './known-values.js';
import { schemaOfType } from './schema-of-type.js';
import { isParameter, nodesIn, readsFiles } from '../../read/expression/visit.js';

export interface GeneratedInput {
  /** Names read by PARAM in configuration order, with the operations that read them from this request. */
  readonly parameters: ReadonlyMap<string, ReadonlySet<Operation>>;
  /** Values read by HEADER, QUERY and COOKIE, in configuration order. */
  readonly sent: readonly Pick<Sent, 'place' | 'name'>[];
  /** Schemas of parameters whose fields are read; `list`: a LOOP or a `list` is over the parameter. */
  readonly kinds: ReadonlyMap<string, ParameterKind>;
  /** The names of QUERY over which a LOOP or a `list` is. */
  readonly lists: ReadonlySet<string>;
  /** A `requestBody`; undefined if no body is read. */
  readonly body: JsonMap | undefined;
  /** The operations that it calls, directly or indirectly. */
  readonly called: readonly Operation[];
}

export type ParameterKind = 'object' | 'array' | 'list';

/** The schema of the part of the body at the path. */
type KnownAt = (path: Path) => KnownInput;

/** A part of the body that is read. */
interface Shape {
  readonly properties: Map<string, Shape>;
  items: Shape | undefined;
}

/** The schema of a parameter that can be passed several times, and is then a list. */
export const repeatable: JsonMap = { type: ['string', 'array'], items: { type: 'string' } };

/** A list of strings. */
export const stringList: JsonMap = { type: 'array', items: { type: 'string' } };

/** Collects the parameters and the body that an operation reads, including reads in called operations that receive the same request. */
export function inputOf(operation: Operation, config: Config, values: KnownValues): GeneratedInput {
  const reads: RequestReads = {
    ...{ parameters: new Map(), sent: new Map(), kinds: new Map(), files: new Set<string>() },
    fileLists: new Set(),
    lists: new Set(),
    ...{ body: undefined, bodyReaders: new Set<Operation>() },
  };
  const called = new Set<Operation>();
  read(operation, new Set(), true, { config, reads, called });
  const knownAt = (path: Path): KnownInput => values.body(reads.bodyReaders, path);
  const form = reads.files.size > 0 ? [...reads.parameters.keys()] : [];
  const json = reads.body && describeShape(reads.body, [], knownAt);
  const content = {
    ...(json === undefined ? {} : bodyContent(operation.accepts, json.schema)),
    ...(reads.files.size === 0
      ? {}
      : { 'multipart/form-data': { schema: formSchema(reads, form, operation) } }),
  };
  return {
    parameters: reads.parameters,
    sent: [...reads.sent.values()],
    kinds: reads.kinds,
    lists: reads.lists,
    body:
      Object.keys(content).length === 0
        ? undefined
        : { ...(json?.isRequired === true && reads.files.size === 0 ? { required: true } : {}), content },
    called: [...called],
  };
}

/** The content of a body with this schema, by media type. */
function bodyContent(accepts: AcceptedBody | undefined, schema: JsonMap): JsonMap {
  const types = acceptedTypes(accepts) ?? ['application/json'];
  const own = accepts?.kind === 'text' ? { type: 'string' } : schema;
  return Object.fromEntries(types.map((type) => [type, { schema: own }]));
}

interface RequestReads {
  readonly parameters: Map<string, Set<Operation>>;
  readonly sent: Map<string, Pick<Sent, 'place' | 'name'>>;
  readonly kinds: Map<string, ParameterKind>;
  readonly lists: Set<string>;
  readonly files: Set<string>;
  /** The parts of which all files are read. */
  readonly fileLists: Set<string>;
  body: Shape | undefined;
  /** The operations that read the body from this request. */
  readonly bodyReaders: Set<Operation>;
}

interface ReadContext {
  readonly config: Config;
  readonly reads: RequestReads;
  readonly called: Set<Operation>;
}

/** `passed` contains the parameters that a reference passes; `ownBody` is false if it also passes a body. */
function read(
  operation: Operation,
  passed: ReadonlySet<string>,
  ownBody: boolean,
  context: ReadContext,
): void {
  const { config, reads, called } = context;
  if (ownBody) reads.bodyReaders.add(operation);
  walkOperation(operation, (expression, { loops, inItem = false, isList = false }) => {
    if (isList && isParameter(expression)) addList(expression, passed, reads);
    for (const node of nodesIn(expression)) {
      if (node.kind === 'param' && !passed.has(node.name)) {
        const readers = reads.parameters.get(node.name) ?? new Set();
        reads.parameters.set(node.name, readers.add(operation));
        const [first] = node.path;
        if (first !== undefined) reads.kinds.set(node.name, first.kind === 'name' ? 'object' : 'array');
      }
      if (node.kind === 'sent') reads.sent.set(`${node.place} ${node.name}`, node);
      if (node.kind === 'if-match') reads.sent.set('header if-match', { place: 'header', name: 'If-Match' });
      if (node.kind === 'multipart-file') reads.files.add(node.part);
      if (readsFiles(node)) reads.fileLists.add(node.part);
      if (!ownBody) continue;
      if (node.kind === 'body') touch((reads.body ??= newShape()), node.path);
      if (node.kind !== 'value' && (node.kind !== 'element' || inItem)) continue;
      const loop = node.kind === 'value' ? loops.get(node.name) : [...loops.values()].at(-1);
      if (loop?.type === 'LOOP' && loop.loop?.kind === 'body')
        touch((reads.body ??= newShape()), [...loop.loop.path, { kind: 'all' }, ...node.path]);
    }
  });
  for (const { fulfillment } of allFulfillments(operation.fulfillments)) {
    if (fulfillment.type !== 'REFERENCE') continue;
    const target = config.operations.find(({ name }) => name.value === fulfillment.operationName.value);
    if (target === undefined || called.has(target)) continue;
    called.add(target);
    // A parameter that is a list in the called operation is one here.
    const lists = listParametersOf(target);
    for (const { name, value } of fulfillment.parameters)
      if (lists.has(name.value) && value.kind === 'leaf' && isParameter(value.value))
        addList(value.value, passed, reads);
    const names = new Set([...passed, ...fulfillment.parameters.map(({ name }) => name.value)]);
    read(target, names, ownBody && !names.has('body'), context);
  }
}

function addList(expression: Expression, passed: ReadonlySet<string>, { kinds, lists }: RequestReads): void {
  for (const node of nodesIn(expression)) {
    if (node.kind === 'sent' && node.place === 'query') lists.add(node.name);
    if (node.kind === 'param' && !passed.has(node.name) && !kinds.has(node.name))
      kinds.set(node.name, 'list');
  }
}

/** The parameters over which the operation has a LOOP or a `list`. */
function listParametersOf(operation: Operation): ReadonlySet<string> {
  const found = new Set<string>();
  walkOperation(operation, (expression, { isList = false }) => {
    if (!isList || !isParameter(expression)) return;
    for (const node of nodesIn(expression)) if (node.kind === 'param') found.add(node.name);
  });
  return found;
}

function newShape(): Shape {
  return { properties: new Map(), items: undefined };
}

function touch(shape: Shape, path: Path): void {
  let at = shape;
  for (const step of path) {
    if (step.kind === 'name') {
      const next = at.properties.get(step.name) ?? newShape();
      at.properties.set(step.name, next);
      at = next;
    } else {
      at = at.items ??= newShape();
    }
  }
}

interface DescribedShape {
  readonly schema: JsonMap;
  /** True if all requests without this part are refused. */
  readonly isRequired: boolean;
}

/**
 * The schema does not restrict the type unless a column is known, because other types are valid: missing parts are null
 * (docs/design/expressions.md#exp-4), a name on a list reads its first element, and a LOOP accepts objects as well as lists.
 */
function describeShape({ properties, items }: Shape, path: Path, knownAt: KnownAt): DescribedShape {
  const { type, isRequired } = knownAt(path);
  if (properties.size === 0 && items === undefined) {
    if (type === undefined) return { schema: {}, isRequired };
    return { schema: schemaOfType(isRequired ? type : orNull(type)), isRequired };
  }
  const parts = [...properties].map(
    ([name, shape]) => [name, describeShape(shape, [...path, { kind: 'name', name }], knownAt)] as const,
  );
  const required = parts.filter(([, part]) => part.isRequired).map(([name]) => name);
  const entries = parts.map(([name, { schema }]) => [name, schema]);
  return {
    schema: {
      // `required` only makes sense for objects.
      ...(required.length === 0 ? {} : { type: 'object', required }),
      ...(entries.length === 0 ? {} : { properties: Object.fromEntries(entries) as JsonMap }),
      ...(items === undefined ? {} : elementsOf(items, path, knownAt)),
    },
    isRequired: isRequired || required.length > 0,
  };
}

/** The elements of a LOOP. If only `$.key` and `$.val` are read, the elements are the entries of an object. */
function elementsOf(items: Shape, path: Path, knownAt: KnownAt): JsonMap {
  const inside: Path = [...path, { kind: 'all' }];
  const names = [...items.properties.keys()];
  const areEntries = names.length > 0 && names.every((name) => name === 'key' || name === 'val');
  const value = items.properties.get('val');
  if (areEntries && value !== undefined)
    return {
      additionalProperties: describeShape(value, [...inside, { kind: 'name', name: 'val' }], knownAt).schema,
    };
  if (areEntries) return { additionalProperties: {} };
  const { schema, isRequired } = describeShape(items, inside, knownAt);
  // With required fields it must be a list, because the entries of an object do not have these fields.
  return { ...(isRequired ? { type: ['array', 'null'] } : {}), items: schema };
}

const fileSchema: JsonMap = { type: 'string', contentMediaType: 'application/octet-stream' };

function formSchema(
  { files, fileLists }: Pick<RequestReads, 'files' | 'fileLists'>,
  fields: readonly string[],
  { endpoint }: Operation,
): JsonMap {
  const inPath = endpoint?.parameters ?? [];
  const entries = [
    ...fields.filter((name) => !inPath.includes(name)).map((name) => [name, repeatable]),
    ...[...files].map((name) => [
      name,
      fileLists.has(name) ? { type: 'array', items: fileSchema } : fileSchema,
    ]),
  ];
  return { type: 'object', properties: Object.fromEntries(entries) as JsonMap };
}
