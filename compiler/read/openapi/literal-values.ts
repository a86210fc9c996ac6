/** Compares values in an API description (enums, constants and defaults) with their declared types. */
import { isExact, isJsonNumber } from '../../../runtime/handler/decimal.js';
import { compilePattern } from '../../../runtime/validate/pattern.js';
import type { Node, ScalarNode } from '../config/yaml/node.js';
import { jsonValue, scalarValue } from './json-value.js';
import type { ApiSchema, ApiType } from './api-model.js';

/** The declared type of a value. */
export interface Typed {
  readonly types: readonly ApiType[] | undefined;
  /** False for JSON, where numbers are unambiguous. */
  readonly isYaml: boolean;
}

/**
 * The value of a node. If only strings are allowed, an unquoted scalar that YAML reads as a number or boolean becomes the string as
 * written, such as `1.10` in `enum: [1.10]`.
 */
export function typedValue(node: Node, { types, isYaml }: Typed): unknown {
  if (node.kind !== 'scalar' || types === undefined || !isYaml) return jsonValue(node);
  const isMeantAsText = node.style === 'plain' && node.value !== null && types.includes('string');
  return isMeantAsText && !isOf(node, types) ? node.text.value : jsonValue(node);
}

/** Whether the value as written has one of the types. */
export function isOf(node: Node, types: readonly ApiType[]): boolean {
  return types.some((type) => {
    if (type === 'number' && typeOf(node) === 'integer') return true;
    return type === typeOf(node);
  });
}

function typeOf(node: Node): ApiType {
  if (node.kind !== 'scalar') return node.kind === 'list' ? 'array' : 'object';
  const { value } = node;
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}

/** A default, and whether it had to be converted to its type; undefined if invalid. */
export function defaultValue(
  node: Node,
  typed: Typed,
): { readonly value: unknown; readonly isTurned: boolean } | undefined {
  const { types } = typed;
  const value = typedValue(node, typed);
  const isMeant = typeof value === 'string' && types?.includes('string') === true;
  if (types === undefined || value === null || isMeant || isOf(node, types))
    return { value, isTurned: false };
  if (node.kind !== 'scalar') return undefined;
  const turned = turnedValue(node, types);
  return turned === undefined ? undefined : { value: turned, isTurned: true };
}

/** Converts a default like the string of a request parameter. */
function turnedValue(node: ScalarNode, types: readonly ApiType[]): unknown {
  const text = node.text.value;
  const isNumber = types.includes('number') || (types.includes('integer') && /^-?\d+$/.test(text));
  if (isNumber && isJsonNumber(text)) return isExact(text) ? Number(text) : text;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return types.includes('string') ? String(scalarValue(node)) : undefined;
}

/** The reason why the default is not a valid value; undefined if no keyword checked here forbids it. */
export function boundError(value: unknown, schema: ApiSchema): string | undefined {
  const { bounds } = schema;
  const bound = (name: string): number | undefined => {
    const found = bounds.get(name);
    return typeof found === 'number' ? found : undefined;
  };
  if (value !== null && schema.enum?.every((one) => JSON.stringify(one) !== JSON.stringify(value)) === true)
    return noneOf(schema.enum);
  if (typeof value === 'number') {
    if (value < (bound('minimum') ?? value)) return `it is less than the minimum ${bound('minimum') ?? ''}`;
    if (value > (bound('maximum') ?? value)) return `it is more than the maximum ${bound('maximum') ?? ''}`;
  }
  if (typeof value === 'string') {
    const { length } = Array.from(value);
    if (length < (bound('minLength') ?? 0))
      return `it is shorter than ${bound('minLength') ?? ''} characters`;
    if (length > (bound('maxLength') ?? length))
      return `it is longer than ${bound('maxLength') ?? ''} characters`;
    const pattern = bounds.get('pattern');
    if (typeof pattern === 'string' && compilePattern(pattern).test(value) === false)
      return `it does not match the pattern ${pattern}`;
  }
  return undefined;
}

export function noneOf(values: readonly unknown[]): string {
  return `it is not one of ${values
    .slice(0, 6)
    .map((one) => `'${String(one)}'`)
    .join(', ')}`;
}
