/** Converts between PostgreSQL types and JSON values. */
import type { Client } from 'pg';
import { parseJson } from '../handler/parse-json.js';
import {
  decimalValue,
  floatValue,
  integerValue,
  utcTimestampValue,
  timestampValue,
} from '../sql/column-values.js';
import { arrayEncoder, parseArray, parseDocuments } from './array.js';
import * as encode from './encode.js';
import type { Encoder } from './encode.js';
import type { Column, Decode } from '../sql/rows.js';

/** The decoder and encoder of a type. */
interface Codec {
  readonly decode: Decode<string>;
  readonly encoder: Encoder;
}

/** The decoder for types whose JSON value is the unchanged string. */
export const textValue: Decode<string> = (text) => text;

const anything: Codec = { decode: textValue, encoder: encode.other };
const text: Codec = { decode: textValue, encoder: encode.text };
const integerOf = (bits: 16 | 32 | 64): Codec => ({ decode: integerValue, encoder: encode.integer(bits) });
const textOf = (one: string, many: string): Codec => ({
  decode: textValue,
  encoder: encode.scalar(one, many),
});
const float: Codec = { decode: floatValue, encoder: encode.decimal };
const json: Codec = { decode: (written) => parseJson(written), encoder: encode.json };
const bits = textOf('a string of 0 and 1', 'strings of 0 and 1');

/** Codecs with the OIDs of the type and of its array type, which are the same on every server. */
const builtIn: readonly (readonly [Codec, type: number, array: number])[] = [
  [{ decode: (written) => written === 't', encoder: encode.boolean }, 16, 1000],
  [{ decode: byteaValue, encoder: encode.bytes }, 17, 1001],
  [integerOf(16), 21, 1005],
  [integerOf(32), 23, 1007],
  [integerOf(64), 20, 1016],
  // oid
  [{ decode: integerValue, encoder: encode.scalar('an integer', 'integers') }, 26, 1028],
  // real, double precision
  [float, 700, 1021],
  [float, 701, 1022],
  [{ decode: decimalValue, encoder: encode.decimal }, 1700, 1231],
  [json, 114, 199],
  // jsonb
  [json, 3802, 3807],
  [{ decode: timestampValue, encoder: encode.scalar('a date-time', 'date-times') }, 1114, 1115],
  [{ decode: utcTimestampValue, encoder: encode.scalar('a date-time', 'date-times') }, 1184, 1185],
  [textOf('a date', 'dates'), 1082, 1182],
  [textOf('a time', 'times'), 1083, 1183],
  // time with time zone
  [textOf('a time', 'times'), 1266, 1270],
  [textOf('an interval', 'intervals'), 1186, 1187],
  [{ decode: textValue, encoder: encode.uuid }, 2950, 2951],
  [bits, 1560, 1561],
  // bit varying
  [bits, 1562, 1563],
  [textOf('a network address', 'network addresses'), 869, 1041],
  // text, varchar, char(n), name
  [text, 25, 1009],
  [text, 1043, 1015],
  [text, 1042, 1014],
  [text, 19, 1003],
];

/** Codecs of built-in types by OID. "char", unknown and void do not have usable array types. */
const codecs = new Map<number, Codec>([
  ...builtIn.flatMap(([codec, type, array]): [number, Codec][] => [
    [type, codec],
    [array, arrayOf(codec, ',')],
  ]),
  ...[18, 705, 2278].map((type): [number, Codec] => [type, text]),
]);

/** Array types by element type, for types whose lists have the same meaning as single values: integers, strings, uuid. */
export const listTypes: ReadonlyMap<number, number> = new Map(
  builtIn
    .filter(([, type]) => [20, 21, 23, 25, 2950].includes(type))
    .map(([, type, array]): [number, number] => [type, array]),
);

function arrayOf(codec: Codec, delimiter: string): Codec {
  const { decode, encoder } = codec;
  return {
    decode: (written) =>
      codec === json ? parseDocuments(written, delimiter) : parseArray(written, delimiter, decode),
    encoder: arrayEncoder(encoder, delimiter),
  };
}

const lookUp = `
  SELECT t.typcategory::text, t.typbasetype::text, t.typelem::text, e.typdelim::text
  FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
  WHERE t.oid = $1::oid`;

/** Whether the types have the same meaning on every server. */
export function areBuiltIn(types: readonly number[]): boolean {
  return types.every((type) => codecs.has(type));
}

/**
 * The types known to one connection. User-defined types are looked up for each connection, because another connection can reach a
 * server where their OIDs have other meanings.
 */
export class PostgresTypes {
  private readonly own = new Map<number, Codec>();

  constructor(private readonly connection: Client) {}

  /** The decoders of the columns; undefined if a type must be looked up. */
  knownDecoders(columns: readonly Column<number>[]): Decode<string>[] | undefined {
    return this.known(columns.map(({ type }) => type))?.map(({ decode }) => decode);
  }

  /** The decoders of the columns. Throws the errors of the driver if a look-up fails. */
  async decoders(columns: readonly Column<number>[]): Promise<Decode<string>[]> {
    const decoders: Decode<string>[] = [];
    // One after another, because a connection runs one statement at a time.
    for (const { type } of columns) decoders.push((await this.codec(type)).decode);
    return decoders;
  }

  /** The encoders of the parameters; undefined if a type must be looked up. */
  knownEncoders(types: readonly number[]): Encoder[] | undefined {
    return this.known(types)?.map(({ encoder }) => encoder);
  }

  /** The encoders of the parameters. Throws the errors of the driver if a look-up fails. */
  async encoders(types: readonly number[]): Promise<Encoder[]> {
    const encoders: Encoder[] = [];
    for (const type of types) encoders.push((await this.codec(type)).encoder);
    return encoders;
  }

  private known(types: readonly number[]): Codec[] | undefined {
    const known = types.map((type) => codecs.get(type) ?? this.own.get(type));
    return known.every((codec) => codec !== undefined) ? known : undefined;
  }

  private async codec(type: number): Promise<Codec> {
    const known = codecs.get(type) ?? this.own.get(type);
    if (known !== undefined) return known;
    const { rows } = await this.connection.query<string[]>({
      text: lookUp,
      values: [String(type)],
      rowMode: 'array',
    });
    const [category = '', base = '0', element = '0', delimiter = ','] = rows[0] ?? [];
    const codec = await this.derived(category, Number(base), Number(element), delimiter);
    this.own.set(type, codec);
    return codec;
  }

  /**
   * The codec of a user-defined type: a domain is handled like its base type, an array by its element type, and all other types are
   * strings.
   */
  private async derived(category: string, base: number, element: number, delimiter: string): Promise<Codec> {
    if (base !== 0) return this.codec(base);
    return category === 'A' ? arrayOf(await this.codec(element), delimiter) : anything;
  }
}

/** Converts bytes from hexadecimal (`\x…`) or, with old settings, escape notation to base64. */
function byteaValue(text: string): string {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex').toString('base64');
  const bytes = text.replaceAll(/\\(\\|[0-7]{3})/g, (_, escaped: string) =>
    escaped === '\\' ? '\\' : String.fromCharCode(parseInt(escaped, 8)),
  );
  return Buffer.from(bytes, 'latin1').toString('base64');
}
