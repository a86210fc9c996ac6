/** Values in a generated description: their types, and the reports of the databases. */
import type { Operation, Schema } from '../../read/config/config-model.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import type { ValueType } from '../types/value-type.js';

export interface KnownValues {
  /** The value of each part of a response's schema. */
  built(operation: Operation): ReadonlyMap<Schema, ValueType>;
  /** The value that a mapping assigns to a field of its model. */
  mapped(operation: Operation, value: Expression): ValueType | undefined;
  /** The type that the databases of these operations expect of a parameter of the request. */
  parameter(operations: Iterable<Operation>, name: string): KnownInput;
  /** The type that they expect of a part of the body. */
  body(operations: Iterable<Operation>, path: Path): KnownInput;
}

export interface KnownInput {
  /** Without null; undefined if there is no type, or more than one. */
  readonly type: ValueType | undefined;
  /** Whether every request without it is refused: a column that may not be null gets it. */
  readonly isRequired: boolean;
}

const nothingBuilt: ReadonlyMap<Schema, ValueType> = new Map();

/** Where nothing is known. */
export const noValues: KnownValues = {
  built: () => nothingBuilt,
  mapped: () => undefined,
  parameter: () => ({ type: undefined, isRequired: false }),
  body: () => ({ type: undefined, isRequired: false }),
};
