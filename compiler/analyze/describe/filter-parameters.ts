/** Query parameters by which requests filter lists. */
import { maxValues, type FilterType } from '../../../runtime/lists/filter-types.js';
import type { DataFulfillment, FilterName, Operation } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import type { JsonMap } from '../../read/json.js';

export interface FilterParameters {
  readonly parameters: readonly JsonMap[];
  /** The parameters that contain filters, which are described by the parts that clients send. */
  readonly sources: ReadonlySet<string>;
}

/** The type of the values of a name; undefined if unknown. */
export type TypeOfFilter = (fulfillment: DataFulfillment, name: FilterName) => FilterType | undefined;

/** The query parameters that the filters of the operation, and of the operations that it calls, read. */
export function filterParameters(
  operation: Operation,
  called: readonly Operation[],
  typeOf: TypeOfFilter,
): FilterParameters {
  const found = new Map<string, JsonMap>();
  const sources = new Set<string>();
  for (const one of [operation, ...called])
    for (const { fulfillment } of allFulfillments(one.fulfillments)) {
      if (!('filter' in fulfillment) || fulfillment.filter?.from === undefined) continue;
      const { from, allow } = fulfillment.filter;
      const source = sourceOf(from, one === operation);
      if (source === undefined) continue;
      if (source !== '') sources.add(source);
      for (const name of allow) {
        const written = source === '' ? name.name.value : `${source}[${name.name.value}]`;
        for (const parameter of ofName(written, name, typeOf(fulfillment, name)))
          if (!found.has(String(parameter['name']))) found.set(String(parameter['name']), parameter);
      }
    }
  return { parameters: [...found.values()], sources };
}

/** The parameter with the filter: empty for the whole query, undefined for anything else. */
function sourceOf(from: Expression, isOwn: boolean): string | undefined {
  if (from.kind === 'query-map') return '';
  if (from.kind === 'sent' && from.place === 'query') return from.name;
  return isOwn && from.kind === 'param' && from.path.length === 0 ? from.name : undefined;
}

function ofName(
  written: string,
  { operators, isPlain, separator }: FilterName,
  type: FilterType | undefined,
): readonly JsonMap[] {
  const value = type === undefined ? {} : schemas[type];
  const list = { type: 'array', items: value, maxItems: maxValues };
  const hasList = operators.includes('in');
  const one = (name: string, schema: JsonMap, more: JsonMap = {}): JsonMap => ({
    ...{ name, in: 'query', ...more },
    schema,
  });
  const inList = separator === undefined ? one(written, list) : one(written, ...separated(separator, list));
  if (isPlain)
    return operators.map((operator) =>
      operator === 'in' ? inList : one(written, schemaOf(operator, value)),
    );
  const whole = hasList ? [inList] : operators.includes('eq') ? [one(written, value)] : [];
  const others = operators.filter((operator) => operator !== 'eq' && operator !== 'in');
  return [...whole, ...others.map((operator) => one(`${written}[${operator}]`, schemaOf(operator, value)))];
}

/** The styles of OpenAPI for values in one string; other separators are described in words. */
function separated(separator: string, list: JsonMap): [schema: JsonMap, more: JsonMap] {
  if (separator === ',') return [list, { explode: false }];
  if (separator === '|') return [list, { style: 'pipeDelimited', explode: false }];
  return [{ type: 'string' }, { description: `Values separated by ${JSON.stringify(separator)}.` }];
}

function schemaOf(operator: FilterName['operators'][number], value: JsonMap): JsonMap {
  if (operator === 'null') return { type: 'boolean' };
  return operator === 'contains' || operator === 'startsWith' ? { type: 'string' } : value;
}

const schemas: Readonly<Record<FilterType, JsonMap>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  timestamp: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] },
  uuid: { type: 'string', format: 'uuid' },
};
