/** The operation for an endpoint of an API description: SQL on the table that it is about, else a placeholder. */
import type { ApiEndpoint, ApiSchema } from '../openapi/api-model.js';
import type { Dialect } from '../sql/dialect.js';
import { columnTypeOf, defaultOf, literal, snakeCase } from './described-column.js';
import { pagingOf } from './described-paging.js';
import {
  listShape,
  objectShape,
  oneShape,
  onlyType,
  successOf,
  type ListShape,
  type ObjectShape,
} from './described-shape.js';
import type { DescribedColumn, DescribedTable, EndpointWithTable } from './described-tables.js';
import { exampleValue } from './example-value.js';
import { onlyResponse } from './operation-entry.js';
import type { Words } from './words.js';
import { writtenName } from '../sql/quoted-name.js';

type Json = Readonly<Record<string, unknown>>;

export interface DescribedOperation {
  /** As the configuration has it. */
  readonly operation: Json;
  /** Lines above it, for the person who completes it. */
  readonly comments: readonly string[];
  readonly isPlaceholder: boolean;
  /** What it does with its table. */
  readonly kind: 'list' | 'read' | 'insert' | 'update' | 'delete' | 'placeholder';
}

export interface OperationStyle {
  readonly words: Words;
  readonly dialect: Dialect;
  /** The name of the datasource. */
  readonly datasource: string;
}

export function describedOperation(target: EndpointWithTable, style: OperationStyle): DescribedOperation {
  return new OperationWriter(target, style).operation() ?? placeholder(target.endpoint, style);
}

/** Returns values that the description allows, and does nothing. */
export function placeholder(
  endpoint: ApiEndpoint,
  { words, dialect, datasource }: OperationStyle,
): DescribedOperation {
  const { status, json } = successOf(endpoint);
  const value = json === undefined ? undefined : (exampleValue(json) ?? {});
  // A colon before a bracket would begin a placeholder of the language.
  const text = JSON.stringify(value ?? null, null, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(':[', ':\\u005b');
  const example =
    dialect === 'postgresql'
      ? `${literal(text, dialect)}::jsonb`
      : `json_extract(${literal(text, dialect)}, '$')`;
  const query = json === undefined ? "SELECT 'nothing yet' AS response" : `SELECT ${example} AS response`;
  return {
    operation: {
      fulfillments: [{ name: 'placeholder', type: 'READ', datasource, [words.instructions]: [{ query }] }],
      responses: onlyResponse(
        status,
        json === undefined ? undefined : words.field('placeholder', 'response'),
      ),
    },
    comments: [
      'A placeholder: the description does not tell what this does. Write its statements and its response.',
    ],
    isPlaceholder: true,
    kind: 'placeholder',
  };
}

class OperationWriter {
  private readonly comments: string[] = [];

  constructor(
    private readonly target: EndpointWithTable,
    private readonly style: OperationStyle,
  ) {}

  operation(): DescribedOperation | undefined {
    const { endpoint, table } = this.target;
    if (table === undefined) return undefined;
    const made = this.#operation(endpoint, table);
    return made && { ...made, comments: this.comments, isPlaceholder: false };
  }

  #operation(
    endpoint: ApiEndpoint,
    table: DescribedTable,
  ): Pick<DescribedOperation, 'operation' | 'kind'> | undefined {
    const { item } = this.target;
    const { json } = successOf(endpoint);
    switch (endpoint.method) {
      case 'GET': {
        const list = listShape(json);
        if (list !== undefined) return this.#list(table, list);
        return item === undefined ? undefined : this.#read(table);
      }
      case 'POST':
        return item === undefined ? this.#insert(table) : undefined;
      case 'PUT':
      case 'PATCH':
        return this.#update(table);
      case 'DELETE':
        return item === undefined ? undefined : this.#delete(table);
      default:
        return undefined;
    }
  }

  #step(name: string, type: 'READ' | 'UPDATE', query: string, exceptions?: readonly Json[]): Json {
    const { words, datasource } = this.style;
    return {
      ...{ name, type, datasource, [words.instructions]: [{ query }] },
      ...(exceptions === undefined ? {} : { exceptions }),
    };
  }

  #missing(table: DescribedTable, condition: string): Json[] {
    return [{ if: condition, statuscode: 404, message: `There is no such ${singular(table.name)}` }];
  }

  /** The rows that the path names. */
  #where(): string[] {
    const { item, owners } = this.target;
    return [...owners, ...(item === undefined ? [] : [item])].map(
      ({ param, column }) => `${column.quoted} = :[${this.style.words.param(param)}]`,
    );
  }

  /** The fields as SELECT lists them; undefined where one is not in the table. */
  #select(table: DescribedTable, { properties }: ObjectShape): string | undefined {
    const columns = [...properties.keys()].map((field) => {
      const column = table.columns.get(field);
      if (column === undefined) return undefined;
      return column.name === field
        ? column.quoted
        : `${column.quoted} AS ${writtenName(field, this.style.dialect)}`;
    });
    return columns.includes(undefined) ? undefined : columns.join(', ');
  }

  #list(table: DescribedTable, list: ListShape): Pick<DescribedOperation, 'operation' | 'kind'> | undefined {
    const { endpoint } = this.target;
    const { words, dialect } = this.style;
    const select = this.#select(table, list.item);
    if (select === undefined) return undefined;
    const paging = pagingOf(endpoint, dialect, words);
    const filters = endpoint.parameters.flatMap((parameter) => {
      if (parameter.in !== 'query' || paging.names.includes(parameter.name) || parameter.schema === undefined)
        return [];
      const filter = this.#filter(parameter.name, parameter.schema, parameter.required, table);
      return filter === undefined ? [] : [filter];
    });
    const where = [...this.#where(), ...filters];
    const condition = where.length === 0 ? [] : [`WHERE ${where.join('\n  AND ')}`];
    const order = table.key ?? [...table.columns.values()].find(({ type }) => type.isScalar);
    const lines = [`SELECT ${select}`, `FROM ${table.quoted}`, ...condition];
    if (order !== undefined) lines.push(`ORDER BY ${order.quoted}`);
    const query = paging.page(lines);
    const around = this.#around(list, table, condition);
    if (around === undefined) return undefined;
    if (paging.names.length === 0)
      this.comments.push('The description has no paging: at most 1000 rows are listed.');
    return {
      kind: 'list',
      operation: {
        fulfillments: [this.#step('page', 'READ', query), ...around.steps],
        responses: onlyResponse(successOf(endpoint).status, around.schema),
      },
    };
  }

  /** The response around the rows; undefined where it requires what is not known. */
  #around(
    { field, around }: ListShape,
    table: DescribedTable,
    condition: readonly string[],
  ): { readonly schema: unknown; readonly steps: readonly Json[] } | undefined {
    const { words } = this.style;
    if (field === undefined || around === undefined) return { schema: words.rows('page'), steps: [] };
    const fields: [string, unknown][] = [];
    const steps: Json[] = [];
    for (const [name, schema] of around.properties) {
      if (name === field) fields.push([name, words.rows('page')]);
      else if (
        /^total(?:_?(?:count|items|elements|records|results|rows))?$|^count$/i.test(name) &&
        isNumber(schema)
      ) {
        steps.push(
          this.#step(
            'count',
            'READ',
            [`SELECT count(*) AS total FROM ${table.quoted}`, ...condition].join('\n'),
          ),
        );
        fields.push([name, words.field('count', 'total')]);
        if (steps.length > 1) return undefined;
      } else if (around.required.has(name)) {
        const example = exampleValue(schema);
        const isPlain = ['string', 'number', 'boolean'].includes(typeof example);
        if (!isPlain) return undefined;
        this.comments.push(`'${name}' is a constant here: decide what it holds.`);
        fields.push([name, typeof example === 'string' ? words.text(example) : example]);
      } else this.comments.push(`'${name}' of the response is left out.`);
    }
    return { schema: Object.fromEntries(fields), steps };
  }

  /** A query parameter that is named like a column. */
  #filter(name: string, schema: ApiSchema, isRequired: boolean, table: DescribedTable): string | undefined {
    const { words, dialect } = this.style;
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

  #read(table: DescribedTable): Pick<DescribedOperation, 'operation' | 'kind'> | undefined {
    const { endpoint } = this.target;
    const { words } = this.style;
    const shape = oneShape(successOf(endpoint).json);
    const select = shape && this.#select(table, shape.row);
    if (shape === undefined || select === undefined) return undefined;
    const query = `SELECT ${select}\nFROM ${table.quoted}\nWHERE ${this.#where().join(' AND ')}\n`;
    return {
      kind: 'read',
      operation: {
        fulfillments: [this.#step('row', 'READ', query, this.#missing(table, words.isEmpty('row')))],
        responses: this.#respond('row', shape.field),
      },
    };
  }

  #respond(step: string, field: string | undefined): Json[] {
    const first = this.style.words.first(step);
    return onlyResponse(
      successOf(this.target.endpoint).status,
      field === undefined ? first : { [field]: first },
    );
  }

  /** The columns that the body fills, with their values. */
  #values(
    table: DescribedTable,
    isPatch: boolean,
  ): { readonly column: DescribedColumn; readonly value: string }[] {
    const { words, dialect } = this.style;
    const body = objectShape(this.target.endpoint.body?.json);
    const { item, owners } = this.target;
    const inPath = [...owners, ...(item === undefined ? [] : [item])].map(({ column }) => column.name);
    return [...(body?.properties ?? [])].flatMap(([field, schema]) => {
      const column = table.columns.get(field);
      if (column === undefined || schema.readOnly === true || inPath.includes(column.name)) return [];
      const value = `:[${words.body(field)}]`;
      const typed = dialect === 'postgresql' ? `${value}::${column.type.base}` : value;
      if (isPatch) return [{ column, value: `coalesce(${typed}, ${column.quoted})` }];
      const isProvided = body?.required.has(field) === true || !column.isNotNull;
      return [
        { column, value: isProvided ? value : `coalesce(${typed}, ${defaultOf(column.schema, dialect)})` },
      ];
    });
  }

  #insert(table: DescribedTable): Pick<DescribedOperation, 'operation' | 'kind'> | undefined {
    const { endpoint, owners } = this.target;
    const { words, dialect } = this.style;
    const isPostgres = dialect === 'postgresql';
    const { json, status } = successOf(endpoint);
    if (objectShape(endpoint.body?.json) === undefined) return undefined;
    const made = table.isKeyMade ? table.key : undefined;
    const own = this.#values(table, false).filter(({ column }) => column.name !== made?.name);
    const values = [
      ...owners.map(({ param, column }) => ({ column, value: `:[${words.param(param)}]` })),
      ...own,
    ];
    if (own.length === 0) return undefined;
    // What the row requires, and neither the body nor a default provides.
    if (
      table.key !== undefined &&
      made === undefined &&
      !values.some(({ column }) => column.name === table.key?.name)
    )
      return undefined;
    const shape = json === undefined ? undefined : oneShape(json);
    const select = shape && this.#select(table, shape.row);
    if (json !== undefined && select === undefined) return undefined;
    const madeHere =
      made !== undefined && !isPostgres && onlyType(made.schema) !== 'integer' ? made : undefined;
    if (madeHere !== undefined)
      values.unshift({ column: madeHere, value: `:[${words.field('made', 'id')}]` });
    const columns = values.map(({ column }) => column.quoted).join(', ');
    const insert = `INSERT INTO ${table.quoted} (${columns})\nVALUES (${values.map(({ value }) => value).join(', ')})\n`;
    const steps = madeHere === undefined ? [] : [this.#step('made', 'READ', 'SELECT uuid() AS id')];
    if (made !== undefined && endpoint.body?.json?.properties.has(fieldOf(table, made) ?? '') === true)
      this.comments.push(`The database makes '${made.name}', whatever the body says.`);
    if (shape === undefined || select === undefined) {
      steps.push(this.#step('inserted', 'UPDATE', insert));
      return {
        kind: 'insert',
        operation: { fulfillments: steps, responses: onlyResponse(status, undefined) },
      };
    }
    if (isPostgres) {
      steps.push(this.#step('inserted', 'UPDATE', `${insert}RETURNING ${select}\n`));
      return {
        kind: 'insert',
        operation: { fulfillments: steps, responses: this.#respond('inserted', shape.field) },
      };
    }
    if (table.key === undefined) return undefined;
    const { quoted: key, name } = table.key;
    const provided = values.find(({ column }) => column.name === name)?.value;
    const where = `${key} = ${provided ?? `:[${words.field('inserted', 'insert_id')}]`}`;
    steps.push(this.#step('inserted', 'UPDATE', insert));
    steps.push(this.#step('row', 'READ', `SELECT ${select}\nFROM ${table.quoted}\nWHERE ${where}\n`));
    return {
      kind: 'insert',
      operation: {
        transaction: true,
        fulfillments: steps,
        responses: this.#respond('row', shape.field),
      },
    };
  }

  /** The row that the path names, or the body where it holds the key. */
  #update(table: DescribedTable): Pick<DescribedOperation, 'operation' | 'kind'> | undefined {
    const { endpoint, item } = this.target;
    const { words, dialect } = this.style;
    const isPatch = endpoint.method === 'PATCH';
    const { json, status } = successOf(endpoint);
    const keyField = fieldOf(table, table.key);
    const body = objectShape(endpoint.body?.json);
    const conditions = this.#where();
    const byBody = item === undefined ? keyField : undefined;
    if (item === undefined) {
      if (byBody === undefined || table.key === undefined || body?.properties.has(byBody) !== true)
        return undefined;
      conditions.push(`${table.key.quoted} = :[${words.body(byBody)}]`);
    }
    const values = this.#values(table, isPatch).filter(({ column }) => column.name !== table.key?.name);
    if (values.length === 0) return undefined;
    const shape = json === undefined ? undefined : oneShape(json);
    const select = shape && this.#select(table, shape.row);
    if (json !== undefined && select === undefined) return undefined;
    values.push(...timesOfChange(table));
    if (isPatch) this.comments.push('A field that is null or absent stays as it is.');
    const set = values.map(({ column, value }) => `${column.quoted} = ${value}`).join(',\n    ');
    const where = `WHERE ${conditions.join(' AND ')}\n`;
    const update = `UPDATE ${table.quoted}\nSET ${set}\n${where}`;
    if (dialect === 'postgresql') {
      const query = select === undefined ? update : `${update}RETURNING ${select}\n`;
      const step = this.#step('updated', 'UPDATE', query, this.#missing(table, words.isEmpty('updated')));
      const responses =
        shape === undefined ? onlyResponse(status, undefined) : this.#respond('updated', shape.field);
      return { kind: 'update', operation: { fulfillments: [step], responses } };
    }
    // A row that is as it should be already is not counted as changed.
    const read = `SELECT ${select ?? '1 AS found'}\nFROM ${table.quoted}\n${where}`;
    const steps = [
      this.#step('updated', 'UPDATE', update),
      this.#step('row', 'READ', read, this.#missing(table, words.isEmpty('row'))),
    ];
    const responses =
      shape === undefined ? onlyResponse(status, undefined) : this.#respond('row', shape.field);
    return { kind: 'update', operation: { fulfillments: steps, responses } };
  }

  #delete(table: DescribedTable): Pick<DescribedOperation, 'operation' | 'kind'> | undefined {
    const { words, dialect } = this.style;
    const { status, json } = successOf(this.target.endpoint);
    const where = this.#where().join(' AND ');
    const shape = json === undefined ? undefined : oneShape(json);
    const select = shape && this.#select(table, shape.row);
    // The response of a deletion that is not a row: a message, or similar.
    const hasRow = select !== undefined && dialect === 'postgresql';
    if (json !== undefined && !hasRow) return undefined;
    const none =
      dialect === 'postgresql'
        ? words.isEmpty('deleted')
        : words.equals(words.field('deleted', 'affected_rows'), 0);
    const query = `DELETE FROM ${table.quoted} WHERE ${where}`;
    const step = this.#step(
      'deleted',
      'UPDATE',
      hasRow ? `${query}\nRETURNING ${select}\n` : query,
      this.#missing(table, none),
    );
    const responses = hasRow ? this.#respond('deleted', shape?.field) : onlyResponse(status, undefined);
    return { kind: 'delete', operation: { fulfillments: [step], responses } };
  }
}

function fieldOf({ columns }: DescribedTable, column: DescribedColumn | undefined): string | undefined {
  return column && [...columns].find(([, one]) => one === column)?.[0];
}

/** `pets` is one pet. */
function singular(name: string): string {
  return name
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|x|ch|sh)es$|(?<![su])s$/, '')
    .replaceAll('_', ' ');
}

function isNumber(schema: ApiSchema): boolean {
  return ['integer', 'number'].includes(onlyType(schema) ?? '');
}

/** Columns such as `updated_at`, which clients only read: they hold the time of the last change. */
function timesOfChange({
  columns,
}: DescribedTable): { readonly column: DescribedColumn; readonly value: string }[] {
  return [...columns.values()]
    .filter(({ schema, type }) => schema.readOnly === true && /^timestamp/.test(type.base))
    .filter(({ name }) => /(?:^|_)(?:updated|modified|changed|edited)(?:_|$)/.test(name))
    .map((column) => ({ column, value: 'current_timestamp' }));
}
