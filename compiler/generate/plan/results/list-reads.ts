/**
 * READs whose rows are only read by a response: CSV and NDJSON rows are streamed (docs/design/responses.md#res-5), JSON rows are converted
 * to bytes directly.
 */
import type { Operation, Response, Schema } from '../../../read/config/config-model.js';
import { neverHasBody } from '../../../read/config/status.js';
import { nodesOf } from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import type { DataStep, JsonRowsPlan, OperationPlan, OverlapPlan, StepPlan } from '../operation-plan.js';
import { plainReadOf } from '../statements/overlap.js';
import { planContent } from '../responses/response-plan.js';

/** The READ whose rows are streamed; undefined if there is none. `isCalled`: another operation reads the whole response. */
export function streamedRead(
  operation: Operation,
  steps: readonly StepPlan[],
  isCalled: boolean,
): DataStep | undefined {
  const { endpoint, triggers, responses, transaction } = operation;
  const [response, ...others] = responses;
  if (endpoint === undefined || triggers.length > 0 || transaction || isCalled) return undefined;
  if (response === undefined || others.length > 0 || response.etag !== undefined) return undefined;
  const kind = planContent(response)?.kind;
  const name = response.schema && listOf(response.schema);
  if ((kind !== 'csv' && kind !== 'lines') || name === undefined) return undefined;
  const last = steps.at(-1);
  const step = last && plainReadOf(last)?.step;
  if (step?.fulfillment !== name) return undefined;
  return readsOf(name, operation) > 1 ? undefined : step;
}

/** The fulfillment whose rows are the list elements; undefined if an element contains a list. */
function listOf(schema: Schema): string | undefined {
  if (schema.kind === 'leaf') return wholeResult(schema.value);
  return schema.kind === 'array' && !hasList(schema.item) ? wholeResult(schema.list) : undefined;
}

function hasList(schema: Schema): boolean {
  return (
    schema.kind === 'array' || (schema.kind === 'object' && schema.fields.some(({ value }) => hasList(value)))
  );
}

function wholeResult(expression: Expression): string | undefined {
  const isWhole =
    expression.kind === 'result' || (expression.kind === 'value' && expression.path.length === 0);
  return isWhole ? expression.name : undefined;
}

export function readsOf(name: string, operation: Operation, kinds = readsResult): number {
  const isRead = (node: Expression): boolean => 'name' in node && node.name === name && kinds.has(node.kind);
  return nodesOf(operation).filter(isRead).length;
}

/** Expressions that read a result or the outcome of a READ. */
export const readsResult: ReadonlySet<Expression['kind']> = new Set([
  ...([
    'value',
    'result',
    'value-by-index',
    'status',
    'failure',
    'status-by-index',
    'failure-by-index',
    'next',
    'paging',
    'response-header',
  ] as const),
]);

const readsRows: ReadonlySet<Expression['kind']> = new Set(
  [...readsResult].filter((kind) => kind !== 'next'),
);

interface JsonRowsContext {
  readonly digits: DigitsByPart;
  /** Whether another operation reads the response. */
  readonly isCalled: boolean;
  /** Whether the response has all fields of the rows. */
  readonly isWhole: (response: Response) => boolean;
}

/** READs whose rows are converted directly to JSON. */
export function jsonRowsOf(
  operation: Operation,
  steps: readonly StepPlan[],
  overlap: OverlapPlan,
  { digits, isCalled, isWhole }: JsonRowsContext,
): ReadonlyMap<StepPlan, JsonRowsPlan> {
  const found = new Map<StepPlan, JsonRowsPlan>();
  const { endpoint, triggers, responses, transaction } = operation;
  if (endpoint === undefined || triggers.length > 0 || transaction || isCalled) return found;
  const together = new Set([...overlap.together.values()].flat().map(({ step }) => step));
  for (const { step } of steps.map(plainReadOf).filter((read) => read !== undefined)) {
    // Reads that are sent together return values, not JSON.
    if (together.has(step) || step.isFirstRow || step.isReadHere || step.index !== undefined) continue;
    // The next-page token is not part of the rows.
    const kinds = step.page === undefined ? readsResult : readsRows;
    if (readsOf(step.fulfillment, operation, kinds) !== 1) continue;
    for (const response of responses.filter(isWhole)) {
      const plan = listIn(response, step, digits);
      if (plan !== undefined) found.set(step, plan);
    }
  }
  return found;
}

/** The list of the step, if it is the body of the response or a field of it. */
function listIn(
  { schema, name, ...response }: Response,
  step: DataStep,
  digits: DigitsByPart,
): JsonRowsPlan | undefined {
  const { statuscode, contentType, fileName } = response;
  const isPlain = contentType === undefined && fileName === undefined;
  if (schema === undefined || !isPlain || neverHasBody(statuscode.value)) return undefined;
  const lists = schema.kind === 'object' ? schema.fields.map(({ value }) => value) : [schema];
  const list = lists.find((one) => isListOf(one, step));
  const fields = list && fieldsOf(list, step);
  const scales = list && scalesOf(list, digits);
  return fields && scales && { response: name.value, ...fields, scales };
}

type DigitsByPart = OperationPlan['digits'];

/** Of the fields of an element; undefined where parts of a column's value are sent as strings. */
function scalesOf(list: Schema, digits: DigitsByPart): JsonRowsPlan['scales'] | undefined {
  const ofRow = digits.get(list.kind === 'array' ? list.item : list);
  const item = list.kind === 'array' && list.item.kind === 'object' ? list.item.fields : [];
  const ofFields =
    ofRow?.kind === 'fields'
      ? [...ofRow.fields]
      : item.map(({ key, value }) => [key, digits.get(value)] as const);
  const found: [string, number][] = [];
  for (const [key, one] of ofFields) {
    if (one?.kind === 'fields') return undefined;
    if (one !== undefined) found.push([key, one.scale ?? 0]);
  }
  return found;
}

function isListOf(schema: Schema, { fulfillment }: DataStep): boolean {
  if (schema.kind === 'object') return false;
  return wholeResult(schema.kind === 'leaf' ? schema.value : schema.list) === fulfillment;
}

/** Undefined if an element contains anything but columns. */
function fieldsOf(list: Schema, { row }: DataStep): Pick<JsonRowsPlan, 'fields'> | undefined {
  if (list.kind !== 'array' || isWholeElement(list.item)) return { fields: undefined };
  if (list.item.kind !== 'object') return undefined;
  const fields: [string, string][] = [];
  for (const { key, value } of list.item.fields) {
    const column = columnOf(value);
    const isMissing = column === undefined || row?.columns.has(column) === false;
    if (isMissing || key === '__proto__') return undefined;
    fields.push([key, column]);
  }
  if (row === undefined) return { fields };
  const columns = [...row.columns.keys()];
  const isWhole =
    row.isListed &&
    columns.length === fields.length &&
    fields.every(([key, column], index) => key === column && column === columns[index]);
  return { fields: isWhole ? undefined : fields };
}

/** Whether the item is the row itself: `VALUE(@, $)`. */
function isWholeElement(item: Schema): boolean {
  return item.kind === 'leaf' && item.value.kind === 'element' && item.value.path.length === 0;
}

/** The column that a schema reads: `id` for `VALUE(@, $.id)`. */
function columnOf(schema: Schema): string | undefined {
  if (schema.kind !== 'leaf' || schema.value.kind !== 'element') return undefined;
  const [segment, ...deeper] = schema.value.path;
  return segment?.kind === 'name' && deeper.length === 0 ? segment.name : undefined;
}
