/** Third-party descriptions: reading parts yields the same as reading the whole; Swagger 2.0 is converted to OpenAPI 3. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readJson, readJsonLater } from '../../compiler/read/config/yaml/json-nodes.js';
import type { Node } from '../../compiler/read/config/yaml/node.js';
import { readYaml } from '../../compiler/read/config/yaml/yaml-document.js';
import { readYamlLater } from '../../compiler/read/config/yaml/yaml-later.js';
import { Recording } from '../../compiler/read/diagnostics/recording.js';
import type { ApiSchema } from '../../compiler/read/openapi/api-model.js';
import { stubbedRequest } from '../../compiler/analyze/operations/requests/third-party-request.js';
import { kindsOf as kindsOfSchema } from '../../compiler/analyze/types/described-kinds.js';
import { nothingRead, readSchemas } from '../../compiler/generate/plan/responses/described-responses.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import {
  exampleOfResponse,
  logInOf,
  methodsOf,
  serverUrl,
} from '../../compiler/read/openapi/third-party/outline.js';
import { readThirdParty, type ThirdParty } from '../../compiler/read/openapi/third-party/third-party.js';
import { repository } from '../helpers/service-fixture.js';

/** The content of a node, with the positions of its scalars. */
function plain(node: Node): unknown {
  if (node.kind === 'list') return node.items.map(plain);
  if (node.kind === 'map') return node.entries.map(({ key, value }) => [plain(key), plain(value)]);
  const { value, text, style, span } = node;
  return [value, text.value, style, span.start, span.end];
}

const files = readdirSync(join(repository, 'fixtures'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /(?:^|\/)(?:openapi|api)\.(?:yaml|json)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(repository, 'fixtures', path), 'utf8') }));

describe('a file that is read in parts', () => {
  const json = files.filter(
    ({ path, text }) => path.endsWith('.json') && readJson({ path, text }) !== undefined,
  );
  test.each(json)('$path', (source) => {
    const whole = readJson(source);
    const later = readJsonLater(source);
    expect(later && plain(later)).toEqual(whole && plain(whole));
  });

  const yaml = files.filter(({ path, text }) => {
    const report = new Recording();
    return (
      path.endsWith('.yaml') && readYaml({ path, text }, report) !== undefined && report.all.length === 0
    );
  });
  test.each(yaml)('$path', (source) => {
    const whole = readYaml(source, new Recording());
    const later = readYamlLater(source);
    if (later !== undefined) expect(plain(later)).toEqual(whole && plain(whole));
  });

  test('is most of the files', () => {
    const inParts = yaml.filter((source) => readYamlLater(source) !== undefined);
    expect(inParts.length).toBeGreaterThan(yaml.length * 0.7);
    expect(json.length).toBeGreaterThan(0);
  });

  const odd = [
    ['strings with braces and quotes', '{"a":{"b":"}\\"{\\\\","c":{"d":["}",{"e":"\\\\\\""}]}},"f":{}}'],
    [
      'keys in quotes, comments and lists without indentation',
      'a:\n  "b c": # text\n    d: 1\n# comment\n  \'e\':\n  - f: 2\n  - 3\ng: { h: i }\n',
    ],
    [
      'block scalars with lines that look like keys',
      'a:\n  b: |\n    c:\n      d: 1\n\n    e: f\n  g:\n    h: >-\n      i:\n      j\n',
    ],
    ['line breaks of Windows', 'a:\r\n  b:\r\n    c: 1\r\n  d: 2\r\n'],
    ['no line break at its end', 'a:\n  b: 1'],
    ['text after keys', 'a: b\nc:\n  d: "e\n    f: g"\n  h: i\n    j\n'],
  ] as const;
  test.each(odd)('with %s', (_, text) => {
    const source = { path: 'odd', text };
    const whole = readJson(source) ?? readYaml(source, new Recording());
    const later = readJsonLater(source) ?? readYamlLater(source);
    expect(later && plain(later)).toEqual(whole && plain(whole));
  });
});

test.each(['{"a":1,"a":2}', '{a: 1}', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`])(
  'JSON that repeats a key or nests too deep, and what is none, is left to the YAML reader: %#',
  (text) => {
    expect(readJson({ path: 'api.json', text })).toBeUndefined();
    expect(readJsonLater({ path: 'api.json', text: '{a: 1}' })).toBeUndefined();
  },
);

test.each(['a: &b 1\n', '  a: 1\nb: 2\n', '', 'text\n', 'a: [1\n'])(
  'YAML whose lines do not show its maps is read as a whole: %j',
  (text) => {
    expect([readYamlLater({ path: 'api.yaml', text }), readJsonLater({ path: 'api.yaml', text })]).toEqual([
      undefined,
      undefined,
    ]);
  },
);

function read(text: string): ThirdParty {
  const found = readThirdParty(
    { source: { path: 'api.yaml', text }, read: () => undefined },
    new Recording(),
  );
  if (found === undefined) throw new Error('It is no description.');
  return found;
}

function kindsOf(schema: ApiSchema | undefined): readonly string[] {
  return [...(schema?.types ?? []), ...(schema?.allOf ?? []).flatMap(kindsOf)];
}

describe('Swagger 2.0', () => {
  const swagger = read(`swagger: "2.0"
basePath: /api/
consumes: [application/x-www-form-urlencoded]
paths:
  /nothing:
  /messages/{id}:
    x-owner: mail
    parameters: [{ $ref: "#/parameters/id" }, { $ref: "#/parameters/none" }, text]
    get:
      parameters:
        - { name: fields, in: query, type: array, items: { type: string }, collectionFormat: multi }
        - { name: sort, in: query, type: string, enum: [up, down], required: true }
        - { name: ids, in: query, type: array, items: { type: integer }, collectionFormat: pipes }
      responses:
        200: { description: OK, schema: { $ref: "#/definitions/Message" } }
        404: { $ref: "#/responses/none" }
        410: { $ref: "#/responses/nothing" }
    post:
      parameters:
        - { name: text, in: formData, type: string, required: true }
        - { name: file, in: formData, type: file }
      responses: { 204: { description: Sent } }
    put:
      parameters: [{ name: body, in: body, required: true, schema: { $ref: "#/definitions/Message" } }]
      responses: { 204: { description: Stored } }
    patch:
      consumes: [[text/plain], multipart/form-data]
      parameters: [{ name: file, in: formData, type: file }]
    delete:
      parameters: [{ name: body, in: body }]
parameters:
  id: { name: id, in: path, required: true, type: integer }
responses:
  none: { description: None, schema: { type: string } }
definitions:
  Message: { type: object, properties: { text: { type: string } } }
`);

  test('has parameters, bodies, forms and responses', () => {
    expect(swagger.basePaths).toEqual(['/api']);
    expect(swagger.endpoints('/nothing')).toEqual([]);
    const [get, post, put, patch, remove] = swagger.endpoints('/messages/{id}');
    expect(get?.parameters.map(({ name, required, explode }) => [name, required, explode])).toEqual([
      ['id', true, false],
      ['fields', false, true],
      ['sort', true, false],
      ['ids', false, false],
    ]);
    expect(get?.parameters.map(({ schema }) => kindsOf(schema))).toEqual([
      ['integer'],
      ['array'],
      ['string'],
      ['array'],
    ]);
    expect(get?.parameters[2]?.schema?.enum).toEqual(['up', 'down']);
    expect([...(get?.responses.get('200')?.json?.properties.keys() ?? [])]).toEqual(['text']);
    expect(kindsOf(get?.responses.get('404')?.json)).toEqual(['string']);
    expect(post?.body?.form?.types).toEqual(['urlencoded']);
    expect(post?.body?.form?.schema.required).toEqual(['text']);
    expect([...(put?.body?.json?.properties.keys() ?? [])]).toEqual(['text']);
    expect(put?.body?.required).toBe(true);
    expect(patch?.body?.form?.types).toEqual(['multipart']);
    expect(patch?.body?.required).toBe(false);
    expect(remove?.body).toMatchObject({ required: false, json: undefined });
    expect([...(get?.responses.keys() ?? [])]).toEqual(['200', '404']);
  });

  test('has forms of both kinds where it names none', () => {
    const api = read(
      'swagger: "2.0"\npaths: { /a: { post: { parameters: [{ name: b, in: formData, type: string }] } } }\n',
    );
    expect(api.endpoints('/a')[0]?.body?.form?.types).toEqual(['multipart', 'urlencoded']);
  });
});

describe('the server', () => {
  test.each([
    ['swagger: "2.0"\nhost: a.example\nbasePath: /v1/\nschemes: [http]\n', 'http://a.example/v1'],
    ['swagger: "2.0"\nhost: a.example\nschemes: [http, https]\n', 'https://a.example'],
    ['swagger: "2.0"\nhost: a.example\n', 'https://a.example'],
    ['swagger: "2.0"\nhost: "{tenant}.example"\n', undefined],
    ['openapi: 3.0.0\nservers: [text]\n', undefined],
    ['openapi: 3.0.0\nservers: [{ url: [https://a.example] }]\n', undefined],
    ['openapi: 3.0.0\nservers: [{ url: "https://{a}.example" }]\n', undefined],
    ['openapi: 3.0.0\nservers: [{ url: https://a.example/ }]\n', 'https://a.example'],
  ])('%j', (text, expected) => {
    expect(serverUrl(read(text).written)).toBe(expected);
  });
});

describe('the log-in', () => {
  test.each([
    ['basic: { type: basic }', { kind: 'basic' }],
    ['digest: { type: http, scheme: digest }', undefined],
    ['cookie: { type: apiKey, in: cookie, name: session }', undefined],
    ['certificate: { type: mutualTLS }', undefined],
    ['people: { type: openIdConnect, openIdConnectUrl: https://id.example }', { kind: 'bearer' }],
    ['people: { type: oauth2, flow: accessCode, tokenUrl: https://id.example/t }', { kind: 'bearer' }],
    [
      'app: { type: oauth2, flow: application, tokenUrl: https://id.example/t }',
      { kind: 'oauth2', tokenUrl: 'https://id.example/t' },
    ],
    ['text: text\n  key: { type: apiKey, in: header, name: X-Key }', { kind: 'header', name: 'X-Key' }],
  ])('%s', (scheme, expected) => {
    const text = `swagger: "2.0"\nsecurity: [text, { unknown: [] }]\nsecurityDefinitions:\n  ${scheme}\n`;
    expect(logInOf(read(text).written)).toEqual(expected);
  });
});

test('an example of a response', () => {
  const { written } = read(`openapi: 3.0.0
paths:
  /a:
    get: { responses: { 200: { content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } } } }
    put: { responses: { 200: { content: { text/plain: { example: x } } } } }
  /b:
    get: { responses: text }
components: { schemas: { A: { example: { id: 1 } } } }
`);
  const example = (path: string, method = 'GET'): unknown =>
    exampleOfResponse(written, { path, method }, '200');
  expect([example('/a'), example('/a', 'PUT'), example('/b'), example('/c')]).toEqual([
    { id: 1 },
    ...[undefined, undefined, undefined],
  ]);
  expect(methodsOf(written, '/c')).toEqual([]);
});

test.each([
  ['- text\n', 'it is not a map'],
  ['['.repeat(300), 'it is neither YAML nor JSON'],
  ['', 'it is not a map'],
  ['openapi: 4.0.0\n', "'4.0.0' is neither 3.0 nor 3.1"],
  ['title: a\n', "it has no field 'openapi'"],
])('%j is not a description', (text, problem) => {
  const report = new Report();
  const input = { source: { path: 'api.yaml', text }, read: () => undefined };
  expect(readThirdParty(input, report)).toBeUndefined();
  expect(report.diagnostics.map(({ message }) => message)).toEqual([expect.stringContaining(problem)]);
});

test('only the paths that are asked for are read', () => {
  const found = read(
    'openapi: 3.0.0\npaths:\n  /a:\n    get: [wrong\n  /b:\n    get:\n      responses: {}\n',
  );
  expect(found.paths).toEqual(['/a', '/b']);
  expect(found.endpoints('/b').map(({ method }) => method)).toEqual(['GET']);
  expect(found.endpoints('/a')).toEqual([]);
});

describe('a reference in place of the paths', () => {
  const files: Readonly<Record<string, string>> = {
    'api.yaml':
      'openapi: 3.0.0\npaths: { $ref: paths/all.yaml, /own: { get: {} } }\ncomponents: { schemas: { A: { type: string } } }\n',
    'swagger.yaml': 'swagger: "2.0"\npaths: { $ref: paths/all.yaml }\n',
    'paths/all.yaml':
      '/a: { get: { parameters: [{ $ref: "id.yaml" }], responses: { 200: { content: { application/json: { example: 1 } } } } } }\n',
    'paths/id.yaml': '{ name: id, in: query, type: integer, schema: { type: integer } }\n',
  };
  const described = (path: string): ThirdParty | undefined => {
    const source = (name: string) => ({ path: name, text: files[name] ?? '' });
    return readThirdParty({ source: source(path), read: source }, new Recording());
  };

  test.each([
    ['api.yaml', ['/own', '/a']],
    ['swagger.yaml', ['/a']],
  ])('is followed: %s', (path, paths) => {
    const found = described(path);
    expect(found?.paths).toEqual(paths);
    const [endpoint] = found?.endpoints('/a') ?? [];
    expect(endpoint?.parameters.map(({ name, schema }) => [name, kindsOf(schema)])).toEqual([
      ['id', ['integer']],
    ]);
    expect(found && methodsOf(found.written, '/a')).toEqual(['GET']);
  });

  test('refers to the example of a response', () => {
    const written = described('api.yaml')?.written;
    expect(written && exampleOfResponse(written, { path: '/a', method: 'GET' }, '200')).toBe(1);
  });
});

test('variables of servers have their defaults', () => {
  const found = read(
    'openapi: 3.0.0\nservers:\n  - url: https://{host}/v{version}/\n    variables: { host: { default: x }, version: { default: "2" } }\npaths: {}\n',
  );
  expect(found.basePaths).toEqual(['/v2']);
});

test('schemas whose parts are parts of many others take no time', () => {
  const levels = 60;
  const models = Array.from(
    { length: levels },
    (_, level) =>
      `    M${level}: { allOf: [{ $ref: '#/components/schemas/M${level + 1}' }, { $ref: '#/components/schemas/M${level + 1}' }] }\n`,
  );
  const found = read(
    `openapi: 3.0.0\npaths: { /a: { get: { responses: { 200: { content: { application/json: { schema: { $ref: '#/components/schemas/M0' } } } } } } } }\ncomponents:\n  schemas:\n${models.join('')}    M${levels}: { type: object, properties: { x: { type: string } } }\n`,
  );
  const [endpoint] = found.endpoints('/a');
  const json = endpoint?.responses.get('200')?.json;
  if (endpoint === undefined || json === undefined) throw new Error('It is not described.');
  expect([...(kindsOfSchema(json) ?? [])]).toEqual(['object']);
  const reads = { fields: new Map([['x', nothingRead()]]), elements: undefined, levels: 0 };
  expect(readSchemas(endpoint, reads, true)).toHaveLength(1);
});

test('a description without servers is that of any URL', () => {
  const found = read('openapi: 3.0.0\npaths: { /a: { get: {} }, /v1/b: { get: {} } }\n');
  const { datasources: [datasource] = [] } =
    readConfig(
      {
        path: 'config.yaml',
        text: 'specification: "1.0"\noperations: {}\ndatasources: { api: { type: rest, url: https://a.example/v1 } }\n',
      },
      new Report(),
    ) ?? {};
  if (datasource === undefined) throw new Error('There is no datasource.');
  const endpoint = (path: string): string | undefined =>
    stubbedRequest(found, 'GET', [path], datasource)?.endpoint?.path;
  expect(['/v1/a', '/v1/b', '/v1/c'].map(endpoint)).toEqual(['/a', '/v1/b', undefined]);
});
