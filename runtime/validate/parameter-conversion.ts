/** Converts the strings of request parameters to values of the declared types. */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import { Required, type Schema } from './schema.js';

/** The notation of a parameter, and its default. */
export interface ParameterOptions {
  readonly required?: boolean;
  readonly default?: Json;
  /** The separator of list elements in a single string. */
  readonly separator?: string;
  /** Whether the string contains JSON. */
  readonly json?: boolean;
}

/** A declared parameter. */
export class Parameter {
  constructor(
    readonly schema: Schema,
    readonly options: ParameterOptions = {},
  ) {}

  /** Converts the strings of the parameter, in request order. Strings that are not values of the type are not changed. */
  valueOf(texts: readonly string[]): Json {
    const { separator, json } = this.options;
    if (json === true) return jsonOf(texts);
    if (separator === undefined) return this.schema.fromTexts(texts);
    const elements = texts.flatMap((text) => (text === '' ? [] : text.split(separator)));
    return this.schema.fromTexts(elements);
  }
}

/** A schema without options also declares a parameter. */
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

/** A parameter with a non-default notation, or with a default value. */
export function parameter(schema: Schema, options: ParameterOptions): Parameter {
  return new Parameter(schema, options);
}
