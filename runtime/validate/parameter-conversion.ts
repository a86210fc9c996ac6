/** Parameters: converts the strings of a request to values of the declared type. */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import { Required, type Schema, type TextField } from './schema.js';

/** The notation of a parameter, and its default. */
export interface ParameterOptions {
  readonly required?: boolean;
  readonly default?: Json;
  /** The separator of a list in one string. */
  readonly separator?: string;
  /** Whether the string is JSON. */
  readonly json?: boolean;
  /** Whether the fields of an object are parameters of their own: `filter[state]=open`. */
  readonly fields?: boolean;
}

/** One declared parameter. */
export class Parameter {
  constructor(
    readonly schema: Schema,
    readonly options: ParameterOptions = {},
  ) {}

  /** Converts its strings, in the order of the request. A string that is not a value of the type is unchanged. */
  valueOf(texts: readonly string[]): Json {
    const { separator, json } = this.options;
    if (json === true) return jsonOf(texts);
    if (separator === undefined) return this.schema.fromTexts(texts);
    const elements = texts.flatMap((text) => (text === '' ? [] : text.split(separator)));
    return this.schema.fromTexts(elements);
  }

  /** The value of a parameter whose fields are parameters of their own; undefined if there is none. */
  valueOfFields(name: string, all: ReadonlyMap<string, Json>): Json | undefined {
    const fields = [...all].flatMap(([key, value]): TextField[] =>
      key.startsWith(`${name}[`) && key.endsWith(']')
        ? [[key.slice(name.length + 1, -1), textsOf(value)]]
        : [],
    );
    return fields.length === 0 ? undefined : this.schema.fromFields(fields);
  }
}

/** A schema alone is a parameter without options. */
export type ParameterLike = Schema | Required | Parameter;

export function parameterOf(raw: ParameterLike): Parameter {
  if (raw instanceof Parameter) return raw;
  return raw instanceof Required ? new Parameter(raw.schema, { required: true }) : new Parameter(raw);
}

/** The strings of a query parameter. */
export function textsOf(value: Json): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

function jsonOf(texts: readonly string[]): Json {
  const [first = ''] = texts;
  try {
    return texts.length === 1 ? parseJson(first, deepest) : [...texts];
  } catch {
    return first;
  }
}

const deepest = 64;

/** A parameter with another notation than the usual one, or with a default. */
export function parameter(schema: Schema, options: ParameterOptions): Parameter {
  return new Parameter(schema, options);
}
