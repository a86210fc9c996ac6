/** Types of the values of a configuration, for the description that is generated from it. */
import type { Operation } from '../../read/config/config-model.js';
import type { Expression } from '../../read/expression/ast.js';
import { typeAt, typeOf } from '../types/infer.js';
import type { ValueType } from '../types/value-type.js';
import type { Analysis } from '../operations/analysis.js';
import type { KnownInput, KnownValues } from './known-values.js';
import { bodyKey, paramKey, passedToDatabases } from './passed-values.js';

export function knownValues(analysis: Analysis): KnownValues {
  const passed = new Map(
    analysis.operations.map((one) => [one.operation, passedToDatabases(one, analysis.descriptions)]),
  );
  const known = (operations: Iterable<Operation>, key: string): KnownInput => {
    const all = [...operations].flatMap((operation) => passed.get(operation) ?? []);
    const inputs = all.flatMap((operation) => operation.inputs.get(key) ?? []);
    const [first] = inputs;
    const isOne =
      inputs.every(({ type }) => type !== undefined && type.column === first?.type?.column) &&
      !all.some(({ comparedWithText }) => comparedWithText.has(key));
    const isAnswered = all.some(({ answered }) => answered.has(key));
    const isRequired = !isAnswered && inputs.some((input) => input.isRequired);
    return { type: isOne ? first?.type : undefined, isRequired };
  };
  return {
    built: (operation) => analysis.types.flow(operation).built,
    mapped: (operation, value) => mappedType(operation, value, analysis),
    parameter: (operations, name) => known(operations, paramKey(name)),
    body: (operations, path) => known(operations, bodyKey(path)),
  };
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
