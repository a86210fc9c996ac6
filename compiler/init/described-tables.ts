/** The tables that an API description is about: one for each collection of resources, with a column for each field. */
import type { ApiEndpoint, ApiSchema } from '../openapi/api-model.js';
import type { Dialect } from '../sql/dialect.js';
import { columnTypeOf, defaultOf, literal, snakeCase, wordsOf, type ColumnType } from './described-column.js';
import {
  isNullable,
  listShape,
  objectShape,
  oneShape,
  onlyType,
  successOf,
  type ObjectShape,
} from './described-shape.js';
import { unique } from './row-names.js';
import { writtenName } from '../sql/quoted-name.js';

export interface DescribedColumn {
  readonly name: string;
  readonly quoted: string;
  readonly schema: ApiSchema;
  readonly type: ColumnType;
  isNotNull: boolean;
  /** Whether a value must be passed when a row is added. */
  isProvided: boolean;
}

export interface DescribedTable {
  readonly name: string;
  readonly quoted: string;
  /** By the name of the field. */
  readonly columns: Map<string, DescribedColumn>;
  key: DescribedColumn | undefined;
  /** The key is a number, or a uuid, and the database makes it. */
  isKeyMade: boolean;
}

/** An endpoint, and the table that it is about. */
export interface EndpointWithTable {
  readonly endpoint: ApiEndpoint;
  readonly table: DescribedTable | undefined;
  /** The last parameter of the path, where the path ends with it and one row is meant. */
  readonly item: { readonly param: string; readonly column: DescribedColumn } | undefined;
  /** Parameters of the path that select rows, without the item; with their columns. */
  readonly owners: readonly { readonly param: string; readonly column: DescribedColumn }[];
}

interface Collection {
  /** Parts of the path that are not parameters. */
  readonly names: readonly string[];
  readonly endpoints: ApiEndpoint[];
  /** Names of the models of its rows. */
  readonly models: Set<string>;
  hasItems: boolean;
  isFilled: boolean;
  table: DescribedTable | undefined;
}

export class DescribedTables {
  readonly tables: DescribedTable[] = [];
  readonly targets: readonly EndpointWithTable[];
  readonly #collections = new Map<string, Collection>();

  constructor(
    endpoints: readonly ApiEndpoint[],
    private readonly dialect: Dialect,
  ) {
    for (const endpoint of endpoints) this.#collect(endpoint);
    const collections = [...this.#collections.values()].filter(isAboutRows);
    // Lists beside a collection, such as a search, are about its rows.
    for (const collection of collections.filter(({ hasItems, isFilled }) => hasItems || isFilled))
      collection.table = this.#same(collection) ?? this.#table(collection);
    for (const collection of collections)
      collection.table ??= this.#same(collection) ?? this.#table(collection);
    for (const { endpoints: own, table } of collections) {
      if (table !== undefined) for (const endpoint of own) this.#fill(endpoint, table);
    }
    for (const { endpoints: own, table } of collections) if (table !== undefined) this.#findKey(own, table);
    this.targets = endpoints.map((endpoint) => this.#target(endpoint));
  }

  #collect(endpoint: ApiEndpoint): void {
    const key = keyOf(endpoint);
    const names = endpoint.path.split('/').filter((part) => part !== '' && !part.includes('{'));
    if (names.length === 0) return;
    const collection: Collection = this.#collections.get(key) ?? {
      ...{ names, endpoints: [], models: new Set(), hasItems: false, isFilled: false, table: undefined },
    };
    this.#collections.set(key, collection);
    collection.endpoints.push(endpoint);
    const { model } = rowOf(endpoint) ?? {};
    if (model !== undefined) collection.models.add(model);
    if (itemOf(endpoint.path) !== undefined && endpoint.method !== 'POST') collection.hasItems = true;
    if (endpoint.method === 'POST' && successOf(endpoint).status === 201) collection.isFilled = true;
  }

  #same({ models, names, hasItems }: Collection): DescribedTable | undefined {
    for (const other of this.#collections.values()) {
      if (other.table === undefined || ![...models].some((model) => other.models.has(model))) continue;
      if (!hasItems || other.names.at(-1) === names.at(-1)) return other.table;
    }
    return undefined;
  }

  #table({ names }: Collection): DescribedTable {
    const taken = this.tables.map(({ name }) => name);
    const longer = names.map((_, index) => snakeCase(names.slice(-1 - index).join('_')));
    const name = longer.find((one) => !taken.includes(one)) ?? unique(longer[0] ?? 'rows', taken);
    const table: DescribedTable = {
      ...{
        name,
        quoted: writtenName(name, this.dialect),
        columns: new Map(),
        key: undefined,
        isKeyMade: false,
      },
    };
    this.tables.push(table);
    return table;
  }

  #fill(endpoint: ApiEndpoint, table: DescribedTable): void {
    const shape = rowOf(endpoint);
    for (const [field, schema] of shape?.properties ?? []) {
      const column = this.#column(table, field, schema);
      // What clients only read is given by the database, the time of a change too where it need not be there.
      const isMade = schema.readOnly === true && schema.format === 'date-time';
      if ((isMade || shape?.required.has(field) === true) && !isNullable(schema)) column.isNotNull = true;
    }
    const body = objectShape(endpoint.body?.json);
    if (endpoint.method === 'GET' || body === undefined) return;
    for (const [field, schema] of body.properties) {
      const column = this.#column(table, field, schema);
      const isAsked = endpoint.method === 'POST' && body.required.has(field) && schema.readOnly !== true;
      if (!isAsked || isNullable(schema)) continue;
      column.isProvided = true;
      column.isNotNull = true;
    }
  }

  #column(table: DescribedTable, field: string, schema: ApiSchema): DescribedColumn {
    const known = table.columns.get(field);
    if (known !== undefined) return known;
    const taken = [...table.columns.values()].map(({ name }) => name);
    const name = unique(snakeCase(field), taken);
    const type = columnTypeOf(schema, this.dialect);
    const column = {
      name,
      quoted: writtenName(name, this.dialect),
      schema,
      type,
      isNotNull: false,
      isProvided: false,
    };
    table.columns.set(field, column);
    return column;
  }

  /** The column that the end of the path names, else `id`. */
  #findKey(endpoints: readonly ApiEndpoint[], table: DescribedTable): void {
    const wished = endpoints.flatMap((endpoint) => {
      const param = itemOf(endpoint.path);
      const isOne = param !== undefined && listShape(successOf(endpoint).json) === undefined;
      return isOne ? [{ param, schema: parameterSchema(endpoint, param) }] : [];
    });
    const [first] = wished;
    const field =
      first === undefined
        ? table.columns.has('id')
          ? 'id'
          : undefined
        : (fieldFor(first.param, table) ?? first.param);
    if (table.key !== undefined || field === undefined) return;
    const schema = table.columns.get(field)?.schema ?? first?.schema;
    if (schema === undefined) return;
    const known = this.#column(table, field, schema);
    const key: DescribedColumn = {
      ...known,
      type: columnTypeOf(known.schema, this.dialect, true),
      isNotNull: true,
    };
    if (!key.type.isScalar) return;
    table.columns.set(field, key);
    table.key = key;
    const type = onlyType(key.schema);
    table.isKeyMade = !key.isProvided && (type === 'integer' || type === 'string') && !isDated(key);
  }

  #target(endpoint: ApiEndpoint): EndpointWithTable {
    const table = this.#collections.get(keyOf(endpoint))?.table;
    const params = [...endpoint.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
    const success = successOf(endpoint).json;
    const isList = endpoint.method === 'GET' && listShape(success) !== undefined;
    const last = isList ? undefined : itemOf(endpoint.path);
    if (table === undefined) return { endpoint, table, item: undefined, owners: [] };
    const item =
      last === undefined ? undefined : { param: last, column: this.#columnFor(last, endpoint, table) };
    const owners = params
      .filter((param) => param !== last)
      .map((param) => {
        const field = [...table.columns.keys()].find((name) => snakeCase(name) === snakeCase(param)) ?? param;
        return { param, column: this.#column(table, field, parameterSchema(endpoint, param)) };
      });
    return { endpoint, table, item, owners };
  }

  #columnFor(param: string, endpoint: ApiEndpoint, table: DescribedTable): DescribedColumn {
    return this.#column(table, fieldFor(param, table) ?? param, parameterSchema(endpoint, param));
  }

  /** The SQL that makes them. */
  schema(): string {
    return this.tables.map((table) => this.#create(table)).join('\n');
  }

  #create(table: DescribedTable): string {
    const { dialect } = this;
    const isPostgres = dialect === 'postgresql';
    const lines = [...table.columns.values()].map((column) => {
      const { type, schema, isNotNull } = column;
      const isKey = column === table.key;
      const isNumber = onlyType(schema) === 'integer';
      const words = [`${column.quoted} ${type.sql}`];
      if (isKey && table.isKeyMade && isNumber)
        words.push(isPostgres ? 'GENERATED BY DEFAULT AS IDENTITY' : 'AUTO_INCREMENT');
      else if (isKey && table.isKeyMade) {
        const uuid = type.base === 'uuid' ? 'gen_random_uuid()' : 'gen_random_uuid()::text';
        words.push(isPostgres ? `DEFAULT ${uuid}` : 'DEFAULT (uuid())');
      } else if (isNotNull && !isKey)
        words.push(`NOT NULL${column.isProvided ? '' : ` DEFAULT ${defaultOf(schema, dialect)}`}`);
      else if (type.base === 'timestamp') words.push('NULL');
      if (isKey) words.push('PRIMARY KEY');
      const listed = wordsOf(schema);
      if (listed !== undefined && type.isScalar)
        words.push(
          `CHECK (${column.quoted} IN (${listed.map((word) => literal(word, dialect)).join(', ')}))`,
        );
      return `  ${words.join(' ')}`;
    });
    return `CREATE TABLE ${table.quoted} (\n${lines.join(',\n')}\n);\n`;
  }
}

/** A collection is the path without the parameters that it ends with. */
function keyOf({ path }: ApiEndpoint): string {
  const parts = path.split('/').map((part) => (part.includes('{') ? '{}' : part));
  while (parts.at(-1) === '{}' || parts.at(-1) === '') parts.pop();
  return parts.join('/');
}

/** The parameter that the path ends with. */
function itemOf(path: string): string | undefined {
  return /\/\{([^{}/]+)\}$/.exec(path)?.[1];
}

/** The fields of the rows that an endpoint returns, else of those that it receives. */
function rowOf(endpoint: ApiEndpoint): ObjectShape | undefined {
  const { json } = successOf(endpoint);
  if (endpoint.method === 'GET') {
    const list = listShape(json)?.item;
    if (list !== undefined || itemOf(endpoint.path) === undefined) return list;
    return oneShape(json)?.row;
  }
  if (endpoint.method === 'DELETE') return undefined;
  const body = objectShape(endpoint.body?.json);
  // A change that returns something else, such as a message.
  const row = oneShape(json)?.row;
  const isSame =
    body !== undefined && [...body.properties.keys()].some((name) => row?.properties.has(name) === true);
  return isSame ? row : body;
}

/** Whether rows are listed, asked for one by one, or added. */
function isAboutRows({ endpoints, hasItems, isFilled }: Collection): boolean {
  if (!endpoints.some((endpoint) => rowOf(endpoint) !== undefined)) return false;
  return hasItems || isFilled || endpoints.some((one) => one.method === 'GET' && rowOf(one) !== undefined);
}

/** `petId` is the field of that name, else `id`, else the field that the name ends with. */
function fieldFor(param: string, { columns }: DescribedTable): string | undefined {
  const wished = snakeCase(param);
  const fields = [...columns.keys()];
  const find = (test: (name: string) => boolean): string | undefined =>
    fields.find((one) => test(snakeCase(one)));
  return (
    find((name) => name === wished) ??
    (wished.endsWith('id') ? find((name) => name === 'id') : undefined) ??
    find((name) => wished.endsWith(`_${name}`))
  );
}

export function parameterSchema({ parameters, span }: ApiEndpoint, name: string): ApiSchema {
  const found = parameters.find((one) => one.name === name && one.in === 'path')?.schema;
  return found ?? { ...anyText, span };
}

const anyText: Omit<ApiSchema, 'span'> = {
  ...{
    model: undefined,
    types: ['string'],
    properties: new Map(),
    required: [],
    additionalProperties: undefined,
  },
  ...{
    items: undefined,
    allOf: [],
    anyOf: [],
    oneOf: [],
    not: undefined,
    enum: undefined,
    format: undefined,
  },
  ...{ bounds: new Map(), default: undefined, description: undefined },
};

function isDated({ type }: DescribedColumn): boolean {
  return /^(?:date|timestamp|bytea|longblob)/.test(type.base);
}
