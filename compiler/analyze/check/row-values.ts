/** Finds response values that are null if and only if a row is missing. */
import type { Operation, Response, Schema } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { Body, RowSource } from '../mapping/body-parts.js';
import { describedBody } from '../mapping/described.js';
import type { AnalyzedOperation } from '../operations/analyzed-operation.js';
import type { KnownFacts } from '../types/conditions.js';
import { typeAt } from '../types/infer.js';
import { rowRead, typeOfRead } from '../types/row-read.js';
import type { ValueType } from '../types/value-type.js';

export interface RowValue {
  readonly value: Extract<Expression, { kind: 'value' | 'value-by-index' }>;
  /** The field's name for the beginning of a message. */
  readonly field: string;
  readonly described: ApiSchema | undefined;
}

/** The values built by schema notation or by mappings. */
export function rowValues(
  response: Response,
  operation: Operation,
  { endpoint, flow, mapped }: Pick<AnalyzedOperation, 'endpoint' | 'flow' | 'mapped'>,
): RowValue[] {
  const described = describedBody(response, endpoint);
  const body = mapped.bodies.get(response);
  const facts = flow.mapped.get(response);
  if (response.schema !== undefined)
    return new InSchema(operation, flow).values('The response', response.schema, described, false);
  return body === undefined || facts === undefined || described === undefined
    ? []
    : inBody('The response', body, described, facts);
}

class InSchema {
  constructor(
    private readonly operation: Operation,
    private readonly flow: AnalyzedOperation['flow'],
  ) {}

  /** `isElement`: whether the value belongs to a list element, which always has a row. */
  values(field: string, node: Schema, described: ApiSchema | undefined, isElement: boolean): RowValue[] {
    switch (node.kind) {
      case 'object':
        return node.fields.flatMap(({ key, value }) =>
          this.values(`'${key}'`, value, described?.properties.get(key), isElement),
        );
      case 'array':
        return this.values(`An element of ${field.replace(/^T/, 't')}`, node.item, described?.items, true);
      case 'leaf': {
        const { value } = node;
        const isNullWithoutRow =
          value.kind === 'value'
            ? !isElement && this.#readsFirstRow(node)
            : value.kind === 'value-by-index' && this.#readsRowOfLoop(value.name, value.path);
        return isNullWithoutRow && (value.kind === 'value' || value.kind === 'value-by-index')
          ? [{ value, field, described }]
          : [];
      }
    }
  }

  #readsFirstRow(node: Extract<Schema, { kind: 'leaf' }>): boolean {
    const { value } = node;
    const environment = this.flow.environments.get(value);
    if (value.kind !== 'value' || environment === undefined) return false;
    return (
      this.flow.built.get(node)?.kinds.has('null') === true &&
      isFieldOfRow(environment.result(value.name).type, value.path)
    );
  }

  /**
   * Whether the value is the result of a loop iteration. Excluded if the loop's exceptions check it; the index may refer to another
   * iteration.
   */
  #readsRowOfLoop(name: string, path: Path): boolean {
    const found = allFulfillments(this.operation.fulfillments).filter(
      ({ fulfillment }) => fulfillment.name.value === name,
    );
    const [only, ...others] = found;
    if (only?.loop === undefined || others.length > 0 || only.fulfillment.exceptions.length > 0) return false;
    const type = only.fulfillment.if === undefined ? this.flow.results.get(only.fulfillment) : undefined;
    return type !== undefined && isFieldOfRow(type, path);
  }
}

/** Whether the path reads a field of the result's first row that is null only if the row is missing. */
function isFieldOfRow({ isRows, kinds, element }: ValueType, path: Path): boolean {
  const read = rowRead(path);
  if (read?.before !== 0 || isRows !== true || kinds.has('null') || element === undefined) return false;
  return !typeAt(element, read.rest).kinds.has('null');
}

/** The values of objects built from the first row of a result. Rows found by joins are excluded, because they depend on data. */
function inBody(field: string, body: Body, described: ApiSchema, facts: KnownFacts): RowValue[] {
  switch (body.kind) {
    case 'object':
      return fieldsOf(body, described, facts);
    case 'row':
      return inBody(field, body.item, described, facts);
    case 'entries': {
      const [{ of: source }] = body.of;
      if (body.take === 'every' || isJoined(source)) return [];
      const value = valuesIn(body.item).find(({ name }) => name === source.fulfillment);
      const own = value !== undefined && mayLackRow(value, facts) ? [{ value, field, described }] : [];
      return [...own, ...inBody(field, body.item, described, facts)];
    }
    case 'value': {
      const { value, reads } = body;
      const isOfResult = reads.every((source) => source.row === undefined && !isJoined(source));
      return value.kind === 'value' && isOfResult && mayLackRow(value, facts)
        ? [{ value, field, described }]
        : [];
    }
    case 'column':
    case 'single':
      return [];
  }
}

function fieldsOf(
  { fields }: Extract<Body, { kind: 'object' }>,
  described: ApiSchema,
  facts: KnownFacts,
): RowValue[] {
  return fields.flatMap(({ key, value }) => {
    const property = described.properties.get(key);
    return property === undefined ? [] : inBody(`'${key}'`, value, property, facts);
  });
}

function isJoined({ steps, start }: RowSource): boolean {
  return steps.length > 0 || start.length > 0;
}

type ValueOfResult = Extract<Expression, { kind: 'value' }>;

/** The direct fields of an object. */
function valuesIn(body: Body): ValueOfResult[] {
  const fields = body.kind === 'object' ? body.fields : [];
  return fields.flatMap(({ value: field }) =>
    field.kind === 'value' && field.value.kind === 'value' ? [field.value] : [],
  );
}

function mayLackRow(value: ValueOfResult, facts: KnownFacts): boolean {
  return (
    typeOfRead(value, facts).kinds.has('null') &&
    isFieldOfRow(facts.environment.result(value.name).type, value.path)
  );
}
