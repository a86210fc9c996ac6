/** Request values that a handler reads, with their types from the API description. */
import type { AnalyzedOperation } from '../../../analyze/operations/analyzed-operation.js';
import type { Fulfillment } from '../../../read/config/config-model.js';
import { allFulfillments, leavesOf, walkOperation } from '../../../read/config/walk.js';
import type { Expression, Path } from '../../../read/expression/ast.js';
import { inheritedNames } from '../../../read/expression/inherited-names.js';
import { unknownValue } from '../../../analyze/types/known-types.js';
import { isAnything, type Kind, type ValueType } from '../../../analyze/types/value-type.js';
import { nodesIn } from '../../../read/expression/visit.js';

/** A request value with the described parts that are read. */
export interface ReadValue {
  readonly type: ValueType;
  /** Whether the field may be omitted. */
  readonly isOptional: boolean;
  readonly fields: ReadonlyMap<string, ReadValue>;
  /** Elements, if the value is a list. */
  readonly element: ReadValue | undefined;
  /** Whether it can also be an uploaded file, which is not of any JSON type. */
  readonly isFile?: boolean;
}

export interface ReadRequest {
  /** The parameters that are read, by name. */
  readonly params: ReadonlyMap<string, ReadValue>;
  /** Undefined if the body is not read. */
  readonly body: ReadValue | undefined;
}

/** A part of a value that is read. */
interface Touch {
  /** Set if the whole value is passed to a user function. */
  isWhole?: true;
  readonly fields: Map<string, Touch>;
  element: Touch | undefined;
}

/** Undefined if the types of request values are unknown: without a description, or if calls or timers pass other values. */
export function planRequestRead({
  operation,
  endpoint,
  request,
}: AnalyzedOperation): ReadRequest | undefined {
  if (endpoint === undefined || operation.triggers.length > 0) return undefined;
  const params = new Map<string, Touch>();
  let body: Touch | undefined;
  // Limits are checked before the handler runs, and idempotency keys before its steps.
  walkOperation({ ...operation, limits: [], idempotency: undefined }, (expression, { isUnreached }) => {
    if (isUnreached === true) return;
    for (const node of nodesIn(expression)) {
      if (node.kind === 'body') touch((body ??= newTouch()), node.path);
      if (node.kind !== 'param') continue;
      const known = params.get(node.name) ?? newTouch();
      params.set(node.name, known);
      touch(known, node.path);
    }
  });
  for (const expression of inputsOf(operation.fulfillments)) {
    for (const node of nodesIn(expression)) {
      const own = node.kind === 'body' ? body : node.kind === 'param' ? params.get(node.name) : undefined;
      if (own !== undefined && 'path' in node) touch(own, node.path, true);
    }
  }
  const read = {
    params: new Map([...params].map(([name, own]) => [name, readValue(request.param(name), own, false)])),
    body: body && readValue(request.body, body, false),
  };
  return [...read.params.values(), read.body].some((value) => value !== undefined && isTyped(value))
    ? read
    : undefined;
}

function newTouch(): Touch {
  return { fields: new Map(), element: undefined };
}

/** Inputs of user functions, which count as reads of the whole value. */
function inputsOf(fulfillments: readonly Fulfillment[]): Expression[] {
  return allFulfillments(fulfillments).flatMap(({ fulfillment }) =>
    fulfillment.type === 'CODE' && fulfillment.input !== undefined ? leavesOf(fulfillment.input) : [],
  );
}

function touch(value: Touch, path: Path, isWhole = false): void {
  let at = value;
  for (const step of path) {
    if (step.kind === 'all') return;
    if (step.kind === 'index') {
      at = at.element ??= newTouch();
      continue;
    }
    const next = at.fields.get(step.name) ?? newTouch();
    at.fields.set(step.name, next);
    at = next;
  }
  if (isWhole) at.isWhole = true;
}

function readValue(type: ValueType, own: Touch, isOptional: boolean): ReadValue {
  if (own.isWhole === true) return readValueOf(type, isOptional);
  const fields = new Map<string, ReadValue>();
  if (isNothingBut('object', type)) {
    for (const [name, inside] of own.fields) {
      const field = type.fields?.typeOf(name);
      if (field === undefined || inheritedNames.has(name)) continue;
      const optional = type.fields?.optional?.(name);
      fields.set(name, readValue(optional ?? field, inside, optional !== undefined));
    }
  }
  const element =
    own.element === undefined || !isNothingBut('array', type)
      ? undefined
      : readValue(type.element ?? unknownValue, own.element, false);
  return { type, isOptional, fields, element };
}

/** Max depth of typed values, because models may contain themselves. */
const maxLevels = 8;

/** A value of this type with all known parts. */
export function readValueOf(type: ValueType, isOptional = false, level = 0): ReadValue {
  if (level === maxLevels) return { type: unknownValue, isOptional, fields: new Map(), element: undefined };
  const names = isNothingBut('object', type) ? (type.fields?.names ?? []) : [];
  // A field with an inherited name would seem present even if missing.
  const isPlain = !names.some((name) => inheritedNames.has(name));
  const fields = new Map(
    (isPlain ? names : []).map((name): [string, ReadValue] => {
      const optional = type.fields?.optional?.(name);
      const field = optional ?? type.fields?.typeOf(name) ?? unknownValue;
      return [name, readValueOf(field, optional !== undefined, level + 1)];
    }),
  );
  const element =
    type.element === undefined || !isNothingBut('array', type)
      ? undefined
      : readValueOf(type.element, false, level + 1);
  return { type, isOptional, fields, element };
}

function isNothingBut(kind: Kind, { kinds }: ValueType): boolean {
  return [...kinds].every((one) => one === kind || one === 'null');
}

function isTyped({ type, fields, element }: ReadValue): boolean {
  return !isAnything(type) || fields.size > 0 || element !== undefined;
}
