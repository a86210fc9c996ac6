/** A configuration for the tables of a database: lists with paging, single rows with related rows, and changes. */
import { joined } from '../../../notation/written.js';
import { yaml } from '../../../notation/yaml-writer.js';
import type { DatabaseTables, Table } from '../../../analyze/database/read-tables.js';
import type { InitFile } from '../init-file.js';
import type { Meant } from '../as-meant.js';
import { operationEntry } from '../operation-entry.js';
import type { ChosenTables } from './chosen-tables.js';
import { schemaText } from './loadable-schema.js';
import { unique } from './row-names.js';
import { deleteOperation, insertOperation, updateOperation } from './table-changes.js';
import { isBoundAlone, secretsOf, writable } from './table-columns.js';
import { isPaged, listOperation } from './table-list.js';
import { keyParameters, titleOf, type TableContext, type WrittenOperation } from './table-operation.js';
import { readOperation } from './table-row.js';
import type { Words } from '../words.js';

export interface FromTablesOptions {
  readonly words: Words;
  /** Name of the datasource. */
  readonly name: string;
  /** The datasource as written in the configuration. */
  readonly datasource: Readonly<Record<string, string>>;
  /** Whether operations do not require a key. */
  readonly isOpen: boolean;
  readonly choice: ChosenTables;
  /** Results of a check, by operation name. */
  readonly remedies: ReadonlyMap<string, TableRemedy>;
}

/** How an operation is handled after a check. */
export type TableRemedy =
  | { readonly kind: 'transaction' }
  /** Replaced by a comment with the reason. */
  | { readonly kind: 'left out'; readonly reason: string };

/** The authentication of operations that are not open, with its only key. */
const client = { name: 'client', header: 'X-Api-Key', key: 'app' };

export interface FilesFromTables {
  readonly files: readonly InitFile[];
  /** The intended value of the configuration. */
  readonly meant: Meant;
  /** Offsets of the operations in config.yaml, by name. */
  readonly spans: ReadonlyMap<string, { readonly start: number; readonly end: number }>;
}

export function filesFromTables(database: DatabaseTables, options: FromTablesOptions): FilesFromTables {
  const { words, name, datasource, isOpen, remedies } = options;
  const { chosen: shown, leftOut } = options.choice;
  // Rows of omitted tables are not nested either.
  const context = { database: { ...database, tables: shown }, words, datasource: name };
  const paths = tablePaths(database.tables);
  const all = shown
    .flatMap((table) => operationsOf(table, `/${paths.get(table.quoted) ?? ''}`, context))
    .map((one) => treated(one, remedies.get(operationName(one))));
  const written = all.filter(({ leftOut }) => leftOut === undefined);
  const hidden = leftOut.map(
    ({ table, reason }) => yaml`  # ${yaml.comment(`'${titleOf(table)}' has no operations: ${reason}.`)}\n`,
  );
  const entries = all.map((one) => {
    const comment = one.comment === undefined ? yaml`` : yaml`  # ${yaml.comment(one.comment)}\n`;
    const entry = operationEntry(operationName(one), one.operation);
    return one.leftOut === undefined
      ? yaml`${comment}${entry}\n`
      : yaml`  # ${yaml.comment(`${operationName(one)} is left out: ${one.leftOut}`)}\n`;
  });
  const authentications = {
    [client.name]: {
      type: 'apikey',
      header: client.header,
      keys: { [client.key]: words.reference('API_KEY') },
    },
  };
  const datasources = { [name]: { type: 'db', ...datasource } };
  const head = joined(
    [yaml`specification: "1.0"\n\noperations:\n`, ...(hidden.length === 0 ? [] : [...hidden, yaml`\n`])],
    '',
  );
  const spans = new Map<string, { readonly start: number; readonly end: number }>();
  let start = head.length;
  for (const [index, { length }] of entries.entries()) {
    const one = all[index];
    if (one !== undefined) spans.set(operationName(one), { start, end: start + length });
    start += length + 1;
  }
  const parts = [
    head,
    yaml`${joined(entries, '\n')}\n`,
    yaml.lines({ datasources }),
    ...(isOpen
      ? []
      : [
          yaml`\n${yaml.lines({ authentications }, [
            {
              path: ['authentications', client.name],
              text: 'Every operation asks for this key. One with `authentications: []` is open.',
            },
          ])}`,
        ]),
  ];
  const described: Record<string, Record<string, unknown>> = {};
  for (const { method, path, description } of written)
    described[path] = { ...described[path], [method.toLowerCase()]: description };
  const description = {
    ...{ openapi: '3.1.0', info: { title: name, version: '1' } },
    ...(isOpen ? {} : { security: [{ [client.name]: [] }] }),
    paths: described,
    ...(isOpen
      ? {}
      : {
          components: {
            securitySchemes: { [client.name]: { type: 'apiKey', in: 'header', name: client.header } },
          },
        }),
  };
  const config = {
    specification: '1.0',
    operations: Object.fromEntries(written.map((one) => [operationName(one), one.operation])),
    datasources,
    ...(isOpen ? {} : { authentications }),
  };
  return {
    files: [
      { path: 'config.yaml', text: joined(parts, '') },
      { path: 'openapi.yaml', text: yaml.document(description) },
      { path: 'schema.sql', text: schemaText(database.schema) },
      // MySQL databases cannot be embedded, so tests would need a server.
      ...(database.dialect === 'mysql'
        ? []
        : testsOf(
            shown.filter(
              (table) => remedies.get(`GET /${paths.get(table.quoted) ?? ''}`)?.kind !== 'left out',
            ),
            paths,
            isOpen,
          )),
    ],
    meant: { config, words },
    spans,
  };
}

interface TreatedOperation extends WrittenOperation {
  /** Why only a comment is written. */
  readonly leftOut?: string;
}

function treated(one: WrittenOperation, remedy: TableRemedy | undefined): TreatedOperation {
  if (remedy?.kind === 'left out') return { ...one, leftOut: remedy.reason };
  return remedy === undefined ? one : { ...one, operation: { transaction: true, ...one.operation } };
}

function operationName({ method, path }: WrittenOperation): string {
  return `${method} ${path}`;
}

/** Tests that each table can be listed. Views are omitted, because they may have rows from the start. */
function testsOf(tables: readonly Table[], paths: ReadonlyMap<string, string>, isOpen: boolean): InitFile[] {
  const tests = tables
    .filter(({ isView }) => !isView)
    .map((table) => {
      const request = `GET /${paths.get(table.quoted) ?? ''}`;
      const next = isPaged(table) ? { next: null } : {};
      return {
        name: `${request} lists nothing in the beginning`,
        request,
        ...(isOpen ? {} : { authentication: client.name, key: client.key }),
        response: { statuscode: 200, body: { total: 0, items: [], ...next } },
      };
    });
  const [first] = tests;
  const closed =
    isOpen || first === undefined
      ? []
      : [{ name: 'nobody reads without a key', request: first.request, response: { statuscode: 401 } }];
  const head = yaml`# Run them with: apikiln test\n# Every test begins with the tables of schema.sql, and the rows of seed.sql where there are some.\n`;
  return tests.length === 0
    ? []
    : [{ path: 'config.test.yaml', text: yaml`${head}${yaml.lines({ tests: [...closed, ...tests] })}` }];
}

/** Paths of tables by their name in statements; the schema is included if statements must name it. */
function tablePaths(tables: readonly Table[]): ReadonlyMap<string, string> {
  const segment = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]+/g, '-');
  const paths = new Map<string, string>();
  const schemas = new Map<string, string>();
  for (const { quoted, schema, name } of [...tables].sort(
    (a, b) => Number(a.schema !== '') - Number(b.schema !== ''),
  )) {
    const taken = [...paths.values()];
    if (schema !== '' && !schemas.has(schema))
      schemas.set(schema, unique(segment(schema), [...taken, ...schemas.values()]));
    const before = schema === '' ? '' : `${schemas.get(schema) ?? ''}/`;
    paths.set(quoted, unique(`${before}${segment(name)}`, taken));
  }
  return paths;
}

function operationsOf(table: Table, path: string, context: TableContext): WrittenOperation[] {
  const list = listOperation(table, path, context);
  if (table.isView) return [list];
  if (table.hasRules)
    return [
      {
        ...list,
        comment: [list.comment, 'Rules replace changes of this table: write those yourself.']
          .filter((text) => text !== undefined)
          .join(' '),
      },
      ...(table.primaryKey.length === 0 ? [] : [readOperation(table, onePath(table, path), context)]),
    ];
  if (table.primaryKey.length === 0) return [list, insertOperation(table, path, context)];
  const one = onePath(table, path);
  const isPostgres = context.database.dialect === 'postgresql';
  const secrets = secretsOf(table);
  // PUT keeps secrets that are missing in the body. On MySQL this is impossible for values that must be bound alone.
  const changeable = writable(table).filter(
    (column) =>
      !table.primaryKey.includes(column.name) &&
      (isPostgres || !secrets.includes(column) || !isBoundAlone(column)),
  );
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

/** Path of a single row. */
function onePath(table: Table, path: string): string {
  const parameters = keyParameters(table).map(({ param }) => `{${param}}`);
  return [path, ...parameters].join('/');
}
