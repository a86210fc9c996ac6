/** The operation that lists rows of a table: filters, order, paging, and the object around the list. */
import { sql } from '../../../notation/sql-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { columnTypeOf, snakeCase } from './described-column.js';
import { cursorOf, isMore, isNext, keyField, orderedStep } from './described-keyset.js';
import { sortingOf, type Sorting } from './described-order.js';
import { pagingOf, type Paging } from './described-paging.js';
import {
  isNullable,
  objectShape,
  onlyType,
  successOf,
  type ListShape,
  type ObjectShape,
} from './described-shape.js';
import {
  pathConditions,
  selectedNames,
  selectList,
  stepOf,
  type TableEndpoint,
  type TableOperation,
} from './described-steps.js';
import { onlyResponse } from '../operation-entry.js';

type Json = Readonly<Record<string, unknown>>;

/** Undefined if a field is not in the table, a parameter cannot be used, or the response requires unknown values. */
export function listOperation(target: TableEndpoint, list: ListShape): TableOperation | undefined {
  const { endpoint, table, words, dialect } = target;
  const select = selectList(target, list.item);
  if (select === undefined) return undefined;
  const paging = pagingOf(endpoint, dialect, words);
  const sorting = sortingOf(target, list.item);
  const cursor = cursorOf(target, list);
  // Continuing after a key requires key order.
  if (sorting === undefined || (cursor?.behindKey !== undefined && sorting.orders.length > 0))
    return undefined;
  const used = [...paging.names, ...sorting.names, ...(cursor === undefined ? [] : [cursor.name])];
  const where = pathConditions(target);
  for (const { name, schema, required, in: place } of endpoint.parameters) {
    if (place !== 'query' || used.includes(name)) continue;
    const filter = schema && filterBy(name, schema, required, target);
    // A list that ignored a requested filter would be wrong.
    if (filter === undefined) return undefined;
    where.push(filter);
  }
  const lines = [sql`SELECT ${select}`, sql`FROM ${table.quoted}`];
  const key = keyField(target, list.item);
  const isOrdered = cursor !== undefined || (sorting.orders.length > 0 && !paging.isNumbered);
  const isPaged = isOrdered && key !== undefined;
  if (cursor !== undefined && paging.isNumbered) return undefined;
  const step = isPaged
    ? orderedStep(
        target,
        joined(
          [
            ...lines,
            ...conditionOf([...where, ...(cursor?.behindKey === undefined ? [] : [cursor.behindKey])]),
            sql``,
          ],
          '\n',
        ),
        key,
        sorting,
        paging,
        cursor,
      )
    : stepOf(
        target,
        'page',
        'READ',
        paging.page(
          [...lines, ...conditionOf(where), ...orderOf(target, sorting)],
          selectedNames(list.item, dialect),
        ),
      );
  const around = responseAround(list, target, { paging, isPaged, condition: conditionOf(where) });
  if (around === undefined) return undefined;
  const isAll = paging.limit === undefined && cursor === undefined;
  return {
    kind: 'list',
    operation: {
      fulfillments: [step, ...around.steps],
      responses: onlyResponse(successOf(endpoint).status, around.schema),
    },
    comments: [
      ...around.comments,
      ...(isAll && !paging.isNumbered
        ? ['The description has no paging: at most 1000 rows are listed.']
        : []),
    ],
  };
}

function conditionOf(where: readonly Written<'sql'>[]): readonly Written<'sql'>[] {
  return where.length === 0 ? [] : [sql`WHERE ${joined(where, '\n  AND ')}`];
}

/** The order for pages by offset: the requested order, then the key. */
function orderOf({ table }: TableEndpoint, { orders }: Sorting): Written<'sql'>[] {
  const last = table.key ?? [...table.columns.values()].find(({ type }) => type.isScalar);
  const asked = orders.map(
    ({ asked, column, descending }) =>
      sql`CASE WHEN ${asked} THEN ${column.quoted} END${descending ? sql` DESC` : sql``}`,
  );
  const all = [...asked, ...(last === undefined ? [] : [last.quoted])];
  return all.length === 0 ? [] : [sql`ORDER BY ${joined(all, ',\n  ')}`];
}

/** The object around a list. */
interface ResponseAround {
  readonly schema: unknown;
  /** Steps needed for the other fields of the object. */
  readonly steps: readonly Json[];
  readonly comments: readonly string[];
}

/** How a page of the list is read. */
interface ReadPage {
  readonly paging: Paging;
  /** Whether the step has `page`, so that a next-page token exists. */
  readonly isPaged: boolean;
  readonly condition: readonly Written<'sql'>[];
}

/** Undefined if the object requires unknown values. */
function responseAround(
  { field, around }: ListShape,
  target: TableEndpoint,
  read: ReadPage,
): ResponseAround | undefined {
  if (field === undefined || around === undefined)
    return { schema: target.words.rows('page'), steps: [], comments: [] };
  const writer = new AroundWriter(field, target, read);
  const schema = writer.object(around, '');
  return schema && { schema, steps: writer.steps.slice(0, 1), comments: writer.comments };
}

class AroundWriter {
  readonly steps: Json[] = [];
  readonly comments: string[] = [];

  constructor(
    private readonly list: string,
    private readonly target: TableEndpoint,
    private readonly read: ReadPage,
  ) {}

  /** `path`: names of the enclosing fields. Undefined if the object requires unknown values. */
  object(shape: ObjectShape, path: string): Json | undefined {
    const fields: [string, unknown][] = [];
    for (const [name, schema] of shape.properties) {
      const isList = path === '' && name === this.list;
      const inner = path === '' && !isList ? objectShape(schema) : undefined;
      const value = isList
        ? this.target.words.rows('page')
        : inner === undefined
          ? this.#field(name, schema)
          : this.object(inner, `${name}.`);
      if (value !== undefined) fields.push([name, value]);
      else if (shape.required.has(name)) return undefined;
      else this.comments.push(`'${path}${name}' of the response is left out.`);
    }
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }

  #field(name: string, schema: ApiSchema): unknown {
    const { words, table, endpoint } = this.target;
    const { paging, isPaged, condition } = this.read;
    if (isPaged && isNext(name, schema))
      return isNullable(schema) ? words.next('page') : words.coalesce(words.next('page'), words.text(''));
    if (isPaged && isMore(name, schema)) return words.isNotNull(words.next('page'));
    if (
      /^total(?:_?(?:count|size|items|elements|records|results|rows))?$|^count$/i.test(name) &&
      isNumber(schema)
    ) {
      const count = [sql`SELECT count(*) AS total FROM ${table.quoted}`, ...condition];
      this.steps.push(stepOf(this.target, 'count', 'READ', joined(count, '\n')));
      return words.field('count', 'total');
    }
    const [only, ...others] = schema.enum ?? [];
    if (typeof only === 'string' && others.length === 0) return words.text(only);
    const echoed = echoOf(name, endpoint, paging);
    return echoed === undefined || !isNumber(schema) ? undefined : words.param(echoed);
  }
}

/** The paging parameter whose requested value is returned in a field. */
function echoOf(name: string, { parameters }: ApiEndpoint, { names }: Paging): string | undefined {
  const found = parameters.find((one) => one.name === name && one.in === 'query' && names.includes(name));
  return found !== undefined && (found.required || found.schema?.default !== undefined)
    ? found.name
    : undefined;
}

/** The condition for a query parameter named like a column. */
function filterBy(
  name: string,
  schema: ApiSchema,
  isRequired: boolean,
  { table, words, dialect }: TableEndpoint,
): Written<'sql'> | undefined {
  const wished = snakeCase(name.replace(/^filter\[(.+)\]$/, '$1'));
  const isMany = onlyType(schema) === 'array';
  const column = [...table.columns.values()].find(
    (one) => one.name === wished || (isMany && `${one.name}s` === wished),
  );
  if (column === undefined) return undefined;
  const value = words.inSql(words.param(name));
  const isPostgres = dialect === 'postgresql';
  const cast = (type: string): Written<'sql'> => (isPostgres ? sql`${value}::${sql.plain(type)}` : value);
  const unlessSet = (type: string, condition: Written<'sql'>): Written<'sql'> =>
    isRequired ? condition : sql`(${cast(type)} IS NULL OR ${condition})`;
  if (isMany) {
    if (!isPostgres || schema.items === undefined) return undefined;
    const { base, isArray, isScalar } = column.type;
    if (isArray) return unlessSet(base, sql`${column.quoted} && ${cast(base)}`);
    return isScalar ? unlessSet(`${base}[]`, sql`${column.quoted} = ANY (${cast(`${base}[]`)})`) : undefined;
  }
  const own = columnTypeOf(schema, dialect);
  if (!own.isScalar || !column.type.isScalar || onlyType(column.schema) !== onlyType(schema))
    return undefined;
  return unlessSet(column.type.base, sql`${column.quoted} = ${cast(column.type.base)}`);
}

function isNumber(schema: ApiSchema): boolean {
  return ['integer', 'number'].includes(onlyType(schema) ?? '');
}
