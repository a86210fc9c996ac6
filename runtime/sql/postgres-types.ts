/** How PostgreSQL's column types become JSON values (decisions 2). */
import type { Client } from 'pg';
import { parseJson } from '../parse-json.js';
import { decimalValue, floatValue, integerValue, momentValue, timestampValue } from './column-values.js';
import { parseArray } from './postgres-array.js';
import type { Column, Decode } from './rows.js';

const asText: Decode<string> = (text) => text;

/** Decoders by the type's fixed number (OID); whatever has none is looked up, and stays text unless it is an array. */
const builtIn: readonly (readonly [Decode<string>, readonly number[]])[] = [
  [(text) => text === 't', [16]],
  [byteaValue, [17]],
  // int8, int2, int4, oid
  [integerValue, [20, 21, 23, 26]],
  // real, double precision
  [floatValue, [700, 701]],
  [decimalValue, [1700]],
  // json, jsonb
  [(text) => parseJson(text), [114, 3802]],
  [timestampValue, [1114]],
  [momentValue, [1184]],
  // text, varchar, char(n), "char", name, unknown, uuid, date, time, timetz, interval, bit, varbit, inet, void
  [asText, [25, 1043, 1042, 18, 19, 705, 2950, 1082, 1083, 1266, 1186, 1560, 1562, 869, 2278]],
];

const lookUp = `
  SELECT t.typcategory::text, t.typbasetype::text, t.typelem::text, e.typdelim::text
  FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
  WHERE t.oid = $1::oid`;

/** The decoders of one database; types that users made are looked up in it, each once. */
export class PostgresTypes {
  private readonly known = new Map(
    builtIn.flatMap(([decode, types]) => types.map((type) => [type, decode] as const)),
  );

  /** The decoders of the columns; undefined where one of them has to be looked up. */
  knownDecoders(columns: readonly Column<number>[]): Decode<string>[] | undefined {
    const decoders = columns.map(({ type }) => this.known.get(type));
    return decoders.every((decode) => decode !== undefined) ? decoders : undefined;
  }

  /** The decoders of the columns. Throws the driver's error when a look-up fails. */
  async decoders(columns: readonly Column<number>[], connection: Client): Promise<Decode<string>[]> {
    const decoders: Decode<string>[] = [];
    // One after the other: a connection takes one statement at a time.
    for (const { type } of columns) decoders.push(await this.decoder(type, connection));
    return decoders;
  }

  private async decoder(type: number, connection: Client): Promise<Decode<string>> {
    const known = this.known.get(type);
    if (known !== undefined) return known;
    const { rows } = await connection.query<string[]>({
      text: lookUp,
      values: [String(type)],
      rowMode: 'array',
    });
    const [category = '', base = '0', element = '0', delimiter = ','] = rows[0] ?? [];
    const decode = await this.derived(category, Number(base), Number(element), delimiter, connection);
    this.known.set(type, decode);
    return decode;
  }

  /** A domain is read like its base type, an array by its element type; everything else is its text. */
  private async derived(
    category: string,
    base: number,
    element: number,
    delimiter: string,
    connection: Client,
  ): Promise<Decode<string>> {
    if (base !== 0) return this.decoder(base, connection);
    if (category !== 'A') return asText;
    const decode = await this.decoder(element, connection);
    return (text) => parseArray(text, delimiter, decode);
  }
}

/** Base64 of bytes that are written in hexadecimal (`\x…`) or, on old settings, with escapes. */
function byteaValue(text: string): string {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex').toString('base64');
  const bytes = text.replaceAll(/\\(\\|[0-7]{3})/g, (_, escaped: string) =>
    escaped === '\\' ? '\\' : String.fromCharCode(parseInt(escaped, 8)),
  );
  return Buffer.from(bytes, 'latin1').toString('base64');
}
