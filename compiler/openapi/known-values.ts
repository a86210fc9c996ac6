/** What a description that is generated says of values: what their types and the databases tell. */
import type { Operation, Schema } from '../config/config-model.js';
import type { Expression, Path } from '../expression/ast.js';
import type { ValueType } from '../types/value-type.js';

export interface KnownValues {
  /** What each part of a response's schema gives. */
  built(operation: Operation): ReadonlyMap<Schema, ValueType>;
  /** What a mapping gives to a field of its model. */
  mapped(operation: Operation, value: Expression): ValueType | undefined;
  /** What these operations give a parameter of the request to their databases as; undefined where that is nothing, or not one type. */
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
