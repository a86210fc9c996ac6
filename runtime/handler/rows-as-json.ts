/** Rows that are JSON already: the body of a response, or a field of it. */
import type { Json } from './json.js';

/** JSON in one string if it is short, else its bytes in pieces. */
export type RowsAsJson = string | readonly Buffer[];

/** Represents rows that only the response reads. */
export class JsonRows {
  constructor(readonly json: RowsAsJson) {}

  /** `JSON.stringify` would write this object instead of the rows. */
  toJSON(): never {
    throw new Error('rows that are JSON already have no values');
  }
}

/** JsonRows, or the values themselves if they had to be decoded, are traced, or are read by user code. */
export type JsonRowsOrValues = JsonRows | Json[];

/** A body with such rows. Fields that are undefined are left out. */
export type BodyWithRows = JsonRowsOrValues | Readonly<Record<string, JsonRows | Json | undefined>>;
