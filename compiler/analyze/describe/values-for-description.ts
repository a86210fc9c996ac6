/** What is known of the values of a configuration, for the description that is generated from it. */
import type { Operation } from '../../read/config/config-model.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import { printSteps } from '../../read/expression/parse/path.js';
import type { KnownValues } from './known-values.js';
import { typeIn } from '../types/column-type.js';
import { typeAt, typeOf } from '../types/infer.js';
import { isAnything, type ValueType } from '../types/value-type.js';
import type { Analysis } from '../operations/analysis.js';

export function knownValues(analysis: Analysis): KnownValues {
  const passed = new Map(
    analysis.operations.map(({ operation }) => [operation, passedToDatabases(operation, analysis)]),
  );
  const one = (operations: readonly Operation[], key: string): ValueType | undefined => {
    const types = operations.flatMap((operation) => passed.get(operation)?.get(key) ?? []);
    const [first] = types;
    return types.every((type) => type?.column === first?.column) ? first : undefined;
  };
  return {
    built: (operation) => analysis.types.flow(operation).built,
    mapped: (operation, value) => mappedType(operation, value, analysis),
    parameter: (operations, name) => one(operations, paramKey(name)),
    body: (operations, path) => one(operations, bodyKey(path)),
  };
}

/**
 * The types that the databases expect of the values that an operation passes; undefined among them for a possible list, or if the type is
 * unknown.
 */
function passedToDatabases(
  operation: Operation,
  { operations, descriptions }: Analysis,
): ReadonlyMap<string, readonly (ValueType | undefined)[]> {
  const found = new Map<string, (ValueType | undefined)[]>();
  const analyzed = operations.find((one) => one.operation === operation);
  for (const { fulfillment } of analyzed?.fulfillments ?? []) {
    if (!('instructions' in fulfillment)) continue;
    for (const { action } of fulfillment.instructions) {
      if (action === undefined || 'kind' in action) continue;
      const described = descriptions.of(action);
      const { parameters } =
        described !== undefined && 'description' in described.result
          ? described.result.description
          : { parameters: [] };
      for (const [index, binding] of (described?.asked.bindings ?? []).entries()) {
        const key = keyOf(binding);
        if (key === undefined) continue;
        const type = parameters[index];
        const isOne = described?.asked.lists.has(index) === false && type !== undefined;
        found.set(key, [...(found.get(key) ?? []), isOne ? inputType(typeIn(type)) : undefined]);
      }
    }
  }
  return found;
}

/** A request may write a number as a number only; of dates and times databases read more than one way to write them. */
function inputType(type: ValueType): ValueType | undefined {
  const { kinds, element, column, words } = type;
  if (isAnything(type) || element !== undefined) return undefined;
  if (words !== undefined) return type;
  const kind = kinds.has('number') ? 'number' : kinds.has('boolean') ? 'boolean' : 'string';
  const isText = column === undefined || kind === 'string';
  return { kinds: new Set([kind]), ...(isText ? {} : { column }) };
}

function keyOf(binding: Expression): string | undefined {
  if (binding.kind === 'param') return binding.path.length === 0 ? paramKey(binding.name) : undefined;
  return binding.kind === 'body' ? bodyKey(binding.path) : undefined;
}

function paramKey(name: string): string {
  return `param ${name}`;
}

function bodyKey(path: Path): string {
  return `body ${printSteps(path)}`;
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
