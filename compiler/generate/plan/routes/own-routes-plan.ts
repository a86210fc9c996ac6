/** What code of the service's owner passes to operations that it calls: their parameters and body, with the types of the API description. */
import type { CheckedOperation, CheckedService } from '../../../analyze/check/checked.js';
import { acceptedBy } from '../../../analyze/operations/accepted.js';
import { describedType } from '../../../analyze/types/described-type.js';
import { unknownValue } from '../../../analyze/types/known-types.js';
import type { Operation } from '../../../read/config/config-model.js';
import { nodesOf, referencesOf } from '../../../read/config/walk.js';
import { isIgnoredHeader } from '../../../read/openapi/declared.js';
import { formFields } from '../../../read/openapi/form.js';
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { parameterFormat } from '../../../read/openapi/parameter-style.js';
import { operationsReadingBody } from '../request-needs.js';
import { readValueOf, type ReadValue } from '../request-read.js';

/** The module that the owner's files import for it, without its ending. */
export const contextModule = 'src/context';

export interface OwnRoutesPlan {
  /** By the names of the operations. */
  readonly inputs: ReadonlyMap<string, OwnInput>;
  /** The names of the authentications that an operation without a list accepts; undefined where it needs a list. */
  readonly accepted: readonly string[] | undefined;
}

export interface OwnInput {
  /** The optional ones are those that may be left out. */
  readonly parameters: ReadonlyMap<string, ReadValue>;
  readonly body: ReadValue | undefined;
  /** What the body is passed as: not the name of a parameter. */
  readonly bodyName: string;
  /** Parameters of the path that are strings, because nothing describes them. */
  readonly texts: readonly string[];
}

export function planOwnRoutes({ operations, analysis: { config } }: CheckedService): OwnRoutesPlan {
  const readers = operationsReadingBody(config.operations);
  const byName = new Map(config.operations.map((operation) => [operation.name.value, operation]));
  const inputs = operations.map(({ operation, analyzed }): [string, OwnInput] => [
    operation.name.value,
    inputOf({ operation, analyzed }, readers.has(operation.name.value), byName),
  ]);
  const accepted = acceptedBy({ authentications: undefined }, config);
  return { inputs: new Map(inputs), accepted: accepted?.map(({ value }) => value) };
}

function inputOf(
  { operation, analyzed: { endpoint: described } }: Pick<CheckedOperation, 'operation' | 'analyzed'>,
  readsBody: boolean,
  byName: ReadonlyMap<string, Operation>,
): OwnInput {
  const declared = described === undefined ? [] : declaredIn(described);
  const known = new Set(declared.map(([name]) => name.toLowerCase()));
  const path = operation.endpoint?.parameters ?? [];
  const texts = path.filter((name) => !known.has(name.toLowerCase()));
  const others = [...namesReadBy(operation, byName)].filter(
    (name) => !known.has(name.toLowerCase()) && !texts.includes(name),
  );
  const parameters = new Map([
    ...texts.map((name): [string, ReadValue] => [name, textOrNumber]),
    ...declared,
    ...others.map((name): [string, ReadValue] => [name, anything]),
  ]);
  let bodyName = 'body';
  while (parameters.has(bodyName)) bodyName = `_${bodyName}`;
  return {
    parameters,
    body: bodyOf(described) ?? (readsBody ? anything : undefined),
    bodyName,
    texts,
  };
}

const anything = readValueOf(unknownValue, true);
const textOrNumber = readValueOf({ kinds: new Set(['number', 'string']) });

function declaredIn({ parameters, body }: ApiEndpoint): [string, ReadValue][] {
  const declared = parameters.filter(
    (parameter) =>
      parameter.in !== 'cookie' && !(parameter.in === 'header' && isIgnoredHeader(parameter.name)),
  );
  const fields = (body?.form === undefined ? [] : formFields(body.form)).filter(({ isFile }) => !isFile);
  return [
    ...declared.map((parameter): [string, ReadValue] => {
      const { name, required, schema } = parameter;
      const isKnown = parameterFormat(parameter) !== undefined;
      return [name, valueOf(isKnown ? schema : undefined, !(required || parameter.in === 'path'))];
    }),
    // The body may be JSON instead.
    ...fields.map(({ name, required, schema }): [string, ReadValue] => [
      name,
      valueOf(schema, !(required && body?.json === undefined && body?.required === true)),
    ]),
  ];
}

function valueOf(schema: ApiSchema | undefined, isOptional: boolean): ReadValue {
  return schema === undefined
    ? readValueOf(unknownValue, isOptional)
    : readValueOf(describedType(schema), isOptional);
}

function bodyOf(described: ApiEndpoint | undefined): ReadValue | undefined {
  const { json, form, required = false } = described?.body ?? {};
  return json && valueOf(json, !required || form !== undefined);
}

/** The parameters that an operation reads, and those of the operations that it calls without passing them. */
function namesReadBy(
  operation: Operation,
  byName: ReadonlyMap<string, Operation>,
  open: ReadonlySet<Operation> = new Set(),
): Set<string> {
  const names = new Set<string>();
  if (open.has(operation)) return names;
  for (const node of nodesOf(operation))
    if (node.kind === 'param' || (node.kind === 'sent' && node.place === 'query')) names.add(node.name);
  for (const { operationName, parameters } of referencesOf(operation)) {
    const called = byName.get(operationName.value);
    const passed = new Set(parameters.map(({ name }) => name.value));
    const inner = called === undefined ? [] : namesReadBy(called, byName, new Set([...open, operation]));
    for (const name of inner) if (!passed.has(name)) names.add(name);
  }
  return names;
}
