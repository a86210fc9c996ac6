/** A configuration for the tables of a database: lists with paging, one row with what belongs to it, and changes. */
import { printYaml, printYamlLines } from '../../../read/config/yaml/yaml-print.js';
import type { DatabaseTables, Table } from '../../../analyze/database/read-tables.js';
import type { InitFile } from '../init-file.js';
import { operationEntry } from '../operation-entry.js';
import { schemaText } from './loadable-schema.js';
import { unique } from './row-names.js';
import { deleteOperation, insertOperation, updateOperation } from './table-changes.js';
import { isBoundAlone, writable } from './table-columns.js';
import { isPaged, listOperation } from './table-list.js';
import { keyParameters, type TableContext, type WrittenOperation } from './table-operation.js';
import { readOperation } from './table-row.js';
import type { Words } from '../words.js';

export interface FromTablesOptions {
  readonly words: Words;
  /** The name of the datasource. */
  readonly name: string;
  /** The datasource as the configuration has it. */
  readonly datasource: Readonly<Record<string, string>>;
}

export function filesFromTables(database: DatabaseTables, options: FromTablesOptions): InitFile[] {
  const { words, name, datasource } = options;
  const context = { database, words, datasource: name };
  const paths = tablePaths(database.tables);
  const written = database.tables.flatMap((table) =>
    operationsOf(table, `/${paths.get(table.name) ?? ''}`, context),
  );
  const operations = written.map(
    ({ method, path, operation, comment }) =>
      `${comment === undefined ? '' : `  # ${comment}\n`}  ${operationEntry(`${method} ${path}`, operation)}\n`,
  );
  const config = `specification: "1.0"\n\noperations:\n${operations.join('\n')}\n${printYamlLines({ datasources: { [name]: { type: 'db', ...datasource } } })}`;
  const described: Record<string, Record<string, unknown>> = {};
  for (const { method, path, description } of written)
    described[path] = { ...described[path], [method.toLowerCase()]: description };
  const description = { openapi: '3.1.0', info: { title: name, version: '1' }, paths: described };
  return [
    { path: 'config.yaml', text: config },
    { path: 'openapi.yaml', text: printYaml(description) },
    { path: 'schema.sql', text: schemaText(database.schema) },
    // Databases of MySQL cannot be embedded: its tests would need a server.
    ...(database.dialect === 'mysql' ? [] : testsOf(database.tables, paths)),
  ];
}

/** Tests that each table can be listed. A view is left out: it may have rows even in the beginning. */
function testsOf(tables: readonly Table[], paths: ReadonlyMap<string, string>): InitFile[] {
  const tests = tables
    .filter(({ isView }) => !isView)
    .map((table) => {
      const request = `GET /${paths.get(table.name) ?? ''}`;
      const next = isPaged(table) ? { next: null } : {};
      return {
        name: `${request} lists nothing in the beginning`,
        request,
        response: { statuscode: 200, body: { total: 0, items: [], ...next } },
      };
    });
  const head =
    '# Run them with: apikiln test\n# Every test begins with the tables of schema.sql, and the rows of seed.sql where there are some.\n';
  return tests.length === 0
    ? []
    : [{ path: 'config.test.yaml', text: `${head}${printYamlLines({ tests })}` }];
}

/** The last part of each path, by the name of the table. */
function tablePaths(tables: readonly Table[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const { name } of tables)
    paths.set(name, unique(name.replaceAll(/[^A-Za-z0-9_-]+/g, '-'), [...paths.values()]));
  return paths;
}

function operationsOf(table: Table, path: string, context: TableContext): WrittenOperation[] {
  const list = listOperation(table, path, context);
  if (table.isView) return [list];
  if (table.primaryKey.length === 0) return [list, insertOperation(table, path, context)];
  const one = `${path}/${keyParameters(table)
    .map(({ param }) => `{${param}}`)
    .join('/')}`;
  const changeable = writable(table).filter(({ name }) => !table.primaryKey.includes(name));
  const isPostgres = context.database.dialect === 'postgresql';
  const patchable = changeable.filter((column) => isPostgres || !isBoundAlone(column));
  return [
    list,
    readOperation(table, one, context),
    insertOperation(table, path, context),
    ...(changeable.length === 0 ? [] : [updateOperation('PUT', table, one, changeable, context)]),
    ...(patchable.length === 0 ? [] : [updateOperation('PATCH', table, one, patchable, context)]),
    deleteOperation(table, one, context),
  ];
}
