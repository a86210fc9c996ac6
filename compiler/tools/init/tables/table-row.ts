/** The operation that reads one row of a table, with rows that it refers to and rows that refer to it. */
import { sql } from '../../../notation/sql-writer.js';
import { expression } from '../../../notation/template-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import type { Table, TableColumn } from '../../../analyze/database/read-tables.js';
import { onlyResponse } from '../operation-entry.js';
import { childNames, identifier, parentNames, unique } from './row-names.js';
import { columnsNamed, equal, labelsOf, orderOf, readable, selected } from './table-columns.js';
import {
  missingRow,
  pathParameters,
  selectRow,
  stepFor,
  titleOf,
  type TableContext,
  type WrittenOperation,
} from './table-operation.js';
import { content, messageSchema, rowSchema } from './table-schemas.js';
import type { Words } from '../words.js';

/** Max number of nested rows. */
const maxNested = 100;

export function readOperation(table: Table, path: string, context: TableContext): WrittenOperation {
  const { database, words } = context;
  const taken = readable(table).map(({ name }) => name);
  const names = ['row'];
  const steps = [
    stepFor(context, 'row', 'READ', selectRow(table, words), missingRow(table, words, words.isEmpty('row'))),
  ];
  const schema: Record<string, unknown> = Object.fromEntries(
    readable(table).map(({ name }) => [name, words.field('row', name)]),
  );
  const properties: Record<string, unknown> = { ...rowSchema(readable(table)).properties };
  const related = [...parentsOf(table, database.tables, words), ...childrenOf(table, database.tables, words)];
  for (const { wished, query, condition, value, columns } of related) {
    const field = wished.find((name) => !taken.includes(name)) ?? unique(wished[0] ?? 'rows', taken);
    taken.push(field);
    const step = unique(identifier(field), names);
    names.push(step);
    steps.push(stepFor(context, step, 'READ', query, condition === '' ? {} : { if: condition }));
    schema[field] = words[value](step);
    const row = rowSchema(columns);
    properties[field] =
      value === 'rows' ? { type: 'array', items: row } : { ...row, type: ['object', 'null'] };
  }
  return {
    ...{ method: 'GET', path },
    operation: { fulfillments: steps, responses: onlyResponse(200, schema) },
    description: {
      summary: `One ${titleOf(table)} with its related rows`,
      parameters: pathParameters(table),
      responses: {
        200: content(`The ${titleOf(table)}`, { type: 'object', required: taken, properties }),
        404: content('There is no such row', messageSchema),
      },
    },
  };
}

/** Rows nested in another row. */
interface RelatedRows {
  /** Possible field names, best first. */
  readonly wished: readonly string[];
  readonly query: Written<'sql'>;
  /** The condition under which the rows are read; empty if always. */
  readonly condition: Written<'expression'> | '';
  readonly value: 'first' | 'rows';
  readonly columns: readonly TableColumn[];
}

/** Rows that a row's foreign keys refer to. */
function parentsOf(table: Table, tables: readonly Table[], words: Words): RelatedRows[] {
  return table.foreignKeys.flatMap(({ columns, table: other, targets }): RelatedRows[] => {
    const parent = tables.find(({ quoted }) => quoted === other);
    const own = columnsNamed(readable(table), columns);
    const keys = parent && columnsNamed(parent.columns, targets);
    if (parent === undefined || own === undefined || keys === undefined) return [];
    const shown = labelsOf(parent, targets);
    const where = keys.map((key, index) => equal(key, words.inSql(words.field('row', columns[index] ?? ''))));
    const nullable = own.filter(({ isNullable }) => isNullable);
    const named = (columns.length === 1 ? columns[0] : undefined)?.replace(/_id$/i, '') ?? parent.name;
    return [
      {
        wished: parentNames(named, parent.name),
        query: sql`SELECT ${selected(shown)}\nFROM ${parent.quoted}\nWHERE ${joined(where, ' AND ')}\n`,
        condition: expression.all(nullable.map(({ name }) => words.isNotNull(words.field('row', name)))),
        value: 'first',
        columns: shown,
      },
    ];
  });
}

/** Rows whose foreign keys refer to a row. */
function childrenOf(table: Table, tables: readonly Table[], words: Words): RelatedRows[] {
  return tables.flatMap((child) => {
    const foreignKeys = child.foreignKeys.filter((key) => key.table === table.quoted);
    return foreignKeys.flatMap(({ columns, targets }): RelatedRows[] => {
      const shown = readable(child).filter(({ name }) => !columns.includes(name));
      const keys = columnsNamed(child.columns, columns);
      const isRead = columnsNamed(readable(table), targets) !== undefined;
      if (shown.length === 0 || keys === undefined || !isRead) return [];
      const where = keys.map((key, index) =>
        equal(key, words.inSql(words.field('row', targets[index] ?? ''))),
      );
      const order = orderOf(child);
      const last = order.length === 0 ? sql`` : sql`ORDER BY ${joined(order, ', ')}\n`;
      return [
        {
          wished: childNames(child.name, columns, foreignKeys.length > 1),
          query: sql`SELECT ${selected(shown)}\nFROM ${child.quoted}\nWHERE ${joined(where, ' AND ')}\n${last}LIMIT ${maxNested}\n`,
          condition: '',
          value: 'rows',
          columns: shown,
        },
      ];
    });
  });
}
