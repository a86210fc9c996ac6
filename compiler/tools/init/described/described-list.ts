/** The operation that lists rows of a table: filters, paging, and the object around the list. */
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import { columnTypeOf, snakeCase } from './described-column.js';
import { pagingOf } from './described-paging.js';
import { onlyType, successOf, type ListShape } from './described-shape.js';
import {
  pathConditions,
  selectList,
  stepOf,
  type TableEndpoint,
  type TableOperation,
} from './described-steps.js';
import { onlyResponse } from '../operation-entry.js';

type Json = Readonly<Record<string, unknown>>;

/** Undefined if a field is not in the table, a parameter cannot be used, or the response requires what is not known. */
export function listOperation(target: TableEndpoint, list: ListShape): TableOperation | undefined {
  const { endpoint, table, words, dialect } = target;
  const select = selectList(target, list.item);
  if (select === undefined) return undefined;
  const paging = pagingOf(endpoint, dialect, words);
  const where = pathConditions(target);
  for (const { name, schema, required, in: place } of endpoint.parameters) {
    if (place !== 'query' || paging.names.includes(name)) continue;
    const filter = schema && filterBy(name, schema, required, target);
    // A list without a filter that a client asks for would be wrong.
    if (filter === undefined) return undefined;
    where.push(filter);
  }
  const condition = where.length === 0 ? [] : [`WHERE ${where.join('\n  AND ')}`];
  const order = table.key ?? [...table.columns.values()].find(({ type }) => type.isScalar);
  const lines = [`SELECT ${select}`, `FROM ${table.quoted}`, ...condition];
  if (order !== undefined) lines.push(`ORDER BY ${order.quoted}`);
  const query = paging.page(lines);
  const around = responseAround(list, target, condition);
  if (around === undefined) return undefined;
  return {
    kind: 'list',
    operation: {
      fulfillments: [stepOf(target, 'page', 'READ', query), ...around.steps],
      responses: onlyResponse(successOf(endpoint).status, around.schema),
    },
    comments: [
      ...around.comments,
      ...(paging.names.length === 0 ? ['The description has no paging: at most 1000 rows are listed.'] : []),
    ],
  };
}

/** The object around a list. */
interface ResponseAround {
  readonly schema: unknown;
  /** The steps that its other fields need. */
  readonly steps: readonly Json[];
  readonly comments: readonly string[];
}

/** Undefined if the object requires what is not known. */
function responseAround(
  { field, around }: ListShape,
  target: TableEndpoint,
  condition: readonly string[],
): ResponseAround | undefined {
  const { table, words } = target;
  if (field === undefined || around === undefined)
    return { schema: words.rows('page'), steps: [], comments: [] };
  const fields: [string, unknown][] = [];
  const steps: Json[] = [];
  const comments: string[] = [];
  for (const [name, schema] of around.properties) {
    if (name === field) fields.push([name, words.rows('page')]);
    else if (
      /^total(?:_?(?:count|items|elements|records|results|rows))?$|^count$/i.test(name) &&
      isNumber(schema)
    ) {
      const count = [`SELECT count(*) AS total FROM ${table.quoted}`, ...condition].join('\n');
      steps.push(stepOf(target, 'count', 'READ', count));
      fields.push([name, words.field('count', 'total')]);
      if (steps.length > 1) return undefined;
    } else if (around.required.has(name)) return undefined;
    else comments.push(`'${name}' of the response is left out.`);
  }
  return { schema: Object.fromEntries(fields), steps, comments };
}

/** The condition for a query parameter that is named like a column. */
function filterBy(
  name: string,
  schema: ApiSchema,
  isRequired: boolean,
  { table, words, dialect }: TableEndpoint,
): string | undefined {
  const wished = snakeCase(name);
  const isMany = onlyType(schema) === 'array';
  const column = [...table.columns.values()].find(
    (one) => one.name === wished || (isMany && `${one.name}s` === wished),
  );
  if (column === undefined) return undefined;
  const value = `:[${words.param(name)}]`;
  const isPostgres = dialect === 'postgresql';
  const cast = (type: string): string => (isPostgres ? `${value}::${type}` : value);
  const unlessSet = (type: string, condition: string): string =>
    isRequired ? condition : `(${cast(type)} IS NULL OR ${condition})`;
  if (isMany) {
    if (!isPostgres || schema.items === undefined) return undefined;
    const { base, isArray, isScalar } = column.type;
    if (isArray) return unlessSet(base, `${column.quoted} && ${cast(base)}`);
    return isScalar ? unlessSet(`${base}[]`, `${column.quoted} = ANY (${cast(`${base}[]`)})`) : undefined;
  }
  const own = columnTypeOf(schema, dialect);
  if (!own.isScalar || !column.type.isScalar || onlyType(column.schema) !== onlyType(schema))
    return undefined;
  return unlessSet(column.type.base, `${column.quoted} = ${cast(column.type.base)}`);
}

function isNumber(schema: ApiSchema): boolean {
  return ['integer', 'number'].includes(onlyType(schema) ?? '');
}
