/** GET operations for a single row by path parameter: if the row does not exist, the response is a success with nulls. */
import type { DataFulfillment, Operation, Schema } from '../../read/config/config-model.js';
import type { Expression, Syntax } from '../../read/expression/ast.js';
import { parts } from '../../read/expression/visit.js';
import { alwaysHasRow } from '../../read/sql/facts/row-limit.js';
import type { ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';
import { isStatement } from '../../read/config/walk.js';

export function missingRows({ operations }: ServiceView): Risk[] {
  return operations.flatMap(({ checked: { operation } }): Risk | [] => {
    const response = operation.responses.find((one) => one.default);
    const row = rowOf(operation, response?.schema);
    if (row === undefined || response === undefined) return [];
    const { value: name, span } = row.name;
    return {
      rule: 'missing-row',
      severity: 'low',
      span,
      message: `If '${name}' finds no row, the response is ${response.statuscode.value} with nulls.`,
      hint: `Add to '${name}': exceptions: [{ if: '${isEmpty(name, operation.syntax)}', statuscode: 404, message: Not found }]`,
    };
  });
}

/** The fulfillment whose first row is the response, if no condition tests whether the row exists. */
function rowOf(operation: Operation, schema: Schema | undefined): DataFulfillment | undefined {
  const { endpoint, fulfillments, responses, mappings } = operation;
  if (
    (endpoint?.method !== 'GET' && endpoint?.method !== 'HEAD') ||
    schema === undefined ||
    mappings.length > 0
  )
    return undefined;
  const read = leavesOf(schema)?.filter(({ kind }) => !constants.has(kind)) ?? [];
  const [first] = read;
  const name = first?.kind === 'value' ? first.name : undefined;
  const isFirstRow = read.every(
    (leaf) =>
      leaf.kind === 'value' &&
      leaf.name === name &&
      (leaf.path[0]?.kind === 'name' || (leaf.path[0]?.kind === 'index' && leaf.path[0].index === 0)),
  );
  const row = fulfillments.find((one) => one.name.value === name);
  if (!isFirstRow || row?.type !== 'READ' || row.if !== undefined) return undefined;
  const [instruction, ...others] = row.instructions;
  const action = instruction?.action;
  if (others.length > 0 || !isStatement(action) || action.verb !== 'SELECT') return undefined;
  const isChosen = action.bindings.some(
    (binding) => binding.kind === 'param' && endpoint.parameters.includes(binding.name),
  );
  if (!isChosen || alwaysHasRow(action)) return undefined;
  // Any condition that reads results may also test this row.
  const conditions = [
    ...fulfillments.flatMap((one) => one.exceptions.map((exception) => exception.if)),
    ...responses.map((response) => response.if),
  ];
  return conditions.some((condition) => condition !== undefined && readsResult(condition)) ? undefined : row;
}

const constants = new Set<Expression['kind']>(['text', 'number', 'boolean', 'null', 'param']);

/** Undefined if the response contains a list. */
function leavesOf(schema: Schema): Expression[] | undefined {
  if (schema.kind === 'array') return undefined;
  if (schema.kind === 'leaf') return [schema.value];
  const all = schema.fields.map(({ value }) => leavesOf(value));
  return all.includes(undefined) ? undefined : all.flatMap((leaves) => leaves ?? []);
}

function readsResult(expression: Expression): boolean {
  return (
    ['value', 'result', 'value-by-index'].includes(expression.kind) || parts(expression).some(readsResult)
  );
}

function isEmpty(name: string, syntax: Syntax): string {
  return syntax === 'A' ? `SIZE(VALUE(${name}, $)) == INTEGER(0)` : `${name} == null`;
}
