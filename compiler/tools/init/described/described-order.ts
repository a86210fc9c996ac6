/** Query parameters of an API description that choose the order of a list: `sort=-created`, `sort=name&direction=asc`. */
import type { ApiEndpoint, ApiParameter } from '../../../read/openapi/api-model.js';
import { joined, type Written } from '../../../notation/written.js';
import { snakeCase } from './described-column.js';
import { sql } from '../../../notation/sql-writer.js';
import { onlyType, type ObjectShape } from './described-shape.js';
import type { TableEndpoint } from './described-steps.js';
import type { DescribedColumn, DescribedTable } from './described-table.js';

/** An order that requests can choose. */
export interface DescribedOrder {
  /** The value of `by` for this order. */
  readonly name: string;
  /** The field to sort by, and its column. */
  readonly field: string;
  readonly column: DescribedColumn;
  readonly descending: boolean;
  /** The SQL condition that a request chooses this order. */
  readonly asked: Written<'sql'>;
}

export interface Sorting {
  /** The parameters that are used. */
  readonly names: readonly string[];
  /** An expression for the name of the requested order; undefined if there is only one order. */
  readonly by: Written<'expression'> | undefined;
  /** The first order is the default. */
  readonly orders: readonly DescribedOrder[];
}

const sortName = /^(?:sort|order|ordering|(?:sort|order)[-_]?(?:by|key|field|column))$/i;
const directionName = /^(?:dir|direction|order|sort|(?:sort|order)[-_]?(?:dir|direction|order))$/i;

/** Whether the parameter chooses an order, judging by its name. */
export function isOrderParameter({ name }: ApiParameter): boolean {
  return sortName.test(name) || directionName.test(name);
}

/** Undefined if a parameter value does not correspond to a field. */
export function sortingOf(target: TableEndpoint, item: ObjectShape): Sorting | undefined {
  const { endpoint, table, words, dialect } = target;
  const direction = directionOf(endpoint, table);
  const sort = sortOf(endpoint, table, direction);
  if (direction === undefined && sort === undefined) return { names: [], by: undefined, orders: [] };
  const fields = sort === undefined ? [oldest(item, table)] : valuesOf(sort);
  const first = (parameter: ApiParameter, values: readonly string[]): string => {
    const { default: usual } = parameter.schema ?? {};
    return typeof usual === 'string' && values.includes(usual) ? usual : (values[0] ?? '');
  };
  const value = (parameter: ApiParameter, values: readonly string[]) => {
    const usual = first(parameter, values);
    const isThere = parameter.required || parameter.schema?.default !== undefined;
    const param = words.param(parameter.name);
    return {
      usual,
      expression: isThere ? param : words.coalesce(param, words.text(usual)),
      is: (text: string) =>
        sql`${isThere ? words.inSql(param) : sql`coalesce(${words.inSql(param)}, ${words.sqlText(usual, dialect)})`} = ${words.sqlText(text, dialect)}`,
    };
  };
  const ways = direction === undefined ? [undefined] : valuesOf(direction);
  const sorted =
    sort &&
    value(
      sort,
      fields.filter((field) => field !== undefined),
    );
  const directed = direction && value(direction, valuesOf(direction));
  const orders = fields.flatMap((field) =>
    ways.map((way): DescribedOrder | undefined => {
      const found = field === undefined ? undefined : orderBy(field, item, table);
      if (field === undefined || found === undefined) return undefined;
      const asked = [sorted?.is(field), way === undefined ? undefined : directed?.is(way)];
      return {
        ...found,
        name: [...(sort === undefined ? [] : [field]), ...(way === undefined ? [] : [way])].join(' '),
        descending: found.descending !== (way !== undefined && /^desc/i.test(way)),
        asked: joined(
          asked.filter((part) => part !== undefined),
          ' AND ',
        ),
      };
    }),
  );
  const known = orders.filter((order) => order !== undefined);
  if (known.length < orders.length) return undefined;
  const parts = [sorted, directed].filter((part) => part !== undefined);
  const usual = parts.map((one) => one.usual).join(' ');
  const names = [sort, direction].filter((one) => one !== undefined).map(({ name }) => name);
  const by =
    sort !== undefined && direction !== undefined
      ? words.concat(
          ...parts.flatMap(({ expression }, at) => [...(at === 0 ? [] : [words.text(' ')]), expression]),
        )
      : words.param(names[0] ?? '');
  return {
    names,
    by,
    orders: [...known].sort((a, b) => Number(b.name === usual) - Number(a.name === usual)),
  };
}

/** The parameter whose values are directions. */
function directionOf(endpoint: ApiEndpoint, table: DescribedTable): ApiParameter | undefined {
  return ofQuery(endpoint, directionName, table).find((one) =>
    valuesOf(one).every((value) => /^(?:asc|desc)(?:ending)?$/i.test(value)),
  );
}

/** The parameter whose values are fields. */
function sortOf(
  endpoint: ApiEndpoint,
  table: DescribedTable,
  direction: ApiParameter | undefined,
): ApiParameter | undefined {
  return ofQuery(endpoint, sortName, table).find((one) => one !== direction);
}

/** Matching parameters with a list of values; a parameter named like a column is a filter instead. */
function ofQuery({ parameters }: ApiEndpoint, name: RegExp, { columns }: DescribedTable): ApiParameter[] {
  const isColumn = (parameter: ApiParameter): boolean =>
    [...columns.values()].some((column) => column.name === snakeCase(parameter.name));
  return parameters.filter(
    (one) => one.in === 'query' && name.test(one.name) && valuesOf(one).length > 0 && !isColumn(one),
  );
}

function valuesOf({ schema }: ApiParameter): readonly string[] {
  const values = schema?.enum ?? [];
  const texts = values.filter((value) => typeof value === 'string');
  return schema !== undefined && onlyType(schema) === 'string' && texts.length === values.length ? texts : [];
}

/** Parses `-name`, `name_desc`, `name:asc` and `newest`; `created` means the field `created_at` if there is no `created`. */
function orderBy(
  value: string,
  item: ObjectShape,
  table: DescribedTable,
): Pick<DescribedOrder, 'field' | 'column' | 'descending'> | undefined {
  const time = /^(?:newest|latest|recent|oldest)$/i.test(value) ? oldest(item, table) : undefined;
  if (time !== undefined) return sortedBy(time, value.toLowerCase() !== 'oldest', item, table);
  const [, sign, written = ''] = /^([-+]?)(.*)$/s.exec(value) ?? [];
  const wished = snakeCase(written);
  const whole = sortedBy(wished, sign === '-', item, table);
  if (whole !== undefined || sign !== '') return whole;
  const [, field, way] = /^(.+)_(asc|desc)(?:ending)?$/.exec(wished) ?? [];
  return field === undefined ? undefined : sortedBy(field, way === 'desc', item, table);
}

function sortedBy(
  wished: string,
  descending: boolean,
  item: ObjectShape,
  table: DescribedTable,
): Pick<DescribedOrder, 'field' | 'column' | 'descending'> | undefined {
  const fields = sortable(item, table);
  const found =
    fields.find(({ column }) => column.name === wished) ??
    fields.find(({ column }) =>
      new RegExp(`^(?:${wished}_(?:at|on|date|time)|date_${wished})$`).test(column.name),
    );
  return found && { ...found, descending };
}

/** The field with the creation time, or else the key. */
function oldest(item: ObjectShape, table: DescribedTable): string | undefined {
  const fields = sortable(item, table);
  const times = fields.filter(({ column }) => /^date/.test(column.schema.format ?? ''));
  const found =
    times.find(({ column }) => /creat|publish|add/.test(column.name)) ??
    times[0] ??
    fields.find(({ column }) => column === table.key);
  return found?.column.name;
}

/** Fields of the rows that can be sorted by. */
function sortable(
  { properties }: ObjectShape,
  { columns }: DescribedTable,
): readonly { readonly field: string; readonly column: DescribedColumn }[] {
  return [...properties].flatMap(([field, schema]) => {
    const column = columns.get(field);
    const isShown = schema.writeOnly !== true && column?.type.isScalar === true;
    return isShown && !/^(?:bytea|longblob)$/.test(column.type.base) ? [{ field, column }] : [];
  });
}
