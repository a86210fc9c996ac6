/** Every value of the language is a JSON value (decisions 2). */

export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [name: string]: Json;
}

/** One entry of a database result: column name to value, in the order of the columns. */
export type Row = JsonObject;
