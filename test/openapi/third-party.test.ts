/** Descriptions of third parties: read in parts they are what they are as a whole; Swagger 2.0 is read as OpenAPI 3. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readJson, readJsonLater } from '../../compiler/read/config/yaml/json-nodes.js';
import type { Node } from '../../compiler/read/config/yaml/node.js';
import { readYaml } from '../../compiler/read/config/yaml/yaml-document.js';
import { readYamlLater } from '../../compiler/read/config/yaml/yaml-later.js';
import { Recording } from '../../compiler/read/diagnostics/recording.js';
import type { ApiSchema } from '../../compiler/read/openapi/api-model.js';
import { stubbedRequest } from '../../compiler/analyze/operations/third-party-request.js';
import { kindsOf as kindsOfSchema } from '../../compiler/analyze/types/described-kinds.js';
import { nothingRead, readSchemas } from '../../compiler/generate/plan/described-responses.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { readThirdParty, type ThirdParty } from '../../compiler/read/openapi/third-party/third-party.js';
import { repository } from '../helpers/service-fixture.js';

/** All that a node holds, with the positions of its scalars. */
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
    ['text behind keys', 'a: b\nc:\n  d: "e\n    f: g"\n  h: i\n    j\n'],
  ] as const;
  test.each(odd)('with %s', (_, text) => {
    const source = { path: 'odd', text };
    const whole = readJson(source) ?? readYaml(source, new Recording());
    const later = readJsonLater(source) ?? readYamlLater(source);
    expect(later && plain(later)).toEqual(whole && plain(whole));
  });
});

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
  /messages/{id}:
    parameters: [{ $ref: "#/parameters/id" }]
    get:
      parameters:
        - { name: fields, in: query, type: array, items: { type: string }, collectionFormat: multi }
        - { name: sort, in: query, type: string, enum: [up, down], required: true }
      responses:
        200: { description: OK, schema: { $ref: "#/definitions/Message" } }
        404: { $ref: "#/responses/none" }
    post:
      parameters:
        - { name: text, in: formData, type: string, required: true }
        - { name: file, in: formData, type: file }
      responses: { 204: { description: Sent } }
    put:
      parameters: [{ name: body, in: body, required: true, schema: { $ref: "#/definitions/Message" } }]
      responses: { 204: { description: Stored } }
parameters:
  id: { name: id, in: path, required: true, type: integer }
responses:
  none: { description: None, schema: { type: string } }
definitions:
  Message: { type: object, properties: { text: { type: string } } }
`);

  test('has parameters, bodies, forms and responses', () => {
    expect(swagger.basePaths).toEqual(['/api']);
    const [get, post, put] = swagger.endpoints('/messages/{id}');
    expect(get?.parameters.map(({ name, required, explode }) => [name, required, explode])).toEqual([
      ['id', true, false],
      ['fields', false, true],
      ['sort', true, false],
    ]);
    expect(get?.parameters.map(({ schema }) => kindsOf(schema))).toEqual([
      ['integer'],
      ['array'],
      ['string'],
    ]);
    expect(get?.parameters[2]?.schema?.enum).toEqual(['up', 'down']);
    expect([...(get?.responses.get('200')?.json?.properties.keys() ?? [])]).toEqual(['text']);
    expect(kindsOf(get?.responses.get('404')?.json)).toEqual(['string']);
    expect(post?.body?.form?.types).toEqual(['urlencoded']);
    expect(post?.body?.form?.schema.required).toEqual(['text']);
    expect([...(put?.body?.json?.properties.keys() ?? [])]).toEqual(['text']);
    expect(put?.body?.required).toBe(true);
  });
});

test('only the paths that are asked for are read', () => {
  const found = read(
    'openapi: 3.0.0\npaths:\n  /a:\n    get: [wrong\n  /b:\n    get:\n      responses: {}\n',
  );
  expect(found.paths).toEqual(['/a', '/b']);
  expect(found.endpoints('/b').map(({ method }) => method)).toEqual(['GET']);
  expect(found.endpoints('/a')).toEqual([]);
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
