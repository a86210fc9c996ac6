/** Rows that are already serialized as JSON, for a response body or one of its fields. */
import type { Json } from './json.js';

/** JSON as a string if it is short, otherwise as pieces of bytes. */
export type RowsAsJson = string | readonly Buffer[];

/** Represents rows that are only read by the response. */
export class JsonRows {
  constructor(readonly json: RowsAsJson) {}

  /** Throws, because `JSON.stringify` would serialize this object instead of the rows. */
  toJSON(): never {
    throw new Error('rows that are JSON already have no values');
  }
}

/** JsonRows, or the values if the rows must be decoded, are traced, or are read by user code. */
export type JsonRowsOrValues = JsonRows | Json[];

/** A body that may contain serialized rows. Undefined fields are omitted. */
export type BodyWithRows = JsonRowsOrValues | Readonly<Record<string, JsonRows | Json | undefined>>;
