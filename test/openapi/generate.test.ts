/** The API description generated if there is none: valid according to an independent validator, and consistent with the service. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { knownValues } from '../../compiler/analyze/describe/values-for-description.js';
import { checkSource, checkWithDatabases } from '../../compiler/compile.js';
import { oneFile, type FindIncluded } from '../../compiler/read/config/include/included-files.js';
import { readWithSql } from '../helpers/read-with-sql.js';
import { describe as describeConfig } from '../../compiler/tools/describe.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { JsonMap } from '../../compiler/read/json.js';
import { schemaOfType } from '../../compiler/analyze/describe/schema-of-type.js';
import { typeIn } from '../../compiler/analyze/types/column-type.js';
import { generateDescription } from '../../compiler/analyze/describe/generate.js';
import { everyOf } from '../helpers/runs.js';
import { databasesOf, serviceFixtures } from '../helpers/service-fixture.js';

// Functions that return a model need the user's description.
const fixtures = serviceFixtures()
  .filter(({ database, config }) => database === 'postgresql' && !/^ *returns: [A-Z]/m.test(config))
  .filter(({ name }, index) => index % everyOf(6) === 0 || name === 'first-row');

function generated(text: string, include: FindIncluded = oneFile.find): JsonMap {
  const config = readWithSql(text, new Report(), { ...oneFile, find: include });
  if (config === undefined) throw new Error('no configuration');
  return generateDescription(config, knownValues(new Analysis(config, undefined, [])));
}

async function expectValid(description: JsonMap): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(description));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
}

/** Fixtures that are only valid without a description, because a description gives parameters types and locations. */
const onlyUndescribed: readonly string[] = ['path-into-text', 'header-or-query'];

describe.each(fixtures)('$name', (fixture) => {
  const { name, config, include } = fixture;

  test('is valid', async () => {
    await expectValid(generated(config, include));
  });

  // Mappings need models from the user's description, which a generated one does not invent.
  const isMapped = /^ *mappings:/m.test(config);
  if (!isMapped)
    test('describes every endpoint, so that the configuration matches it', () => {
      const source = { path: 'openapi.json', text: JSON.stringify(generated(config, include)) };
      const description = { source, read: () => undefined };
      const files = { config: { path: 'config.yaml', text: config }, include };
      const { diagnostics } = checkSource({ ...files, description });
      const { diagnostics: without } = checkSource(files);
      const others = without.filter(({ code }) => !onlyUndescribed.includes(code));
      expect(diagnostics.map(({ message }) => message)).toEqual(others.map(({ message }) => message));
    });

  test('with the types of its schema it is valid, and the configuration matches it', async () => {
    const databases = databasesOf(fixture);
    const source = { path: 'config.yaml', text: config };
    const { text = '' } = await describeConfig(source, 'json', databases, include);
    await expectValid(JSON.parse(text) as JsonMap);
    if (isMapped) return;
    const description = { source: { path: 'openapi.json', text }, read: () => undefined };
    const { diagnostics } = await checkWithDatabases({ config: source, include, description }, databases);
    const { diagnostics: without } = await checkWithDatabases({ config: source, include }, databases);
    const others = without
      .filter(({ code }) => !onlyUndescribed.includes(code))
      .map(({ message }) => message);
    expect(diagnostics.map(({ message }) => message)).toEqual(others);
  });

  test('is the same as YAML', async () => {
    const source = { path: `${name}/config.yaml`, text: config };
    const { text: json } = await describeConfig(source, 'json', undefined, include);
    const { text: yaml } = await describeConfig(source, 'yaml', undefined, include);
    expect(parse(yaml ?? '')).toEqual(JSON.parse(json ?? ''));
    expect((await describeConfig(source, 'json', undefined, include)).text).toBe(json);
  });
});

const everything = `
specification: "1.0"
operations:
  'POST /orders/{id}':
    authentications: []
    fulfillments:
      - name: lines
        type: LOOP
        loop: BODY($.lines)
        fulfillments:
          - name: line
            type: UPDATE
            datasource: db
            instructions:
              - query: INSERT INTO line VALUES (:[VALUE(lines, $.product.id)], :[VALUE(lines, $.count)], :[PARAM(X-Tenant)])
      - name: stock
        type: reference
        operationName: stock
        parameters:
          product: BODY($.first.product)
          body: { note: BODY($.note) }
    responses:
      - name: a
        default: true
        statuscode: 200
        schema:
          a: TEXT(x)
          b: INTEGER(1)
          c: SIZE(VALUE(stock, $))
          d: { list: LIST(3), item: BODY() == NULL() }
          e: DECIMAL(1.5)
      - name: b
        default: false
        if: PARAM(empty) == TEXT(true)
        statuscode: 200
        schema: NULL()
  stock:
    fulfillments:
      - name: found
        type: READ
        datasource: db
        instructions:
          - query: SELECT 1 FROM stock WHERE a = :[PARAM(product)] AND b = :[PARAM(color)] AND c = :[BODY($.note)]
        exceptions:
          - if: SIZE(VALUE(found, $)) == INTEGER(0)
            statuscode: 418
            message: There is no :[PARAM(product)]
    responses:
      - name: ok
        default: true
        statuscode: 200
  'get /orders/{number}':
    fulfillments:
      - name: other
        type: READ
        datasource: rest
        instructions:
          - request: { url: /orders, httpType: GET, header: ['Authorization: :[PARAM(Authorization)]'] }
    responses:
      - name: ok
        default: true
        statuscode: 204
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/orders' }
  rest: { type: rest, url: 'https://example.com' }
authentications:
  staff members: { type: basicauth, user: a, password: b }
`;

describe('a configuration with everything', () => {
  const whole = generated(everything);
  const description = whole as {
    security: unknown;
    paths: Record<string, Record<string, Record<string, unknown>>>;
    components: Record<string, Record<string, unknown>>;
  };
  const post = description.paths['/orders/{id}']?.post ?? {};

  test('is valid', async () => {
    await expectValid(whole);
  });

  test('has the parameters of called operations, except those that the call passes', () => {
    expect(post.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'X-Tenant', in: 'header', schema: { type: 'string' } },
      { name: 'empty', in: 'query', schema: { type: ['string', 'array'], items: { type: 'string' } } },
      { name: 'color', in: 'query', schema: { type: ['string', 'array'], items: { type: 'string' } } },
    ]);
  });

  test('knows the body from its paths, loops over it and references with a body of their own', () => {
    // Types are unknown, because reading a field of a value of another kind yields null.
    const line = { properties: { product: { properties: { id: {} } }, count: {} } };
    const first = { properties: { product: {} } };
    const properties = { lines: { items: line }, first, note: {} };
    expect(post.requestBody).toEqual({ content: { 'application/json': { schema: { properties } } } });
  });

  test('has every response: responses of one status together, exceptions of called operations, errors of the service', () => {
    const responses = post.responses as Record<string, { content: Record<string, { schema: unknown }> }>;
    expect(Object.keys(responses)).toEqual(['200', '400', '409', '413', '415', '418', '500', '503', '504']);
    expect(responses['200']?.content['application/json']?.schema).toEqual({
      anyOf: [
        {
          type: 'object',
          required: ['a', 'b', 'c', 'd', 'e'],
          properties: {
            a: { type: 'string' },
            b: { type: 'integer' },
            c: { type: 'integer' },
            d: { type: 'array', items: { type: 'boolean' } },
            e: { type: 'number' },
          },
        },
        { type: 'null' },
      ],
    });
    expect(responses['418']).toMatchObject({ description: 'There is no …' });
  });

  test('has the authentications, and the operation that is open', () => {
    expect(description.security).toEqual([{ staff_members: [] }]);
    expect(post.security).toEqual([]);
    expect(description.components.securitySchemes).toEqual({
      staff_members: { type: 'http', scheme: 'basic' },
    });
  });

  test('names one path once, whatever its parameters are called', () => {
    const { get } = description.paths['/orders/{id}'] ?? {};
    expect(Object.keys(description.paths)).toEqual(['/orders/{id}']);
    expect(get?.parameters).toEqual([{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]);
    expect(Object.keys(get?.responses ?? {})).toEqual(['204', '400', '401', '500', '502', '503', '504']);
  });
});

test('an operation with an idempotency key has a required header, and the statuses 409 and 422', () => {
  const config = `specification: '1.0'
operations:
  POST /a:
    transaction: true
    idempotency: { key: HEADER(Idempotency-Key), required: true }
    fulfillments: [{ name: code, type: CODE, function: add }]
    responses: [{ name: ok, default: true, statuscode: 204 }]
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/a' }
`;
  const { paths } = generated(config) as {
    paths: Record<string, Record<string, { parameters: object[]; responses: object }>>;
  };
  const post = paths['/a']?.post;
  expect(post?.parameters).toEqual([
    { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string' } },
  ]);
  expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['400', '409', '422']));
});

test('an operation with limits has the status 429', () => {
  const { paths } = generated(`
specification: "1.0"
operations:
  GET /a:
    limits: [{ by: HEADER(x-part), times: 5, within: 1m }]
    responses: [{ name: ok, default: true, statuscode: 204 }]
  GET /b:
    responses: [{ name: ok, default: true, statuscode: 204 }]
`) as { paths: Record<string, Record<string, { responses: object }>> };
  expect(Object.keys(paths['/a']?.get?.responses ?? {})).toEqual(['204', '400', '429', '500', '503', '504']);
  expect(Object.keys(paths['/b']?.get?.responses ?? {})).toEqual(['204', '500', '503', '504']);
});

test('parameters whose parts are read are objects and lists', () => {
  const { paths } = generated(`
specification: "1.0"
operations:
  GET /news:
    fulfillments:
      - name: news
        type: READ
        datasource: db
        queries: [{ query: 'SELECT 1 WHERE 1 = :[param.page.number] AND 2 = :[param.ids[0]] AND 3 = :[param.q]' }]
    responses: [{ name: ok, default: true, statuscode: 204 }]
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/news' }
`) as { paths: Record<string, Record<string, { parameters: object }>> };
  expect(paths['/news']?.get?.parameters).toEqual([
    { name: 'page', in: 'query', style: 'deepObject', schema: { type: 'object' } },
    { name: 'ids', in: 'query', schema: { type: 'array', items: {} } },
    { name: 'q', in: 'query', schema: { type: ['string', 'array'], items: { type: 'string' } } },
  ]);
});

test('loops of one name in sibling loops each read their own part of the body', () => {
  const loop = (name: string, list: string, field: string): string => `
      - name: ${name}
        type: LOOP
        loop: LIST(1)
        fulfillments:
          - name: each
            type: LOOP
            loop: BODY($.${list})
            fulfillments:
              - name: found
                type: READ
                datasource: db
                instructions: [{ query: 'SELECT id FROM news WHERE id = :[VALUE(each, $.${field})]' }]`;
  const { paths } = generated(`
specification: "1.0"
operations:
  POST /news:
    fulfillments:${loop('first', 'orders', 'number')}${loop('second', 'people', 'name')}
    responses: [{ name: ok, default: true, statuscode: 204 }]
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/news' }
`) as { paths: Record<string, Record<string, { requestBody: unknown }>> };
  const list = (field: string): object => ({ items: { properties: { [field]: {} } } });
  expect(paths['/news']?.post?.requestBody).toEqual({
    content: {
      'application/json': { schema: { properties: { orders: list('number'), people: list('name') } } },
    },
  });
});

test('an operation that only takes uploads may be overloaded', () => {
  const { paths } = generated(`
specification: "1.0"
operations:
  POST /photos:
    fulfillments:
      - name: sent
        type: UPDATE
        datasource: rest
        instructions:
          - request: { url: /photos, httpType: POST, multipart: { photo: MULTIPART_FILE(photo) } }
    responses: [{ name: ok, default: true, statuscode: 204 }]
datasources:
  rest: { type: rest, url: 'https://example.com' }
`) as { paths: Record<string, Record<string, { responses: object }>> };
  expect(Object.keys(paths['/photos']?.post?.responses ?? {})).toEqual([
    ...['204', '400', '413', '415', '500', '502', '503', '504'],
  ]);
});

test('fields of mapped models have the types of their mappings', () => {
  const mappings = (count: string): string => `
    fulfillments:
      - { name: news, type: READ, datasource: db, queries: [{ query: SELECT 1 AS id }] }
    responses: [{ name: ok, default: true, statuscode: 200 }]
    mappings:
      Page: { count: ${count}, isOne: news.id == 1, kind: "'page'", first: news.id }
`;
  const text = `
specification: "1.0"
operations:
  GET /a:${mappings('news.size()')}
  GET /b:${mappings('news.id')}
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;
  const models = (source: string): unknown =>
    (generated(source) as { components: { schemas: Record<string, unknown> } }).components.schemas['Page'];
  const others = { isOne: { type: 'boolean' }, kind: { type: 'string' }, first: {} };
  expect(models(text.replace(/ {2}GET \/b:[\s\S]*?(?=datasources)/, ''))).toEqual({
    type: 'object',
    properties: { count: { type: 'integer' }, ...others },
  });
  // Two operations disagree about the type.
  expect(models(text)).toEqual({ type: 'object', properties: { count: {}, ...others } });
});

describe('with a schema', () => {
  const fixture = fixtures.find(({ name }) => name === 'first-row');

  async function described(path: readonly string[]): Promise<unknown> {
    if (fixture === undefined) throw new Error('There is no fixture first-row.');
    const source = { path: 'config.yaml', text: fixture.config };
    const { text = '' } = await describeConfig(source, 'json', databasesOf(fixture));
    let found = JSON.parse(text) as unknown;
    for (const step of path) found = (found as Readonly<Record<string, unknown>>)[step];
    return found;
  }

  test('responses have the types and the nulls of their columns', async () => {
    const [ok] = (await described([
      ...['paths', '/people/{id}', 'get', 'responses', '200', 'content', 'application/json', 'schema'],
      'anyOf',
    ])) as readonly unknown[];
    expect(ok).toEqual({
      type: 'object',
      required: ['email', 'nick', 'place'],
      properties: {
        email: { type: 'string' },
        nick: { type: ['string', 'null'] },
        place: { type: ['string', 'null'] },
      },
    });
  });

  test('parameters have the types that the database takes them as', async () => {
    expect(await described(['paths', '/people/{id}', 'get', 'parameters'])).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } },
    ]);
  });
});

describe('a row that is certainly there is not null in responses', () => {
  const schema = `
    CREATE TABLE news (id int PRIMARY KEY, title text NOT NULL, note text);
    CREATE TABLE guarded (id int PRIMARY KEY);
    CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER guard BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION guard();
    CREATE TABLE split (id int NOT NULL) PARTITION BY RANGE (id);
    CREATE TABLE part PARTITION OF split FOR VALUES FROM (1) TO (9);
    CREATE TRIGGER guard BEFORE INSERT ON part FOR EACH ROW EXECUTE FUNCTION guard();
    CREATE VIEW shown AS SELECT id FROM news;`;

  async function body(query: string, value: string, { more = '', behind = '', type = 'READ' } = {}) {
    const isB = /^[a-z]/.test(value);
    const config = `
specification: "1.0"
datasources: { db: { type: db, url: 'jdbc:${type === 'MARIADB' ? 'mariadb' : 'postgresql'}://localhost/shop' } }
operations:
  POST /news:
    fulfillments:
      - name: news
        type: ${/^INSERT/.test(query) ? 'UPDATE' : 'READ'}
        datasource: db${more}
        ${isB ? 'queries' : 'instructions'}: [{ query: "${query}" }]${behind}
    responses: [{ name: ok, default: true, statuscode: 200, schema: '${value}' }]
`;
    const source = { path: 'config.yaml', text: config };
    const databases = type === 'MARIADB' ? undefined : databasesOf({ schema });
    const { text, diagnostics } = await describeConfig(source, 'json', databases);
    if (text === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    const { paths } = JSON.parse(text) as Paths;
    return paths['/news']?.post?.responses['200']?.content['application/json'].schema;
  }

  interface Paths {
    readonly paths: Record<
      string,
      Record<
        string,
        { responses: Record<string, { content: { 'application/json': { schema: { type: unknown } } } }> }
      >
    >;
  }

  const exception = (condition: string): string => `
        exceptions: [{ if: '${condition}', statuscode: 404, message: none }]`;
  const read = 'SELECT id, title, note FROM news WHERE id = 1';
  const missing = exception('SIZE(VALUE(news, $)) == INTEGER(0)');

  test.each<[string, string, unknown, object]>([
    [read, 'VALUE(news, $[0])', ['object', 'null'], {}],
    [read, 'VALUE(news, $[0])', 'object', { behind: missing }],
    [read, 'VALUE(news, $[-1])', 'object', { behind: missing }],
    [read, 'VALUE(news, $[1])', ['object', 'null'], { behind: missing }],
    [read, 'VALUE(news, $[0].title)', 'string', { behind: missing }],
    [read, 'VALUE(news, $[0].note)', ['string', 'null'], { behind: missing }],
    [read, 'VALUE(news, $[0])', 'object', { behind: exception('VALUE(news, $.id) == NULL()') }],
    [read, 'VALUE(news, $[1])', ['object', 'null'], { behind: exception('VALUE(news, $.id) == NULL()') }],
    [read, 'VALUE(news, $[0])', ['object', 'null'], { behind: exception('VALUE(news, $.id) == INTEGER(1)') }],
    [read, 'news[0]', 'object', { behind: exception('news == null') }],
    [read, 'news[0]', 'object', { behind: exception('news.id == null') }],
    [read, 'news[0].title', 'string', { behind: exception('news == null') }],
    ['INSERT INTO news VALUES (1) RETURNING *', 'VALUE(news, $[0])', 'object', {}],
    ['INSERT INTO news VALUES (1) RETURNING title', 'news.title', 'string', {}],
    ['INSERT INTO news VALUES (1) RETURNING note', 'news.note', ['string', 'null'], {}],
    ['INSERT INTO news VALUES (1), (2) RETURNING *', 'VALUE(news, $[0])', ['object', 'null'], {}],
    ['INSERT INTO news VALUES (1) ON CONFLICT DO NOTHING RETURNING *', 'news[0]', ['object', 'null'], {}],
    ['INSERT INTO news SELECT 1 RETURNING *', 'news[0]', ['object', 'null'], {}],
    ['INSERT INTO guarded VALUES (1) RETURNING *', 'news[0]', ['object', 'null'], {}],
    ['INSERT INTO split VALUES (1) RETURNING *', 'news[0]', ['object', 'null'], {}],
    ['INSERT INTO shown VALUES (1) RETURNING *', 'news[0]', ['object', 'null'], {}],
    [
      'INSERT INTO news VALUES (1) RETURNING *',
      'news[0]',
      ['object', 'null'],
      { more: "\n        if: param.x == 'y'" },
    ],
    ['SELECT count(*) AS n FROM news', 'news.n', ['integer', 'string'], {}],
    ['SELECT count(*) AS n FROM news OFFSET 1', 'news.n', ['integer', 'string', 'null'], {}],
    ['SELECT count(*) AS n, generate_series(1, 0) FROM news', 'news.n', ['integer', 'string', 'null'], {}],
    ['INSERT INTO news VALUES (1) RETURNING *', 'news[0]', 'object', { type: 'MARIADB' }],
    ['INSERT IGNORE INTO news VALUES (1) RETURNING *', 'news[0]', ['object', 'null'], { type: 'MARIADB' }],
  ])('%s; %s is %j', async (query, value, type, others) => {
    expect((await body(query, value, others))?.type).toEqual(type);
  });
});

describe('a field of a skipped fulfillment', () => {
  async function typeOf(conditions: string, value: string): Promise<unknown> {
    const text = `
specification: "1.0"
operations:
  POST /tokens:
    fulfillments:
      - { name: new, type: COMPUTE, if: BODY($.wanted) == BOOLEAN(true), schema: { id: UUID(), name: BODY($.name) } }
    responses:${conditions}
      - { name: ok, default: true, statuscode: 200, schema: { value: '${value}' } }
`;
    const described = await describeConfig({ path: 'config.yaml', text }, 'json');
    const { paths } = JSON.parse(described.text ?? '') as {
      readonly paths: Record<string, { post: { responses: Record<string, Body> } }>;
    };
    return paths['/tokens']?.post.responses['200']?.content['application/json'].schema.properties['value']
      ?.type;
  }

  interface Body {
    readonly content: {
      'application/json': { schema: { properties: Record<string, { type: unknown } | undefined> } };
    };
  }

  const refused = (condition: string): string =>
    `\n      - { name: refused, default: false, if: '${condition}', statuscode: 401 }`;

  test.each([
    ['without a condition', '', 'VALUE(new, $.id)', ['string', 'null']],
    [
      'after a response for the missing result',
      refused('VALUE(new, $) == NULL()'),
      'VALUE(new, $.id)',
      'string',
    ],
    ['after another condition', refused('BODY($.name) == NULL()'), 'VALUE(new, $.id)', ['string', 'null']],
  ])('%s', async (_, conditions, value, type) => {
    expect(await typeOf(conditions, value)).toEqual(type);
  });
});

describe('bodies and parameters of a schema', () => {
  const schema = `
    CREATE TABLE customer (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, note text, age int NOT NULL, score float8
    );
    CREATE TABLE line (book bigint NOT NULL, count int NOT NULL, price numeric NOT NULL, gift boolean);
    CREATE TABLE stamped (name text NOT NULL);
    CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := 'x'; RETURN NEW; END $$;
    CREATE TRIGGER stamp BEFORE INSERT ON stamped FOR EACH ROW EXECUTE FUNCTION stamp();`;

  async function post(fulfillments: string, others = ''): Promise<Record<string, unknown>> {
    const config = `
specification: "1.0"
datasources: { db: { type: db, url: 'jdbc:postgresql://localhost/shop' } }
operations:
  POST /customers:
    fulfillments:${fulfillments}
    responses: [{ name: ok, default: true, statuscode: 204 }]
${others}`;
    const { text, diagnostics } = await describeConfig(
      { path: 'config.yaml', text: config },
      'json',
      databasesOf({ schema }),
    );
    if (text === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Record<string, unknown>>> };
    return paths['/customers']?.['post'] ?? {};
  }

  const update = (query: string, more = ''): string => `
      - { name: changed, type: UPDATE, datasource: db, instructions: [{ query: '${query}'${more} }] }`;

  const json = (schema: object, required = {}): object => ({
    ...required,
    content: { 'application/json': { schema } },
  });

  const insert =
    'INSERT INTO customer (name, note, age) VALUES (:[BODY($.name)], :[BODY($.note)], :[BODY($.who.age)]::int)';
  const name = { type: 'string' };
  const note = { type: ['string', 'null'] };
  const age = { type: 'integer', format: 'int32' };

  test('fields have the types of their columns, and those that may not be null are required', async () => {
    const who = { type: 'object', required: ['age'], properties: { age } };
    expect((await post(update(insert)))['requestBody']).toEqual(
      json(
        { type: 'object', required: ['name', 'who'], properties: { name, note, who } },
        { required: true },
      ),
    );
    const set = 'UPDATE customer SET name = :[BODY($.name)], note = :[BODY($.note)] WHERE id = :[PARAM(id)]';
    expect(await post(update(set))).toMatchObject({
      parameters: [{ name: 'id', in: 'query', schema: { type: 'integer', format: 'int64' } }],
      requestBody: json(
        { type: 'object', required: ['name'], properties: { name, note } },
        { required: true },
      ),
    });
    const param = 'INSERT INTO customer (name, note, age) VALUES (:[PARAM(name)], :[PARAM(note)], 1)';
    expect((await post(update(param)))['parameters']).toEqual([
      { name: 'name', in: 'query', required: true, schema: name },
      { name: 'note', in: 'query', schema: name },
    ]);
  });

  test('elements of a loop too; numbers that a response may have as strings are read as strings', async () => {
    const lines = (query: string, more = ''): string => `
      - name: lines
        type: LOOP
        loop: BODY($.lines)${more}
        fulfillments:
          - { name: line, type: UPDATE, datasource: db, instructions: [{ query: '${query}' }] }`;
    const one =
      'INSERT INTO line (book, count, price, gift) VALUES (:[VALUE(lines, $.book)], :[VALUE(@, $.count)], :[VALUE(lines, $.price)], :[VALUE(lines, $.gift)])';
    const exact = { type: ['integer', 'string'], format: 'int64' };
    const properties = {
      ...{ book: exact, count: { type: 'integer', format: 'int32' } },
      ...{ price: { type: ['number', 'string'] }, gift: { type: ['boolean', 'null'] } },
    };
    const element = { type: 'object', required: ['book', 'count', 'price'], properties };
    expect((await post(lines(one)))['requestBody']).toEqual(
      json({ properties: { lines: { type: ['array', 'null'], items: element } } }),
    );
    // Some elements are not inserted.
    const some = (await post(lines(one, '\n        if: PARAM(write) == TEXT(yes)')))['requestBody'];
    expect(JSON.stringify(some)).not.toContain('required');
    expect(some).toMatchObject(
      json({ properties: { lines: { items: { properties: { gift: properties.gift } } } } }),
    );
    // The value is not from an element, and the list may be empty.
    const every = await post(lines('INSERT INTO customer (name, age) VALUES (:[BODY($.name)], 1)'));
    expect(every['requestBody']).toEqual(
      json({ properties: { name: note, lines: expect.anything() as unknown } }),
    );
  });

  test.each([
    ['a condition', update(insert, ", if: 'PARAM(x) == TEXT(y)'"), ''],
    ['a trigger', update('INSERT INTO stamped (name) VALUES (:[BODY($.name)])'), ''],
    [
      'another value in its place',
      update("INSERT INTO customer (name, age) VALUES (coalesce(:[BODY($.name)], ''x''), 1)"),
      '',
    ],
    [
      'no row',
      update("INSERT INTO customer (name, age) SELECT :[BODY($.name)]::text, 1 WHERE :[PARAM(x)] = ''y''"),
      '',
    ],
    [
      'an exception of its own',
      `
      - name: old
        type: READ
        datasource: db
        instructions: [{ query: SELECT 1 AS one }]
        exceptions: [{ if: BODY($.name) == NULL(), statuscode: 422, message: What is your name }]${update('INSERT INTO customer (name, age) VALUES (:[BODY($.name)], 1)')}`,
      '',
    ],
    [
      'a called operation with a body of its own',
      `
      - { name: call, type: reference, operationName: add, parameters: { body: { name: 'TEXT(x)', note: 'BODY($.name)' } } }`,
      `  add:
    fulfillments:${update(insert)}
    responses: [{ name: ok, default: true, statuscode: 204 }]`,
    ],
  ])('%s: not required', async (_, fulfillments, others) => {
    const { requestBody } = await post(fulfillments, others);
    expect(requestBody).toMatchObject(json({ properties: { name: expect.anything() as unknown } }));
    expect(JSON.stringify(requestBody)).not.toContain('required');
  });

  test('two types are none', async () => {
    const both = update(
      'UPDATE customer SET score = :[BODY($.x)], note = :[BODY($.y)] WHERE id = :[BODY($.x)] AND to_jsonb(note) = :[BODY($.y)]',
    );
    expect((await post(both))['requestBody']).toEqual(json({ properties: { x: {}, y: {} } }));
  });

  test('compared with a constant, a value has 64 bits', async () => {
    const list = 'UPDATE customer SET note = name WHERE id > coalesce(:[PARAM(after)], 0)';
    expect((await post(update(list)))['parameters']).toEqual([
      { name: 'after', in: 'query', schema: { type: 'integer', format: 'int64' } },
    ]);
  });
});

test('the numbers of bigint unsigned do not fit into int64', () => {
  const schemas = ['bigint', 'bigint unsigned'].map((name) => schemaOfType(typeIn({ name })));
  const type = ['integer', 'string'];
  expect(schemas).toEqual([{ type, format: 'int64' }, { type }]);
});
