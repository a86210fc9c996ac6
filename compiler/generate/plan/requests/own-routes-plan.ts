/** Parameters and bodies that user code passes to operations, with types from the API description. */
import type { CheckedOperation, CheckedService } from '../../../analyze/check/checked.js';
import { acceptedBy } from '../../../analyze/operations/authentications/accepted.js';
import { describedType } from '../../../analyze/types/described-type.js';
import { unknownValue } from '../../../analyze/types/known-types.js';
import type { Operation } from '../../../read/config/config-model.js';
import { nodesOf, referencesOf } from '../../../read/config/walk.js';
import { isIgnoredHeader } from '../../../read/openapi/declared.js';
import { formFields } from '../../../read/openapi/form.js';
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { parameterFormat } from '../../../read/openapi/parameter-style.js';
import { operationsReadingBody } from './request-needs.js';
import { readValueOf, type ReadValue } from './request-read.js';

/** The generated module that user files import, without extension. */
export const contextModule = 'src/context';

export interface OwnRoutesPlan {
  /** Inputs by operation name. */
  readonly inputs: ReadonlyMap<string, OwnInput>;
  /** Names of the authentications accepted by default by operations without a list; undefined if each operation needs a list. */
  readonly accepted: readonly string[] | undefined;
}

export interface OwnInput {
  /** Optional values may be omitted. */
  readonly parameters: ReadonlyMap<string, ReadValue>;
  readonly body: ReadValue | undefined;
  /** The argument name of the body; differs from all parameter names. */
  readonly bodyName: string;
  /** Path parameters that are strings because they are not described. */
  readonly texts: readonly string[];
  /** Parameters passed as headers or cookies: the declared ones or, without a description, all that are read. */
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
  /** Without a description, parameters that are not passed are read from the request. */
  readonly isDescribed: boolean;
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
  const read = namesReadBy(operation, byName);
  const others = [...read.parameters].filter(
    (name) => !known.has(name.toLowerCase()) && !texts.includes(name),
  );
  const parameters = new Map<string, ReadValue>(texts.map((name) => [name, textOrNumber]));
  // A name declared at two locations is a single argument for both.
  for (const [name, value] of declared)
    if (parameters.get(name)?.isOptional !== false) parameters.set(name, value);
  for (const name of others) parameters.set(name, anything);
  const { headers, cookies } = described === undefined ? read : declaredTextsIn(described);
  const passed = {
    headers: new Set([...headers].map((name) => argumentOf(name, parameters))),
    cookies: [...cookies],
  };
  for (const name of [...passed.headers, ...passed.cookies])
    if (!parameters.has(name)) parameters.set(name, text);
  let bodyName = 'body';
  while (parameters.has(bodyName)) bodyName = `_${bodyName}`;
  return {
    ...{ parameters, bodyName, texts, headers: [...passed.headers], cookies: passed.cookies },
    body: bodyOf(described) ?? (readsBody ? anything : undefined),
    isDescribed: described !== undefined,
  };
}

/** The argument name of a header; reuses an existing argument whose name only differs in case. */
function argumentOf(header: string, parameters: ReadonlyMap<string, ReadValue>): string {
  if (parameters.has(header)) return header;
  return [...parameters.keys()].find((name) => name.toLowerCase() === header.toLowerCase()) ?? header;
}

const anything = readValueOf(unknownValue, true);
const textOrNumber = readValueOf({ kinds: new Set(['number', 'string']) });
const text = readValueOf({ kinds: new Set(['number', 'string']) }, true);

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
    // A field is optional if the body may be omitted or sent as JSON instead.
    ...fields.map(({ name, required, schema }): [string, ReadValue] => [
      name,
      valueOf(schema, !(required && body?.json === undefined && body?.required === true)),
    ]),
  ];
}

/** Names of the declared headers and cookies. */
function declaredTextsIn({ parameters }: ApiEndpoint): ReadTexts {
  const names = (place: 'header' | 'cookie'): Set<string> =>
    new Set(
      parameters.flatMap((parameter) =>
        parameter.in === place && !(place === 'header' && isIgnoredHeader(parameter.name))
          ? [parameter.name]
          : [],
      ),
    );
  return { headers: names('header'), cookies: names('cookie') };
}

interface ReadTexts {
  readonly headers: ReadonlySet<string>;
  readonly cookies: ReadonlySet<string>;
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

interface ReadNames extends ReadTexts {
  readonly parameters: ReadonlySet<string>;
}

/** Inputs that an operation reads from its request by name, including those read by called operations without being passed. */
function namesReadBy(
  operation: Operation,
  byName: ReadonlyMap<string, Operation>,
  open: ReadonlySet<Operation> = new Set(),
): ReadNames {
  const names = { parameters: new Set<string>(), headers: new Set<string>(), cookies: new Set<string>() };
  if (open.has(operation)) return names;
  // Calls by user code are not limited, and have no idempotency key.
  for (const node of nodesOf({ ...operation, limits: [], idempotency: undefined })) {
    if (node.kind === 'param' || (node.kind === 'sent' && node.place === 'query'))
      names.parameters.add(node.name);
    else if (node.kind === 'sent' && node.place === 'header') addHeader(names.headers, node.name);
    else if (node.kind === 'sent') names.cookies.add(node.name);
    else if (node.kind === 'if-match') addHeader(names.headers, 'If-Match');
  }
  for (const { operationName, parameters } of referencesOf(operation)) {
    const called = byName.get(operationName.value);
    if (called === undefined) continue;
    const passed = new Set(parameters.map(({ name }) => name.value));
    const inner = namesReadBy(called, byName, new Set([...open, operation]));
    for (const name of inner.parameters) if (!passed.has(name)) names.parameters.add(name);
    for (const name of inner.headers) addHeader(names.headers, name);
    for (const name of inner.cookies) names.cookies.add(name);
  }
  return names;
}

/** Adds the name unless the set already contains it in another letter case. */
function addHeader(headers: Set<string>, name: string): void {
  if (![...headers].some((known) => known.toLowerCase() === name.toLowerCase())) headers.add(name);
}
