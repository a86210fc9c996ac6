/** Parameters: converts the strings of a request to values of the declared type. */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import { Required, type Schema } from './schema.js';

/** The notation of a parameter, and its default. */
export interface ParameterOptions {
  readonly required?: boolean;
  readonly default?: Json;
  /** The separator of a list in one string. */
  readonly separator?: string;
  /** Whether the string is JSON. */
  readonly json?: boolean;
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
}

/** A schema alone is a parameter without options. */
export type ParameterLike = Schema | Required | Parameter;

export function parameterOf(raw: ParameterLike): Parameter {
  if (raw instanceof Parameter) return raw;
  return raw instanceof Required ? new Parameter(raw.schema, { required: true }) : new Parameter(raw);
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
