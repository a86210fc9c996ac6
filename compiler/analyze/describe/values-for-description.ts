/** The types of a configuration's values, for the generated description. */
import type { Operation, Schema } from '../../read/config/config-model.js';
import { isStatement, reachedInstructions } from '../../read/config/walk.js';
import { typeOfFilter } from '../operations/statements/filter-columns.js';
import type { Expression } from '../../read/expression/ast.js';
import { typeAt, typeOf } from '../types/infer.js';
import { rowRead } from '../types/row-read.js';
import type { ValueType } from '../types/value-type.js';
import { alwaysReturnsRow } from '../operations/statements/certain-rows.js';
import type { Analysis } from '../operations/analysis.js';
import type { KnownInput, KnownValues } from './known-values.js';
import { bodyKey, paramKey, passedToDatabases, queryKey } from './passed-values.js';

export function knownValues(analysis: Analysis): KnownValues {
  const passed = new Map(
    analysis.operations.map((one) => [
      one.operation,
      passedToDatabases(one, analysis.descriptions, analysis.config.settings.numbers === 'string'),
    ]),
  );
  const known = (operations: Iterable<Operation>, key: string): KnownInput => {
    const all = [...operations].flatMap((operation) => passed.get(operation) ?? []);
    const inputs = all.flatMap((operation) => operation.inputs.get(key) ?? []);
    const [first] = inputs;
    const isOne =
      inputs.every(({ type }) => type !== undefined && isSameColumn(type, first?.type)) &&
      !all.some(({ comparedWithText }) => comparedWithText.has(key));
    const isAnswered = all.some(({ answered }) => answered.has(key));
    const isRequired = !isAnswered && inputs.some((input) => input.isRequired);
    return { type: isOne ? first?.type : undefined, isRequired };
  };
  return {
    built: (operation) => builtOf(operation, analysis),
    mapped: (operation, value) => mappedType(operation, value, analysis),
    parameter: (operations, name) => known(operations, paramKey(name)),
    query: (operations, name) => known(operations, queryKey(name)),
    filter: (fulfillment, name) => {
      const action = reachedInstructions(fulfillment).find((one) => isStatement(one.action))?.action;
      if (action === undefined || !isStatement(action)) return name.type;
      return typeOfFilter(name, action, analysis.descriptionOf(action))?.type;
    },
    body: (operations, path) => known(operations, bodyKey(path)),
  };
}

function isSameColumn(one: ValueType | undefined, other: ValueType | undefined): boolean {
  if (one?.element !== undefined || other?.element !== undefined)
    return (
      one?.element !== undefined && other?.element !== undefined && isSameColumn(one.element, other.element)
    );
  return one?.column === other?.column;
}

/** In an object of a model a name reads from the entry that it is built of. */
function mappedType(operation: Operation, value: Expression, { types }: Analysis): ValueType | undefined {
  const evaluation = types.flow(operation).evaluations.find(({ expression }) => expression === value);
  if (evaluation === undefined) return undefined;
  if (value.kind === 'value' && value.path[0]?.kind === 'name') {
    const { element, isRows } = evaluation.environment.result(value.name).type;
    if (isRows === true && element !== undefined) return typeAt(element, value.path);
  }
  return typeOf(value, evaluation.environment);
}

/** The types of schema parts, without null for rows that their statement always returns. */
function builtOf(operation: Operation, analysis: Analysis): ReadonlyMap<Schema, ValueType> {
  const { built, evaluations } = analysis.types.flow(operation);
  const certain = operation.fulfillments.filter((one) => alwaysReturnsRow(one, analysis));
  if (certain.length === 0) return built;
  const names = new Set(certain.map(({ name }) => name.value));
  const found = new Map(built);
  for (const schema of built.keys()) {
    if (schema.kind !== 'leaf' || schema.value.kind !== 'value' || !names.has(schema.value.name)) continue;
    const { value } = schema;
    const evaluation = evaluations.find(({ expression }) => expression === value);
    const type = evaluation?.environment.result(value.name).type;
    const read = rowRead(value.path);
    // The result may also be that of a skipped fulfillment or a loop.
    if (type?.isRows !== true || type.kinds.has('null') || type.element === undefined) continue;
    if (read?.before === 0) found.set(schema, typeAt(type.element, read.rest));
  }
  return found;
}
