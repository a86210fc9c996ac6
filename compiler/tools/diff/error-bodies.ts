/** Error bodies: those of `settings.errors`, and those defined by exceptions. */
import { ErrorForms } from '../../analyze/describe/error-forms.js';
import { errorResponses } from '../../analyze/describe/error-responses.js';
import type { Config, Exception, Schema } from '../../read/config/config-model.js';
import { exceptionsOf, leavesOf } from '../../read/config/walk.js';
import type { Step } from '../../read/expression/ast.js';
import { nodesIn } from '../../read/expression/visit.js';
import { isSecretHeader } from '../../read/diagnostics/secrets/secret-words.js';
import { schemasOfModels } from '../../analyze/describe/read-generated.js';
import { breaking, compareOutput, fine, type ShapeChange } from './compare-shapes.js';
import { anything, shapeOfSchema, shapeOfType, type Shape } from './value-shape.js';
import type { ServiceView, ViewedOperation } from '../explain/service-view.js';

export interface ErrorBody {
  readonly type: string;
  readonly shape: Shape;
  /** Whether the body contains the code of an exception. */
  readonly hasCode: boolean;
}

/** An exception as seen by clients. Messages are for people. */
export interface ContractException {
  readonly status: number;
  /** Distinguishes exceptions with the same status; not part of the contract. */
  readonly message: string;
  /** Undefined if the body does not contain the code. */
  readonly code: string | undefined;
  /** Undefined if the exception uses the service's common error body. */
  readonly own: ErrorBody | undefined;
  readonly body: ErrorBody;
  /** Lowercase header names, with the values of constant headers. */
  readonly headers: ReadonlyMap<string, string | undefined>;
}

type BodyOf = (status: number) => ErrorBody;

const bodies = new WeakMap<Config, BodyOf>();

/** Error bodies by status, computed once per service. */
export function errorBodies(config: Config): BodyOf {
  const known = bodies.get(config) ?? bodiesIn(config);
  bodies.set(config, known);
  return known;
}

function bodiesIn(config: Config): BodyOf {
  const forms = new ErrorForms(config);
  for (const status of statusesOfErrors(config)) forms.contentOf(status);
  const models = schemasOfModels(forms.schemas);
  return (status) => {
    const { contentType, schema } = forms.contentOf(status);
    const model = models.get(String(schema['$ref']).replace('#/components/schemas/', ''));
    return {
      type: contentType,
      shape: model === undefined ? anything : shapeOfSchema(model),
      hasCode: model?.properties.has('code') === true || formReadsCode(config, status),
    };
  };
}

function formReadsCode({ settings: { errors } }: Config, status: number): boolean {
  if (typeof errors === 'string') return false;
  const form = errors.find(
    ({ statuses }) =>
      statuses?.some((one) => one === status || one === `${String(status).charAt(0)}xx`) !== false,
  );
  return form?.schema !== undefined && readsCode(form.schema);
}

function readsCode(schema: Schema): boolean {
  return leavesOf(schema)
    .flatMap((leaf) => nodesIn(leaf))
    .some((node) => node.kind === 'error' && (node.path.length === 0 || isCode(node.path[0])));
}

function isCode(step: Step | undefined): boolean {
  return step?.kind === 'all' || (step?.kind === 'name' && step.name === 'code');
}

/** Statuses of errors that the service itself sends, and of exceptions. */
function statusesOfErrors({ operations }: Config): number[] {
  return [
    ...Object.keys(errorResponses).map(Number),
    405,
    ...operations.flatMap((operation) => exceptionsOf(operation).map(({ statuscode }) => statuscode)),
  ];
}

export function contractException(
  { statuscode, code, schema, header, message }: Exception,
  { checked }: ViewedOperation,
  bodyOf: BodyOf,
  valueOf: (value: Exception['message']) => string | undefined,
): ContractException {
  const type = schema && checked.analyzed.flow.built.get(schema);
  const own = schema && {
    type: 'application/json',
    shape: type === undefined ? anything : shapeOfType(type),
    hasCode: readsCode(schema),
  };
  const body = own ?? bodyOf(statuscode);
  return {
    ...{ status: statuscode, own, body },
    message: message.filter((part) => typeof part === 'string').join('…'),
    code: body.hasCode ? code?.value : undefined,
    headers: new Map(header.map(({ name, value }) => [name.value.toLowerCase(), valueOf(value)])),
  };
}

/** Changes to errors that both services can send; equal changes are merged. */
export function compareErrorBodies(before: ServiceView, after: ServiceView): ShapeChange[] {
  const [old, now] = [before.analysis.config, after.analysis.config];
  const [oldBody, nowBody] = [errorBodies(old), errorBodies(now)];
  const statuses = [...new Set([...statusesOfErrors(old), ...statusesOfErrors(now)])].sort((a, b) => a - b);
  const groups = new Map<string, number[]>();
  const changes = (status: number, at: string): ShapeChange[] =>
    compareBodies(oldBody(status), nowBody(status), at);
  for (const status of statuses) {
    const found = JSON.stringify(changes(status, ''));
    groups.set(found, [...(groups.get(found) ?? []), status]);
  }
  return [...groups.values()].flatMap((same) => {
    const [first = 0] = same;
    const at =
      same.length === statuses.length ? 'errors' : `error${same.length === 1 ? '' : 's'} ${same.join(', ')}`;
    return changes(first, at);
  });
}

function compareBodies(before: ErrorBody, after: ErrorBody, at: string): ShapeChange[] {
  return [
    ...(before.type === after.type
      ? []
      : [breaking(`the body of ${at} is ${after.type} now; it was ${before.type}`)]),
    ...compareOutput(before.shape, after.shape, `the body of ${at}`),
  ];
}

/** Changes to exceptions with the same status, if they can be matched unambiguously. */
export function compareExceptions(
  before: readonly ContractException[],
  after: readonly ContractException[],
): ShapeChange[] {
  return pairs(before, after).flatMap(([old, now]) => {
    const at = `error ${now.status}`;
    return [
      ...compareCodes(old.code, now.code, at),
      ...(old.own === undefined && now.own === undefined ? [] : compareBodies(old.body, now.body, at)),
      ...compareHeaders(old.headers, now.headers, at),
    ];
  });
}

function compareCodes(before: string | undefined, after: string | undefined, at: string): ShapeChange[] {
  if (before === after) return [];
  if (before === undefined) return [fine(`${at} has the code '${after ?? ''}' now`)];
  return [
    breaking(
      after === undefined
        ? `${at} no longer has a code; it had '${before}'`
        : `${at} has the code '${after}' now; it had '${before}'`,
    ),
  ];
}

/** Computed values are not compared. */
export function compareHeaders(
  before: ReadonlyMap<string, string | undefined>,
  after: ReadonlyMap<string, string | undefined>,
  at: string,
): ShapeChange[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const added = [...after.keys()].filter((name) => !before.has(name));
  return [
    ...gone.map((name) => breaking(`${at} no longer has the header '${name}'`)),
    ...added.map((name) => fine(`${at} has the header '${name}' now`)),
    ...[...after].flatMap(([name, value]) => {
      const was = before.get(name);
      if (was === undefined || value === undefined || was === value) return [];
      return isSecretHeader(name)
        ? [fine(`${at} has another value in the header '${name}' now`)]
        : [fine(`${at} has the header '${name}: ${value}' now; it was '${was}'`)];
    }),
  ];
}

type Pair = readonly [ContractException, ContractException];

/** Pairs exceptions by code, or else by message, or else if only one is left on each side for a status. */
function pairs(before: readonly ContractException[], after: readonly ContractException[]): Pair[] {
  const found: Pair[] = [];
  const free = new Set(after);
  let left = [...before];
  const pair = (isSame: (old: ContractException, now: ContractException) => boolean): void => {
    left = left.filter((old) => {
      const now = [...free].find((one) => one.status === old.status && isSame(old, one));
      if (now === undefined) return true;
      free.delete(now);
      found.push([old, now]);
      return false;
    });
  };
  pair((old, now) => old.code !== undefined && old.code === now.code);
  pair((old, now) => old.message === now.message);
  const count = (list: Iterable<ContractException>, status: number): number =>
    [...list].filter((one) => one.status === status).length;
  const olds = left;
  pair(({ status }) => count(olds, status) === 1 && count(free, status) === 1);
  return found;
}
