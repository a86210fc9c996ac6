/** Diagnostics of small configurations, each with its own API description. */
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';

/** The diagnostics, each as its code, message and hint. */
function found(config: string, description?: string): string[] {
  const { diagnostics } = checkSource({
    config: { path: 'config.yaml', text: config },
    ...(description !== undefined && {
      description: { source: { path: 'openapi.yaml', text: description }, read: () => undefined },
    }),
  });
  return diagnostics.map(({ code, message, hint }) => [code, message, hint ?? ''].join(' | '));
}

const datasources = 'datasources:\n  db: { type: db, url: "jdbc:postgresql://localhost/shop" }\n';

function configOf(operations: string, rest = datasources): string {
  return `specification: "1.0"\noperations:\n${operations}${rest}`;
}

/** An operation in Syntax B that reads a row. */
function mapped(mapping: string): string {
  return configOf(`  GET /a:
    mappings: { ${mapping} }
    fulfillments:
      - { name: a, type: READ, datasource: db, queries: [{ query: SELECT id FROM a }] }
    responses:
      - { name: ok, default: true, statuscode: 200 }
`);
}

function described(schema: string, parameters = '', components = ''): string {
  return `openapi: 3.1.0
info: { title: A, version: "1" }
paths:
  /a:
    get:
      parameters: [${parameters}]
      responses: { 200: { description: OK, content: { application/json: { schema: ${schema} } } } }
${components}`;
}

const plain = configOf('  GET /a:\n    responses: [{ name: ok, default: true, statuscode: 200 }]\n', '');

test.each([
  ['- a\n', 'it is not a map'],
  ['info: { title: A }\n', "it has no field 'openapi'"],
])('the description %j', (description, problem) => {
  expect(found(plain, description)).toEqual([expect.stringMatching(`^not-a-description .*${problem}`)]);
});

test('a model where the description has none', () => {
  expect(found(mapped('News: { id: a.id }'), described('{ type: object }'))).toContain(
    "unknown-model | Unknown model 'News' in the API description. | Models are the schemas under 'components' of the API description.",
  );
});

test('an operation among many', () => {
  const others = Array.from(
    { length: 12 },
    (_, index) =>
      `  other ${index}:\n    responses: [{ name: ok, default: true, statuscode: 200, schema: "INTEGER(1)" }]\n`,
  );
  const calling = `  GET /a:
    fulfillments:
      - { name: a, type: reference, operationName: xyzzy }
    responses: [{ name: ok, default: true, statuscode: 200, schema: "VALUE(a, $)" }]
`;
  expect(found(configOf(calling + others.join(''), ''))).toContainEqual(
    expect.stringMatching(/^unknown-operation .*'other 9'.* and \d more\.$/),
  );
});

test.each([
  ['openapi: 3.1.0\npaths: {}\n', /^not-a-configuration .*Pass the path of the configuration/],
  [
    configOf(
      '  GET /a:\n    responses: [{ name: ok, default: true, statuscode: 200 }]\n',
      'include: news and more\n',
    ),
    /^wrong-kind \| 'include' .*For example: include/,
  ],
  [
    configOf('', 'datasources:\n  chat: { type: rest, url: "https://chat.example", outbox: shop }\n'),
    /^outbox-not-database .*Add a datasource with type: db, and write its name/,
  ],
  [
    configOf('', 'datasources:\n  db: { type: db, url: "jdbc:postgresql://localhost/a", driver: "a b" }\n'),
    /^unknown-driver \| Unknown database driver\. /,
  ],
])('%j', (config, expected) => {
  expect(found(config)).toContainEqual(expect.stringMatching(expected));
});

test('a parameter that is called as if it were in the body, and is described', () => {
  const config = configOf(`  GET /a:
    fulfillments:
      - { name: a, type: READ, datasource: db, instructions: [{ query: 'SELECT id FROM a WHERE b = :[PARAM(body.b)] AND c = :[PARAM(body.c)]' }] }
    responses: [{ name: ok, default: true, statuscode: 200, schema: { id: "VALUE(a, $.id)" } }]
`);
  const parameters =
    '{ name: body.b, in: query, schema: { type: string } }, { name: body.c, in: cookie, schema: { type: string } }';
  const names = found(config, described('{ type: object }', parameters)).filter((one) =>
    one.startsWith('parameter-of-body'),
  );
  expect(names).toEqual([expect.stringMatching(/^parameter-of-body \| 'body\.c' /)]);
});

test('words that the response never has', () => {
  const config = configOf(
    `  GET /a:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { state: PARAM(state) } }]
`,
    '',
  );
  const description = described(
    '{ type: object, properties: { state: { type: string, enum: [open, closed] } } }',
    '{ name: state, in: query, required: true, schema: { type: string, enum: [red, blue] } }',
  );
  expect(found(config, description)).toContainEqual(
    expect.stringMatching(/^response-type .*'red' or 'blue'/),
  );
});

test('a part of a parameter whose schema has no type', () => {
  const config = configOf(
    `  GET /a:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { a: "VALUE(PARAM(filter), $.a)" } }]
`,
    '',
  );
  const parameter =
    '{ name: filter, in: query, style: deepObject, schema: { properties: { a: { type: string } } } }';
  expect(
    found(config, described('{ type: object }', parameter)).filter((one) => one.startsWith('path-into-text')),
  ).toEqual([]);
});

test.each([
  ['<<<<<<< ours\n', /^invalid-yaml .*a merge conflict.*Remove this line/],
  ['x: [a] b\n', /^needs-quotes .*Quote it: '\[a\] b'/],
])('%j behind a configuration', (text, expected) => {
  expect(found(plain + text)).toContainEqual(expect.stringMatching(expected));
});

test('maps are merged, and names stand for keys', () => {
  const config = configOf(`  GET /a:
    fulfillments:
      - { <<: [&x { type: READ, datasource: db }, &y { instructions: [{ query: SELECT id FROM a }] }], &n name: a }
    responses: [{ *n : ok, default: true, statuscode: 200, schema: "VALUE(a, $)" }]
`);
  expect(found(config)).toEqual([]);
});

test('a tag is in the line above its value', () => {
  const config = configOf(`  GET /a:
    fulfillments:
      - name: a
        type: !!str
          READ
        datasource: db
        instructions: [{ query: SELECT id FROM a }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: "VALUE(a, $)" }]
`);
  expect(found(config)).toEqual([]);
});

test('names of Syntax B that are cut', () => {
  const config = configOf(`  GET /a:
    fulfillments:
      - name: a
        type: READ
        datasource: db
        queries:
          - { if: query.id.x == 'a', query: SELECT 1 AS id }
          - query: SELECT 2 AS id
    responses: [{ name: ok, default: true, statuscode: 200, schema: { a: "news.authors.length === 5" } }]
`);
  expect(found(config)).toEqual([
    expect.stringMatching(/^parameter-name \| A query parameter has a name and no path in 'query\.id\.x'/),
    expect.stringMatching(/^unknown-fulfillment /),
    expect.stringMatching(/^wrong-operator .*Write \.size\(\) ==/),
  ]);
});

test('an element outside of a list, after a single change', () => {
  const config = configOf(`  POST /a:
    fulfillments:
      - { name: made, type: UPDATE, datasource: db, instructions: [{ query: "INSERT INTO a (b) VALUES (:[BODY($.b)])" }] }
    responses: [{ name: ok, default: true, statuscode: 200, schema: { b: "VALUE(@, $.b)" } }]
`);
  expect(found(config)).toContainEqual(expect.stringMatching(/^element-outside-item .*VALUE\(made, \$\.b\)/));
});

test.each<[schema: string, isRefused: boolean]>([
  ['{ type: string, format: uuid }', true],
  ['{ type: integer }', true],
  ['{ type: string, minLength: 1 }', true],
  ['{ enum: [a, b] }', true],
  ["{ type: string, pattern: '^[a-f]{36}$' }", true],
  ['{ allOf: [{ type: string }, { format: uuid }] }', true],
  ['{ anyOf: [{ type: integer }, { type: string, format: uuid }] }', true],
  ['{ type: string }', false],
  ['{ type: string, format: word, maxLength: 36 }', false],
  ["{ enum: [a, ''] }", false],
  ["{ type: string, pattern: '^[a-f]*$' }", false],
  ["{ anyOf: [{ enum: [''] }, { type: string, format: uuid }] }", false],
])('a guard against an empty string that the schema %s refuses: %j', (schema, isRefused) => {
  const config = configOf(
    `  GET /a:
    fulfillments:
      - name: a
        type: READ
        datasource: db
        instructions: [{ query: "SELECT 1 WHERE :[PARAM(id)] = '' OR id = :[PARAM(id)]::uuid" }]
    responses: [{ name: ok, default: true, statuscode: 200 }]
`,
  );
  const parameter = `{ name: id, in: query, schema: ${schema} }`;
  const codes = found(config, described('{}', parameter)).map((text) => text.split(' | ')[0]);
  expect(codes.filter((code) => code === 'sql-guarded-cast')).toEqual(isRefused ? [] : ['sql-guarded-cast']);
});
