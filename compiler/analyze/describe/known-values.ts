/** The types of values for a generated description, including types reported by databases. */
import type { FilterType } from '../../../runtime/lists/filter-types.js';
import type { DataFulfillment, FilterName, Operation, Schema } from '../../read/config/config-model.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import type { ValueType } from '../types/value-type.js';

export interface KnownValues {
  /** False if the service runs without the description: its parameters are then strings. True by default. */
  readonly isApplied?: boolean;
  /** The type of each part of a response's schema. */
  built(operation: Operation): ReadonlyMap<Schema, ValueType>;
  /** The type of the value that a mapping assigns to a model field. */
  mapped(operation: Operation, value: Expression): ValueType | undefined;
  /** The type that the operations' databases expect for a request parameter. */
  parameter(operations: Iterable<Operation>, name: string): KnownInput;
  /** The same for a name of the query that QUERY reads. */
  query(operations: Iterable<Operation>, name: string): KnownInput;
  /** The type of the values that a filter compares with its column; undefined if unknown. */
  filter(fulfillment: DataFulfillment, name: FilterName): FilterType | undefined;
  /** The type that they expect of a part of the body. */
  body(operations: Iterable<Operation>, path: Path): KnownInput;
}

export interface KnownInput {
  /** The type without null; undefined if there is no type, or more than one. */
  readonly type: ValueType | undefined;
  /** True if all requests without the value are refused, because it is written to a NOT NULL column. */
  readonly isRequired: boolean;
}

const nothingBuilt: ReadonlyMap<Schema, ValueType> = new Map();

/** Used if nothing is known. */
export const noValues: KnownValues = {
  built: () => nothingBuilt,
  mapped: () => undefined,
  parameter: () => ({ type: undefined, isRequired: false }),
  query: () => ({ type: undefined, isRequired: false }),
  filter: (_, { type }) => type,
  body: () => ({ type: undefined, isRequired: false }),
};
