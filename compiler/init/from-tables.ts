/** A configuration for the tables of a database: lists with paging, one row with what belongs to it, and changes. */
import { printYaml, printYamlLines } from '../config/yaml-print.js';
import type { DatabaseTables, Table, TableColumn } from '../database/read-tables.js';
import type { InitFile } from './init-file.js';
import type { Words } from './words.js';
import { onlyResponse, operationEntry } from './operation-entry.js';
import { childNames, identifier, parentNames, unique } from './row-names.js';
import { columnIn, columnsOf, equal, labelsOf, orderOf, writable } from './table-columns.js';
import { bodyOf, content, messageSchema, parameterSchema, rowSchema } from './table-schemas.js';

export interface FromTablesOptions {
  readonly words: Words;
  /** Of the datasource. */
  readonly name: string;
  /** The datasource as the configuration has it. */
  readonly datasource: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

/** An operation of the configuration, and how the API description has it. */
interface Written {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
  readonly description: Json;
}

/** So many rows at most are nested in another one. */
const maxNested = 100;

export function filesFromTables(database: DatabaseTables, options: FromTablesOptions): InitFile[] {
  const writer = new TableWriter(database, options);
  const written = database.tables.flatMap((table) => writer.operations(table));
  const operations = written.map(
    ({ method, path, operation }) => `  ${operationEntry(`${method} ${path}`, operation)}\n`,
  );
  const { name, datasource } = options;
  const config = `specification: "1.0"\n\noperations:\n${operations.join('\n')}\n${printYamlLines({ datasources: { [name]: { type: 'db', ...datasource } } })}`;
  const paths: Record<string, Record<string, Json>> = {};
  for (const { method, path, description } of written)
    paths[path] = { ...paths[path], [method.toLowerCase()]: description };
  const description = { openapi: '3.1.0', info: { title: name, version: '1' }, paths };
  return [
    { path: 'config.yaml', text: config },
    { path: 'openapi.yaml', text: printYaml(description) },
    { path: 'schema.sql', text: database.schema },
  ];
}

class TableWriter {
  readonly #paths = new Map<string, string>();

  constructor(
    private readonly database: DatabaseTables,
    private readonly options: FromTablesOptions,
  ) {
    for (const { name } of database.tables)
      this.#paths.set(name, unique(name.replaceAll(/[^A-Za-z0-9_-]+/g, '-'), [...this.#paths.values()]));
  }

  operations(table: Table): Written[] {
    const path = `/${this.#paths.get(table.name) ?? ''}`;
    const list = this.#list(table, path);
    if (table.isView) return [list];
    if (table.primaryKey.length === 0) return [list, this.#insert(table, path)];
    const one = `${path}/${this.#key(table)
      .map(({ param }) => `{${param}}`)
      .join('/')}`;
    const changeable = writable(table).filter(({ name }) => !table.primaryKey.includes(name));
    return [
      list,
      this.#read(table, one),
      this.#insert(table, path),
      ...(changeable.length === 0 ? [] : [this.#update(table, one, changeable)]),
      this.#delete(table, one),
    ];
  }

  /** The columns of the primary key, and the parameters of the path that are them. */
  #key(table: Table): { readonly column: TableColumn; readonly param: string }[] {
    const params: string[] = [];
    return table.primaryKey.flatMap((name) => {
      const column = table.columns.find((one) => one.name === name);
      if (column === undefined) return [];
      const param = unique(identifier(name), params);
      params.push(param);
      return [{ column, param }];
    });
  }

  #step(name: string, type: 'READ' | 'UPDATE', query: string, more: Json = {}): Json {
    const { words, name: datasource } = this.options;
    const { if: condition, ...others } = more;
    return {
      name,
      type,
      datasource,
      ...(condition === undefined ? {} : { if: condition }),
      [words.instructions]: [{ query }],
      ...others,
    };
  }

  #missing(table: Table, condition: string): Json {
    return { exceptions: [{ if: condition, statuscode: 404, message: `There is no such ${table.name}` }] };
  }

  #list(table: Table, path: string): Written {
    const { words } = this.options;
    const order = orderOf(table);
    const lines = [
      `SELECT ${columnsOf(table.columns)}`,
      `FROM ${table.quoted}`,
      ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
      `LIMIT :[${words.param('limit')}] OFFSET :[${words.param('offset')}]\n`,
    ];
    return {
      ...{ method: 'GET', path },
      operation: {
        fulfillments: [
          this.#step('page', 'READ', lines.join('\n')),
          this.#step('count', 'READ', `SELECT count(*) AS total FROM ${table.quoted}`),
        ],
        responses: onlyResponse(200, { total: words.field('count', 'total'), items: words.rows('page') }),
      },
      description: {
        summary: `A page of ${table.name}`,
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
          { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } },
        ],
        responses: {
          200: content(`A page of ${table.name}`, {
            type: 'object',
            required: ['total', 'items'],
            properties: {
              total: { type: 'integer' },
              items: { type: 'array', items: rowSchema(table.columns) },
            },
          }),
        },
      },
    };
  }

  #where(table: Table): string {
    return this.#key(table)
      .map(({ column, param }) => equal(column, `:[${this.options.words.param(param)}]`))
      .join(' AND ');
  }

  #selectOne(table: Table): string {
    return `SELECT ${columnsOf(table.columns)}\nFROM ${table.quoted}\nWHERE ${this.#where(table)}\n`;
  }

  #read(table: Table, path: string): Written {
    const { words } = this.options;
    const taken = table.columns.map(({ name }) => name);
    const names = ['row'];
    const steps = [
      this.#step('row', 'READ', this.#selectOne(table), this.#missing(table, words.isEmpty('row'))),
    ];
    const schema: Record<string, unknown> = Object.fromEntries(
      table.columns.map(({ name }) => [name, words.field('row', name)]),
    );
    const properties: Record<string, unknown> = { ...rowSchema(table.columns).properties };
    const add = (
      wished: readonly string[],
      query: string,
      condition: string | undefined,
      value: 'first' | 'rows',
      columns: readonly TableColumn[],
    ): void => {
      const field = wished.find((name) => !taken.includes(name)) ?? unique(wished[0] ?? 'rows', taken);
      taken.push(field);
      const step = unique(identifier(field), names);
      names.push(step);
      steps.push(this.#step(step, 'READ', query, condition === undefined ? {} : { if: condition }));
      schema[field] = words[value](step);
      const row = rowSchema(columns);
      properties[field] =
        value === 'rows' ? { type: 'array', items: row } : { ...row, type: ['object', 'null'] };
    };
    for (const { columns, table: other, targets } of table.foreignKeys) {
      const parent = this.database.tables.find(({ name }) => name === other);
      if (parent === undefined) continue;
      const shown = labelsOf(parent, targets);
      const where = targets.map((target, index) =>
        equal(columnIn(parent, target), `:[${words.field('row', columns[index] ?? '')}]`),
      );
      const nullable = columns.filter(
        (name) => table.columns.find((column) => column.name === name)?.isNullable === true,
      );
      const condition = nullable.map((name) => words.isNotNull(words.field('row', name))).join(' && ');
      add(
        parentNames((columns.length === 1 ? columns[0] : undefined)?.replace(/_id$/i, '') ?? other, other),
        `SELECT ${columnsOf(shown)}\nFROM ${parent.quoted}\nWHERE ${where.join(' AND ')}\n`,
        condition === '' ? undefined : condition,
        'first',
        shown,
      );
    }
    for (const child of this.database.tables) {
      const keys = child.foreignKeys.filter((key) => key.table === table.name);
      for (const { columns, targets } of keys) {
        const shown = child.columns.filter(({ name }) => !columns.includes(name));
        if (shown.length === 0) continue;
        const where = columns.map((name, index) =>
          equal(columnIn(child, name), `:[${words.field('row', targets[index] ?? '')}]`),
        );
        const order = orderOf(child);
        const last = order.length === 0 ? '' : `ORDER BY ${order.join(', ')}\n`;
        add(
          childNames(child.name, columns, keys.length > 1),
          `SELECT ${columnsOf(shown)}\nFROM ${child.quoted}\nWHERE ${where.join(' AND ')}\n${last}LIMIT ${maxNested}\n`,
          undefined,
          'rows',
          shown,
        );
      }
    }
    return {
      ...{ method: 'GET', path },
      operation: { fulfillments: steps, responses: onlyResponse(200, schema) },
      description: {
        summary: `One ${table.name} with what belongs to it`,
        parameters: this.#parameters(table),
        responses: {
          200: content(`The ${table.name}`, { type: 'object', required: taken, properties }),
          404: content('There is no such row', messageSchema),
        },
      },
    };
  }

  #parameters(table: Table): Json[] {
    return this.#key(table).map(({ column, param }) => ({
      ...{ name: param, in: 'path', required: true },
      schema: parameterSchema(column),
    }));
  }

  /** The value that a change assigns to a column: its default if the body has none. */
  #value({ name, default: fallback }: TableColumn): string {
    const value = `:[${this.options.words.body(name)}]`;
    return fallback === undefined ? value : `coalesce(${value}, ${fallback})`;
  }

  #insert(table: Table, path: string): Written {
    const { words } = this.options;
    const isPostgres = this.database.dialect === 'postgresql';
    const writableColumns = writable(table);
    const columns = table.columns.filter(({ isFilled, keyValue }) => !isFilled || keyValue !== undefined);
    const value = (column: TableColumn): string =>
      column.keyValue === undefined ? this.#value(column) : `:[${words.field('key', column.name)}]`;
    const empty = isPostgres ? 'DEFAULT VALUES' : '() VALUES ()';
    const insert = `INSERT INTO ${table.quoted} ${columns.length === 0 ? empty : `(${columnsOf(columns)})\nVALUES (${columns.map(value).join(', ')})`}`;
    const key = this.#key(table).map(({ column }) => column);
    const isMade = (column: TableColumn): boolean => !columns.includes(column);
    const canRead = key.length > 0 && key.filter(isMade).length <= 1;
    const where = key.map((column) =>
      equal(column, isMade(column) ? `:[${words.field('inserted', 'insert_id')}]` : value(column)),
    );
    const keyValues = columns.flatMap(({ keyValue, quoted }) =>
      keyValue === undefined ? [] : [`${keyValue} AS ${quoted}`],
    );
    const steps = isPostgres
      ? [this.#step('inserted', 'UPDATE', `${insert}\nRETURNING ${columnsOf(table.columns)}\n`)]
      : [
          ...(keyValues.length === 0 ? [] : [this.#step('key', 'READ', `SELECT ${keyValues.join(', ')}`)]),
          this.#step('inserted', 'UPDATE', `${insert}\n`),
          ...(canRead
            ? [
                this.#step(
                  'row',
                  'READ',
                  `SELECT ${columnsOf(table.columns)}\nFROM ${table.quoted}\nWHERE ${where.join(' AND ')}\n`,
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
        summary: `Add a row to ${table.name}`,
        ...bodyOf(writableColumns),
        responses: {
          201:
            shown === undefined ? { description: 'Added' } : content('The new row', rowSchema(table.columns)),
        },
      },
    };
  }

  #update(table: Table, path: string, columns: readonly TableColumn[]): Written {
    const { words } = this.options;
    const isPostgres = this.database.dialect === 'postgresql';
    const set = columns.map((column) => `${column.quoted} = ${this.#value(column)}`).join(',\n    ');
    const update = `UPDATE ${table.quoted}\nSET ${set}\nWHERE ${this.#where(table)}\n`;
    const missing = (name: string): Json => this.#missing(table, words.isEmpty(name));
    const steps = isPostgres
      ? [
          this.#step(
            'updated',
            'UPDATE',
            `${update}RETURNING ${columnsOf(table.columns)}\n`,
            missing('updated'),
          ),
        ]
      : [
          this.#step('updated', 'UPDATE', update),
          this.#step('row', 'READ', this.#selectOne(table), missing('row')),
        ];
    return {
      ...{ method: 'PUT', path },
      operation: {
        fulfillments: steps,
        responses: onlyResponse(200, words.first(isPostgres ? 'updated' : 'row')),
      },
      description: {
        summary: `Replace one ${table.name}`,
        parameters: this.#parameters(table),
        ...bodyOf(columns),
        responses: {
          200: content('The changed row', rowSchema(table.columns)),
          404: content('There is no such row', messageSchema),
        },
      },
    };
  }

  #delete(table: Table, path: string): Written {
    const { words } = this.options;
    const none =
      this.database.dialect === 'postgresql'
        ? words.isEmpty('deleted')
        : words.equals(words.field('deleted', 'affected_rows'), 0);
    const query = `DELETE FROM ${table.quoted} WHERE ${this.#where(table)}`;
    return {
      ...{ method: 'DELETE', path },
      operation: {
        fulfillments: [this.#step('deleted', 'UPDATE', query, this.#missing(table, none))],
        responses: onlyResponse(204, undefined),
      },
      description: {
        summary: `Delete one ${table.name}`,
        parameters: this.#parameters(table),
        responses: { 204: { description: 'Deleted' }, 404: content('There is no such row', messageSchema) },
      },
    };
  }
}
