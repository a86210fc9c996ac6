/** Lists of an API description that continue after a row: with a token from the previous page, or with the key of its last row. */
import { sql } from '../../../notation/sql-writer.js';
import type { Written } from '../../../notation/written.js';
import type { ApiEndpoint, ApiParameter, ApiSchema } from '../../../read/openapi/api-model.js';
import { writtenName } from '../../../read/sql/quoted-name.js';
import { onlyType, type ListShape, type ObjectShape } from './described-shape.js';
import { fieldOf, stepOf, type TableEndpoint } from './described-steps.js';
import type { Sorting } from './described-order.js';
import type { Paging } from './described-paging.js';

type Json = Readonly<Record<string, unknown>>;

const cursorName =
  /^(?:(?:starting[-_]?)?after(?:[-_]?cursor)?|(?:next[-_]?)?cursor|(?:page|next|next[-_]?page|continuation)[-_]?token|page\[(?:after|cursor)\]|marker)$/i;
/** Parameter names that may stand for the key of a row. */
const keyName = /^(?:(?:starting[-_]?)?after(?:[-_]?id)?|page\[after\]|marker)$/i;
const nextName =
  /^(?:next|(?:next|end)[-_]?(?:page[-_]?)?(?:cursor|token|marker)|next[-_]?page|(?:page|continuation)[-_]?token|cursor|after)$/i;
const moreName = /^(?:(?:has|is)[-_]?)?(?:more|next(?:[-_]?page)?)$/i;

/** The parameter that defines where a page starts. */
export interface Cursor {
  readonly name: string;
  /** The condition for later rows, if the value is the key of a row. */
  readonly behindKey: Written<'sql'> | undefined;
}

/** Undefined if there is no cursor, or if responses do not contain a value for it. */
export function cursorOf(target: TableEndpoint, list: ListShape): Cursor | undefined {
  const { endpoint, table, words, dialect } = target;
  const next = list.around !== undefined && hasNext(list.around);
  const found = cursors(endpoint).find(({ name }) => (next ? cursorName.test(name) : keyName.test(name)));
  const column = table.key;
  if (found?.schema === undefined || keyField(target, list.item) === undefined) return undefined;
  if (next)
    return onlyType(found.schema) === 'string' ? { name: found.name, behindKey: undefined } : undefined;
  if (column === undefined || onlyType(column.schema) !== onlyType(found.schema)) return undefined;
  const passed = words.inSql(words.param(found.name));
  const value = dialect === 'postgresql' ? sql`${passed}::${sql.plain(column.type.base)}` : passed;
  const behind = sql`${column.quoted} > ${value}`;
  return { name: found.name, behindKey: found.required ? behind : sql`(${value} IS NULL OR ${behind})` };
}

function cursors({ parameters }: ApiEndpoint): ApiParameter[] {
  return parameters.filter(
    (one) => one.in === 'query' && (cursorName.test(one.name) || keyName.test(one.name)),
  );
}

/** Whether the object around a list, or an object nested in it, contains the next-page token. */
function hasNext({ properties }: ObjectShape): boolean {
  return [...properties].some(
    ([name, schema]) =>
      isNext(name, schema) || [...schema.properties].some(([inner, one]) => isNext(inner, one)),
  );
}

export function isNext(name: string, schema: ApiSchema): boolean {
  return nextName.test(name) && onlyType(schema) === 'string' && !/^ur[il]/.test(schema.format ?? '');
}

export function isMore(name: string, schema: ApiSchema): boolean {
  return moreName.test(name) && onlyType(schema) === 'boolean';
}

/** The field that is the key; undefined if the rows do not contain it. */
export function keyField({ table }: TableEndpoint, item: ObjectShape): string | undefined {
  const field = fieldOf(table, table.key);
  return field !== undefined && item.properties.has(field) ? field : undefined;
}

/** The step that reads a page in one of the orders, or in key order if there are none. */
export function orderedStep(
  target: TableEndpoint,
  query: Written<'sql'>,
  key: string,
  { orders, by }: Sorting,
  paging: Paging,
  cursor: Cursor | undefined,
): Json {
  const { words, dialect } = target;
  const name = (field: string): Written<'sql'> => writtenName(field, dialect);
  const all = orders.length === 0 ? [{ name: key, field: key, descending: false }] : orders;
  const after =
    cursor === undefined || cursor.behindKey !== undefined ? words.nothing : words.param(cursor.name);
  const { [words.instructions]: instructions, ...head } = stepOf(target, 'page', 'READ', query);
  return {
    ...head,
    order: {
      ...(by === undefined ? {} : { by }),
      allow: Object.fromEntries(
        all.map((one) => [one.name, sql`${name(one.field)}${one.descending ? sql` DESC` : sql``}`]),
      ),
      default: all[0]?.name,
      key: name(key),
    },
    page: {
      ...(paging.limit === undefined ? {} : { limit: words.param(paging.limit.name) }),
      max: paging.max,
      after,
    },
    [words.instructions]: instructions,
  };
}
