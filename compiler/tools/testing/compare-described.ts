/** Compares a response with the API description: its body must be allowed there for its status. */
import { isExact, isJsonNumber } from '../../../runtime/handler/decimal.js';
import { describedKey } from '../../analyze/mapping/described.js';
import { constantProblem, named } from '../../analyze/check/sent-value.js';
import { kindsOf } from '../../analyze/types/described-kinds.js';
import type { Kind } from '../../analyze/types/value-type.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';
import type { ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';
import { isNullable } from '../../read/openapi/schema-part.js';
import type { Finding } from './compare-response.js';
import { shownValue } from './compare-values.js';
import { below } from './json-path.js';
import { spanOf, type TestStep } from './read/test-model.js';
import type { ReceivedResponse } from './send-request.js';

/** Only JSON is described value by value. A status that is not described has no findings: services send errors that descriptions omit. */
export function compareDescribed(
  step: TestStep,
  { status, headers, body }: ReceivedResponse,
  endpoint: ApiEndpoint,
): Finding[] {
  const { response } = step;
  if (response?.isDescribed === false || body === undefined) return [];
  if (!/json/i.test(headers['content-type'] ?? '') || /ndjson/i.test(headers['content-type'] ?? ''))
    return [];
  const schema = endpoint.responses.get(describedKey(String(status), endpoint) ?? '')?.json;
  if (schema === undefined) return [];
  return problemsIn(body, schema, '$').map(({ path, message }) => ({ span: spanOf(step), path, message }));
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** `10.1 contradicts the API description: it is a number, and must be a string` */
function contradiction(value: unknown, path: string, reason: string): Problem {
  return { path, message: `${shownValue(value)} contradicts the API description: ${reason}` };
}

function problemsIn(value: unknown, schema: ApiSchema, path: string): Problem[] {
  if (value === null && (schema.nullable === true || schema.types?.includes('null') === true)) return [];
  if (typeof value !== 'object' || value === null) return problemOfScalar(value as Scalar, schema, path);
  const kind: Kind = Array.isArray(value) ? 'array' : 'object';
  const kinds = kindsOf(schema);
  if (kinds?.has(kind) === false)
    return [contradiction(value, path, `it is ${named([kind])}, and must be ${named([...kinds])}`)];
  const own = isJsonMap(value)
    ? problemsOfObject(value, schema, path)
    : problemsOfArray(value as readonly unknown[], schema, path);
  const ofParts = schema.allOf.flatMap((part) => problemsIn(value, part, path));
  const ofAlternatives = [schema.anyOf, schema.oneOf].flatMap((alternatives) =>
    fewest(alternatives.map((one) => problemsIn(value, one, path))),
  );
  return [...own, ...ofParts, ...ofAlternatives];
}

type Scalar = string | number | boolean | null;

function problemOfScalar(value: Scalar, schema: ApiSchema, path: string): Problem[] {
  // The digits of a number that a double cannot hold are a string.
  const isDigits = typeof value === 'string' && isJsonNumber(value) && !isExact(value);
  if (isDigits && kindsOf(schema)?.has('number') === true) return [];
  if (value === null && isNullable(schema) && schema.allOf.length === 0) return [];
  const problem = constantProblem(value, schema);
  return problem === undefined ? [] : [contradiction(value, path, problem)];
}

function problemsOfArray(
  values: readonly unknown[],
  { items, prefixItems = [] }: ApiSchema,
  path: string,
): Problem[] {
  return values.flatMap((value, index) => {
    const schema = prefixItems[index] ?? items;
    return schema === undefined ? [] : problemsIn(value, schema, below(path, index));
  });
}

function problemsOfObject(value: JsonMap, schema: ApiSchema, path: string): Problem[] {
  const { properties, required, additionalProperties: others, patternProperties } = schema;
  const missing = required
    .filter((name) => !Object.hasOwn(value, name) && properties.get(name)?.writeOnly !== true)
    .map((name) => ({ path: below(path, name), message: 'missing, but the API description requires it' }));
  const ofFields = Object.entries(value).flatMap(([name, field]): Problem[] => {
    const inner = below(path, name);
    const property = properties.get(name) ?? (typeof others === 'object' ? others : undefined);
    if (property !== undefined) return problemsIn(field, property, inner);
    const isRefused = others === false && patternProperties === undefined;
    return isRefused ? [contradiction(field, inner, 'it has no such field')] : [];
  });
  return [...missing, ...ofFields];
}

/** Of the alternative that nearly matches; none if one of them matches. */
function fewest(alternatives: readonly Problem[][]): Problem[] {
  return (
    alternatives.reduce<Problem[] | undefined>(
      (best, one) => (best === undefined || one.length < best.length ? one : best),
      undefined,
    ) ?? []
  );
}
