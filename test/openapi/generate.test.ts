/** The API description that is generated if there is none: valid by an independent validator, and true of the service. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { knownValues } from '../../compiler/analyze/describe/values-for-description.js';
import { checkSource, checkWithDatabases } from '../../compiler/compile.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { describe as describeConfig } from '../../compiler/tools/describe.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { JsonMap } from '../../compiler/analyze/describe/error-responses.js';
import { generateDescription } from '../../compiler/analyze/describe/generate.js';
import { manyRuns } from '../helpers/runs.js';
import { databasesOf, serviceFixtures } from '../helpers/service-fixture.js';

const fixtures = serviceFixtures()
  .filter(({ database }) => database === 'postgresql')
  .filter(({ name }, index) => manyRuns || index % 2 === 0 || name === 'first-row');

function generated(text: string): JsonMap {
  const config = readConfig({ path: 'config.yaml', text }, new Report());
  if (config === undefined) throw new Error('no configuration');
  return generateDescription(config, knownValues(new Analysis(config, undefined, [])));
}

async function expectValid(description: JsonMap): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(description));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
}

/** A description gives parameters their parts and their places. */
const onlyUndescribed: readonly string[] = ['path-into-text', 'header-or-query'];

describe.each(fixtures)('$name', (fixture) => {
  const { name, config } = fixture;

  test('is valid', async () => {
    await expectValid(generated(config));
  });

  // The models of mappings are the description's own: one that is generated does not invent them.
  const isMapped = /^ *mappings:/m.test(config);
  if (!isMapped)
    test('describes every endpoint, so that the configuration matches it', () => {
      const source = { path: 'openapi.json', text: JSON.stringify(generated(config)) };
      const description = { source, read: () => undefined };
      const { diagnostics } = checkSource({ config: { path: 'config.yaml', text: config }, description });
      const { diagnostics: without } = checkSource({ config: { path: 'config.yaml', text: config } });
      const others = without.filter(({ code }) => !onlyUndescribed.includes(code));
      expect(diagnostics.map(({ message }) => message)).toEqual(others.map(({ message }) => message));
    });

  test('with the types of its schema it is valid, and the configuration matches it', async () => {
    const databases = databasesOf(fixture);
    const source = { path: 'config.yaml', text: config };
    const { text = '' } = await describeConfig(source, 'json', databases);
    await expectValid(JSON.parse(text) as JsonMap);
    if (isMapped) return;
    const description = { source: { path: 'openapi.json', text }, read: () => undefined };
    const { diagnostics } = await checkWithDatabases({ config: source, description }, databases);
    const { diagnostics: without } = await checkWithDatabases({ config: source }, databases);
    const others = without
      .filter(({ code }) => !onlyUndescribed.includes(code))
      .map(({ message }) => message);
    expect(diagnostics.map(({ message }) => message)).toEqual(others);
  });

  test('is the same as YAML', async () => {
    const source = { path: `${name}/config.yaml`, text: config };
    const { text: json } = await describeConfig(source, 'json');
    const { text: yaml } = await describeConfig(source, 'yaml');
    expect(parse(yaml ?? '')).toEqual(JSON.parse(json ?? ''));
    expect((await describeConfig(source, 'json')).text).toBe(json);
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
    // Without types: whatever is not found in a value of another kind is null.
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
    expect(Object.keys(get?.responses ?? {})).toEqual(['204', '400', '401', '500', '502', '504']);
  });
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
    { name: 'ids', in: 'query', schema: { type: 'array' } },
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
  // Two operations that do not agree.
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
