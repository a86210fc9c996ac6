/** What a generated description contains about values: their types, and what the databases report. */
import type { Operation, Schema } from '../../read/config/config-model.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import type { ValueType } from '../types/value-type.js';

export interface KnownValues {
  /** The value of each part of a response's schema. */
  built(operation: Operation): ReadonlyMap<Schema, ValueType>;
  /** What a mapping assigns to a field of its model. */
  mapped(operation: Operation, value: Expression): ValueType | undefined;
  /**
   * The type with which these operations pass a parameter of the request to their databases; undefined if there is none, or more than one.
   */
  parameter(operations: readonly Operation[], name: string): ValueType | undefined;
  /** The same of a field of the body. */
  body(operations: readonly Operation[], path: Path): ValueType | undefined;
}

const nothingBuilt: ReadonlyMap<Schema, ValueType> = new Map();

/** Where nothing is known. */
export const noValues: KnownValues = {
  built: () => nothingBuilt,
  mapped: () => undefined,
  parameter: () => undefined,
  body: () => undefined,
};
