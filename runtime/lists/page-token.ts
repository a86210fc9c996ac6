/** The token of the next page: the order, and the values of the last row in the order columns. */
import type { Json, Row } from '../handler/json.js';
import type { OrderColumn } from './ordered-sql.js';

/** A column value. Numbers that do not fit in a double, dates, and bytes, for example, are strings. */
export type TokenValue = string | number | boolean | null;

/** Maximum characters of a token. Servers and proxies limit the length of URLs to little more. */
const maxLength = 6_000;

/**
 * Creates a token. `order` identifies the order. Throws an Error for values that a token cannot contain: an object or array, a NULL in
 * a column that does not allow it, or a string that is too long.
 */
export function writeToken(order: string, columns: readonly OrderColumn[], row: Row): string {
  const values = columns.map(({ column, nulls }) => {
    const value = ordered(row[column])?.ordered ?? row[column];
    if (value === undefined) throw new Error(`The rows have no column '${column}'.`);
    if (!isValue(value))
      throw new Error(`Rows cannot be ordered in pages by '${column}', which is not a scalar.`);
    if (value === null && nulls === undefined)
      throw new Error(`'${column}' is null in a row, and is a column of the key.`);
    return value;
  });
  const token = Buffer.from(JSON.stringify([order, ...values])).toString('base64url');
  if (token.length > maxLength)
    throw new Error(
      `The values of ${columns.map(({ column }) => `'${column}'`).join(', ')} are too long for a token.`,
    );
  return token;
}

/** A database value that JSON cannot represent, such as NaN, with the value shown instead: null. */
export function ordered(
  value: Json | undefined,
): { readonly ordered: TokenValue; readonly shown: Json } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { ordered, shown } = value;
  return ordered !== undefined && isValue(ordered) && shown !== undefined ? { ordered, shown } : undefined;
}

/** The values in a token; undefined for a damaged token, or a token of another order. */
export function readToken(
  token: string,
  order: string,
  columns: readonly OrderColumn[],
): readonly TokenValue[] | undefined {
  if (token.length > maxLength || !/^[\w-]+$/.test(token)) return undefined;
  const written = parsed(Buffer.from(token, 'base64url').toString());
  if (!Array.isArray(written)) return undefined;
  const [own, ...values] = written as Json[];
  if (own !== order || values.length !== columns.length || !values.every(isValue)) return undefined;
  const isWhole = columns.every(({ nulls }, index) => values[index] !== null || nulls !== undefined);
  return isWhole ? values : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Rejects `1e999`, which is parsed as Infinity. */
function isValue(value: Json): value is TokenValue {
  return typeof value === 'number' ? Number.isFinite(value) : value === null || typeof value !== 'object';
}
