/** What the requests of an operation may contain, as far as its expressions show. */
import type { Config, Operation } from '../../read/config/config-model.js';
import { allFulfillments, walkOperation } from '../../read/config/walk.js';
import type { Path, Sent } from '../../read/expression/ast.js';
import { visit } from '../../read/expression/visit.js';
import type { ValueType } from '../types/value-type.js';
import type { JsonMap } from './error-responses.js';
import type { KnownValues } from './known-values.js';
import { schemaOfType } from './schema-of-type.js';

export interface GeneratedInput {
  /** Names that PARAM reads, in the order of the configuration. */
  readonly parameters: readonly string[];
  /** What HEADER, QUERY and COOKIE read, in the order of the configuration. */
  readonly sent: readonly Pick<Sent, 'place' | 'name'>[];
  /** What those are whose parts are read. */
  readonly kinds: ReadonlyMap<string, 'object' | 'array'>;
  /** A `requestBody`; undefined when none is read. */
  readonly body: JsonMap | undefined;
  /** The operations that it calls, directly or through others. */
  readonly called: readonly Operation[];
}

/** What is known of a part of the body that the path leads to. */
type TypeAt = (path: Path) => ValueType | undefined;

/** A part of the body that is read. */
interface Shape {
  readonly properties: Map<string, Shape>;
  items: Shape | undefined;
}

/** The schema of a string that may be passed several times: then it is a list. */
export const repeatable: JsonMap = { type: ['string', 'array'], items: { type: 'string' } };

/** Goes through the operation and those that it calls with its own request. */
export function inputOf(operation: Operation, config: Config, values: KnownValues): GeneratedInput {
  const reads: RequestReads = {
    ...{ parameters: new Set<string>(), sent: new Map(), kinds: new Map(), files: new Set<string>() },
    body: undefined,
  };
  const called = new Set<Operation>();
  read(operation, new Set(), true, { config, reads, called });
  const typeAt = (path: Path): ValueType | undefined => values.body([operation, ...called], path);
  const form = reads.files.size > 0 ? [...reads.parameters] : [];
  const content = {
    ...(reads.body === undefined
      ? {}
      : { 'application/json': { schema: schemaOfShape(reads.body, [], typeAt) } }),
    ...(reads.files.size === 0
      ? {}
      : { 'multipart/form-data': { schema: formSchema(reads.files, form, operation) } }),
  };
  return {
    parameters: [...reads.parameters],
    sent: [...reads.sent.values()],
    kinds: reads.kinds,
    body: Object.keys(content).length === 0 ? undefined : { content },
    called: [...called],
  };
}

interface RequestReads {
  readonly parameters: Set<string>;
  readonly sent: Map<string, Pick<Sent, 'place' | 'name'>>;
  readonly kinds: Map<string, 'object' | 'array'>;
  readonly files: Set<string>;
  body: Shape | undefined;
}

interface ReadContext {
  readonly config: Config;
  readonly reads: RequestReads;
  readonly called: Set<Operation>;
}

/** `passed` are the parameters that a reference passes; `ownBody` is false if it passes a body too. */
function read(
  operation: Operation,
  passed: ReadonlySet<string>,
  ownBody: boolean,
  context: ReadContext,
): void {
  const { config, reads, called } = context;
  walkOperation(operation, (expression, { loops }) => {
    visit(expression, (node) => {
      if (node.kind === 'param' && !passed.has(node.name)) {
        reads.parameters.add(node.name);
        const [first] = node.path;
        if (first !== undefined) reads.kinds.set(node.name, first.kind === 'name' ? 'object' : 'array');
      }
      if (node.kind === 'sent') reads.sent.set(`${node.place} ${node.name}`, node);
      if (node.kind === 'multipart-file') reads.files.add(node.part);
      if (!ownBody) return;
      if (node.kind === 'body') touch((reads.body ??= newShape()), node.path);
      if (node.kind !== 'value') return;
      const loop = loops.get(node.name);
      if (loop?.type === 'LOOP' && loop.loop?.kind === 'body')
        touch((reads.body ??= newShape()), [...loop.loop.path, { kind: 'all' }, ...node.path]);
    });
  });
  for (const { fulfillment } of allFulfillments(operation.fulfillments)) {
    if (fulfillment.type !== 'REFERENCE') continue;
    const target = config.operations.find(({ name }) => name.value === fulfillment.operationName.value);
    if (target === undefined || called.has(target)) continue;
    called.add(target);
    const names = new Set([...passed, ...fulfillment.parameters.map(({ name }) => name.value)]);
    read(target, names, ownBody && !names.has('body'), context);
  }
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

/**
 * Without a type: a value of another kind is not an error of a request, since a missing part of it is null (decisions 3.3), a name on a
 * list reads its first element, and a LOOP accepts objects as well as lists.
 */
function schemaOfShape({ properties, items }: Shape, path: Path, typeAt: TypeAt): JsonMap {
  const entries = [...properties].map(([name, shape]) => [
    name,
    schemaOfShape(shape, [...path, { kind: 'name', name }], typeAt),
  ]);
  const type = entries.length === 0 && items === undefined ? typeAt(path) : undefined;
  if (type !== undefined) return schemaOfInput(type);
  return {
    ...(entries.length === 0 ? {} : { properties: Object.fromEntries(entries) as JsonMap }),
    ...(items === undefined ? {} : elementsOf(items, path, typeAt)),
  };
}

/** Databases accept numbers and booleans as strings too, any value for a string, and null for a missing value. */
function schemaOfInput(type: ValueType): JsonMap {
  if (type.words === undefined && type.kinds.has('string')) return {};
  return schemaOfType({ ...type, kinds: new Set([...type.kinds, 'string', 'null']) });
}

/** Of a LOOP that reads `$.key` and `$.val` and nothing else the elements are entries of an object. */
function elementsOf(items: Shape, path: Path, typeAt: TypeAt): JsonMap {
  const inside: Path = [...path, { kind: 'all' }];
  const names = [...items.properties.keys()];
  const areEntries = names.length > 0 && names.every((name) => name === 'key' || name === 'val');
  const value = items.properties.get('val');
  return areEntries
    ? { additionalProperties: value === undefined ? {} : schemaOfShape(value, inside, typeAt) }
    : { items: schemaOfShape(items, inside, typeAt) };
}

function formSchema(files: ReadonlySet<string>, fields: readonly string[], { endpoint }: Operation): JsonMap {
  const inPath = endpoint?.parameters ?? [];
  const entries = [
    ...fields.filter((name) => !inPath.includes(name)).map((name) => [name, repeatable]),
    ...[...files].map((name) => [name, { type: 'string', contentMediaType: 'application/octet-stream' }]),
  ];
  return { type: 'object', properties: Object.fromEntries(entries) as JsonMap };
}
