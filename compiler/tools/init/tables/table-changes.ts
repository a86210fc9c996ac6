/** Operations that add, replace and delete rows of a table. */
import type { Table, TableColumn } from '../../../analyze/database/read-tables.js';
import { sql } from '../../../notation/sql-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import { onlyResponse } from '../operation-entry.js';
import { columnsOf, equal, isBoundAlone, readable, secretsOf, selected, writable } from './table-columns.js';
import {
  keyCondition,
  keyParameters,
  missingRow,
  pathParameters,
  selectRow,
  stepFor,
  titleOf,
  type TableContext,
  type WrittenOperation,
} from './table-operation.js';
import { bodyOf, content, messageSchema, rowSchema } from './table-schemas.js';
import type { Words } from '../words.js';

type Json = Readonly<Record<string, unknown>>;

export function insertOperation(table: Table, path: string, context: TableContext): WrittenOperation {
  const { database, words } = context;
  const isPostgres = database.dialect === 'postgresql';
  const writableColumns = writable(table);
  const columns = table.columns.filter(({ isFilled, keyValue }) => !isFilled || keyValue !== undefined);
  const value = (column: TableColumn): Written<'sql'> =>
    column.keyValue === undefined
      ? assignedValue(column, words)
      : words.inSql(words.field('key', column.name));
  const empty = isPostgres ? sql`DEFAULT VALUES` : sql`() VALUES ()`;
  const given = sql`(${columnsOf(columns)})\nVALUES (${joined(columns.map(value), ', ')})`;
  const insert = sql`INSERT INTO ${table.quoted} ${columns.length === 0 ? empty : given}`;
  const key = keyParameters(table).map(({ column }) => column);
  const isMade = (column: TableColumn): boolean => !columns.includes(column);
  const canRead = key.length > 0 && key.filter(isMade).length <= 1;
  const where = key.map((column) =>
    equal(column, isMade(column) ? words.inSql(words.field('inserted', 'insert_id')) : value(column)),
  );
  const keyValues = columns.flatMap(({ keyValue, quoted }) =>
    keyValue === undefined ? [] : [sql`${keyValue} AS ${quoted}`],
  );
  const steps = isPostgres
    ? [stepFor(context, 'inserted', 'UPDATE', sql`${insert}\nRETURNING ${columnsOf(readable(table))}\n`)]
    : [
        ...(keyValues.length === 0
          ? []
          : [stepFor(context, 'key', 'READ', sql`SELECT ${joined(keyValues, ', ')}`)]),
        stepFor(context, 'inserted', 'UPDATE', sql`${insert}\n`),
        ...(canRead
          ? [
              stepFor(
                context,
                'row',
                'READ',
                sql`SELECT ${selected(readable(table))}\nFROM ${table.quoted}\nWHERE ${joined(where, ' AND ')}\n`,
              ),
            ]
          : []),
      ];
  const shown = isPostgres ? 'inserted' : canRead ? 'row' : undefined;
  return {
    ...{ method: 'POST', path },
    operation: {
      ...(steps.length > 1 ? { transaction: true } : {}),
      fulfillments: steps,
      responses: onlyResponse(201, shown && words.first(shown)),
    },
    description: {
      summary: `Add a row to ${titleOf(table)}`,
      ...bodyOf(writableColumns, { keys: table.primaryKey }),
      responses: {
        201:
          shown === undefined ? { description: 'Added' } : content('The new row', rowSchema(readable(table))),
      },
    },
  };
}

/** PUT replaces a row, except secrets that are missing in the body; PATCH changes the fields in the body. */
export function updateOperation(
  method: 'PUT' | 'PATCH',
  table: Table,
  path: string,
  columns: readonly TableColumn[],
  context: TableContext,
): WrittenOperation {
  const { database, words } = context;
  const isPostgres = database.dialect === 'postgresql';
  const secrets = secretsOf(table);
  const isKept = (column: TableColumn): boolean =>
    (method === 'PATCH' || secrets.includes(column)) && (isPostgres || !isBoundAlone(column));
  const set = columns.map((column) => {
    const value = isKept(column) ? keptValue(column, context) : assignedValue(column, words);
    return sql`${column.quoted} = ${value}`;
  });
  const update = sql`UPDATE ${table.quoted}\nSET ${joined(set, ',\n    ')}\nWHERE ${keyCondition(table, words)}\n`;
  const missing = (name: string): Json => missingRow(table, words, words.isEmpty(name));
  const steps = isPostgres
    ? [
        stepFor(
          context,
          'updated',
          'UPDATE',
          sql`${update}RETURNING ${columnsOf(readable(table))}\n`,
          missing('updated'),
        ),
      ]
    : [
        stepFor(context, 'updated', 'UPDATE', update),
        stepFor(context, 'row', 'READ', selectRow(table, words), missing('row')),
      ];
  return {
    ...{ method, path },
    operation: {
      fulfillments: steps,
      responses: onlyResponse(200, words.first(isPostgres ? 'updated' : 'row')),
    },
    description: {
      summary: `${method === 'PUT' ? 'Replace' : 'Change fields of'} one ${titleOf(table)}`,
      parameters: pathParameters(table),
      ...bodyOf(columns, { isOptional: isKept }),
      responses: {
        200: content('The changed row', rowSchema(readable(table))),
        404: content('There is no such row', messageSchema),
      },
    },
  };
}

export function deleteOperation(table: Table, path: string, context: TableContext): WrittenOperation {
  const { database, words } = context;
  const none =
    database.dialect === 'postgresql'
      ? words.isEmpty('deleted')
      : words.equals(words.field('deleted', 'affected_rows'), 0);
  const query = sql`DELETE FROM ${table.quoted} WHERE ${keyCondition(table, words)}`;
  return {
    ...{ method: 'DELETE', path },
    operation: {
      fulfillments: [stepFor(context, 'deleted', 'UPDATE', query, missingRow(table, words, none))],
      responses: onlyResponse(204, undefined),
    },
    description: {
      summary: `Delete one ${titleOf(table)}`,
      parameters: pathParameters(table),
      responses: { 204: { description: 'Deleted' }, 404: content('There is no such row', messageSchema) },
    },
  };
}

/** The value assigned to a column: its default if the body does not contain it. */
function assignedValue(column: TableColumn, words: Words): Written<'sql'> {
  const { default: fallback } = column;
  const value = sentValue(column, words);
  return fallback === undefined ? value : sql`coalesce(${value}, ${fallback})`;
}

function sentValue({ name, isSpatial }: TableColumn, words: Words): Written<'sql'> {
  const value = words.inSql(words.body(name));
  return isSpatial === true ? sql`ST_GeomFromText(${value})` : value;
}

/** The body's value if it contains the field, otherwise the row's current value. */
function keptValue(column: TableColumn, { database, words }: TableContext): Written<'sql'> {
  const { name, quoted, isNullable } = column;
  const value = sentValue(column, words);
  if (!isNullable) return sql`coalesce(${value}, ${quoted})`;
  const isThere =
    database.dialect === 'postgresql'
      ? sql`jsonb_exists(${words.inSql(words.body())}::jsonb, ${words.sqlText(name, 'postgresql')})`
      : sql`json_contains_path(${words.inSql(words.body())}, 'one', ${words.sqlText(`$.${JSON.stringify(name)}`, 'mysql')})`;
  return sql`CASE WHEN ${isThere} THEN ${value} ELSE ${quoted} END`;
}
