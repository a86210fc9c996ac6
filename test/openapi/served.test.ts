/** The description shown on a test page: several files merged into one, with this service as the server, and its credentials. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { ts } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { compile } from '../../compiler/compile.js';
import type { JsonMap } from '../../compiler/read/json.js';
import { yaml } from '../../compiler/notation/yaml-writer.js';
import { yamlText } from '../../runtime/api-docs/yaml.js';
import type { Json } from '../../runtime/handler/json.js';
import { assets, textOf } from '../emit/compile-text.js';
import { everyOf } from '../helpers/runs.js';
import { inputOf, serviceFixtures } from '../helpers/service-fixture.js';

interface Served {
  readonly servers: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

type Operation = Readonly<Record<string, Json>>;

const operation = {
  fulfillments: [{ name: 'a', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1' }] }],
  responses: [{ name: 'ok', default: true, statuscode: 200 }],
};

/** The description that a service serves for these files, with `openapi.yaml` first; operations and credentials as passed. */
async function served(
  files: Readonly<Record<string, object>>,
  operations: Readonly<Record<string, object>> = { 'GET /a': operation },
  authentications: object = {},
): Promise<Served> {
  const config = stringify({
    specification: '1.0',
    operations,
    ...(Object.keys(authentications).length === 0 ? {} : { authentications }),
    settings: { debug: true },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/x' } },
  });
  const read = (path: string) => (files[path] && { path, text: stringify(files[path]) }) || undefined;
  const source = read('openapi.yaml');
  const { files: out, diagnostics } = await compile(
    { config: { path: 'config.yaml', text: config }, ...(source && { description: { source, read } }) },
    assets,
  );
  if (out === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return jsonOf(textOf(out, 'src/api-description.ts'));
}

/** The JSON in the module's template literal. */
function jsonOf(module: string): Served {
  let found: string | undefined;
  const look = (node: ts.Node): void => {
    if (ts.isNoSubstitutionTemplateLiteral(node)) found = node.text;
    node.forEachChild(look);
  };
  look(ts.createSourceFile('api-description.ts', module, ts.ScriptTarget.ES2023));
  return JSON.parse(found ?? '') as Served;
}

const info = { title: 'T', version: '1' };
const ok = { 200: { description: 'OK' } };
const basic = { type: 'basicauth', user: 'u', password: 'p' };

describe('files become one', () => {
  test('a reference in data is data', async () => {
    const example = { $ref: 'nowhere.yaml', __proto__key: 1 };
    const { paths } = await served({
      'openapi.yaml': {
        openapi: '3.1.0',
        info,
        paths: {
          '/a': {
            get: { responses: { 200: { description: 'OK', content: { 'application/json': { example } } } } },
          },
        },
      },
    });
    expect(paths['/a']?.['get']?.['responses']).toEqual({
      200: { description: 'OK', content: { 'application/json': { example } } },
    });
  });

  test('cycles between files end, and names that are taken are replaced', async () => {
    const { paths, components } = await served({
      'openapi.yaml': {
        openapi: '3.0.3',
        info,
        paths: {
          '/a': {
            get: { parameters: [{ $ref: 'x/p.yaml#/Limit' }], responses: { 200: { $ref: 'x/r.yaml' } } },
          },
        },
        components: { schemas: { Node: { type: 'object', properties: { x: { $ref: 'x/n.yaml#/Node' } } } } },
      },
      'x/p.yaml': { Limit: { name: 'limit', in: 'query', schema: { $ref: 'n.yaml#/Size' } } },
      'x/r.yaml': {
        description: 'OK',
        content: { 'application/json': { schema: { $ref: '../openapi.yaml#/components/schemas/Node' } } },
      },
      'x/n.yaml': {
        Size: { type: 'integer' },
        Node: { type: 'object', properties: { next: { $ref: '#/Node' }, size: { $ref: '#/Size' } } },
      },
    });
    expect(paths['/a']?.['get']?.['parameters']).toEqual([{ $ref: '#/components/parameters/Limit' }]);
    expect(paths['/a']?.['get']?.['responses']).toEqual({ 200: { $ref: '#/components/responses/r' } });
    expect(components['schemas']).toEqual({
      Node: { type: 'object', properties: { x: { $ref: '#/components/schemas/Node2' } } },
      Size: { type: 'integer' },
      Node2: {
        type: 'object',
        properties: {
          next: { $ref: '#/components/schemas/Node2' },
          size: { $ref: '#/components/schemas/Size' },
        },
      },
    });
  });

  test('the target of a reference in place of names or of a list is written there', async () => {
    const { paths, components } = await served({
      'openapi.yaml': {
        openapi: '3.1.0',
        info,
        paths: { $ref: 'parts.yaml#/paths' },
        components: {
          schemas: { $ref: 'schemas.yaml', Own: { properties: { $ref: 'parts.yaml#/fields', own: true } } },
        },
      },
      'parts.yaml': {
        paths: {
          '/a': { get: { parameters: { $ref: '#/parameters' }, responses: { $ref: '#/responses' } } },
        },
        parameters: [{ name: 'q', in: 'query', schema: { $ref: 'schemas.yaml#/Word' } }],
        responses: { 200: { description: 'ok', content: { $ref: '#/content' } } },
        content: { 'text/plain': { schema: { $ref: 'schemas.yaml#/Word' } } },
        fields: { id: { $ref: 'schemas.yaml#/Word' }, own: false },
      },
      'schemas.yaml': { Word: { type: 'string' } },
    });
    const word = { $ref: '#/components/schemas/Word' };
    expect(paths).toEqual({
      '/a': {
        get: {
          parameters: [{ name: 'q', in: 'query', schema: word }],
          responses: { 200: { description: 'ok', content: { 'text/plain': { schema: word } } } },
        },
      },
    });
    expect(components['schemas']).toEqual({
      Word: { type: 'string' },
      Own: { properties: { id: word, own: true } },
    });
  });

  test('the mapping of a discriminator also refers to the schema', async () => {
    const mapping = { cat: 'pets.yaml#/Cat', dog: 'Dog' };
    const { components } = await served({
      'openapi.yaml': {
        openapi: '3.1.0',
        info,
        paths: { '/a': { get: { responses: ok } } },
        components: {
          schemas: {
            Dog: { type: 'object' },
            Pet: {
              oneOf: [{ $ref: 'pets.yaml#/Cat' }, { $ref: '#/components/schemas/Dog' }],
              discriminator: { propertyName: 'kind', mapping },
            },
          },
        },
      },
      'pets.yaml': { Cat: { type: 'object' } },
    });
    expect(components['schemas']?.['Pet']).toEqual({
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
      discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } },
    });
  });

  test.each([
    {
      written: {},
      mapping: { Cat: '#/components/schemas/Cat2', 'Small dog': '#/components/schemas/Small_dog' },
    },
    {
      written: { mapping: { cat: 'pets.yaml#/Cat' } },
      mapping: { cat: '#/components/schemas/Cat2', 'Small dog': '#/components/schemas/Small_dog' },
    },
    {
      written: { mapping: { cat: 'OtherCat', dog: 'pets.yaml#/Small%20dog' } },
      mapping: { cat: 'OtherCat', dog: '#/components/schemas/Small_dog' },
    },
  ])('the mapping of a discriminator has names that the one file has changed: $written', async (one) => {
    const pets = ['Cat', 'Small%20dog', 'Bird'].map((name) => ({ $ref: `pets.yaml#/${name}` }));
    const { components } = await served({
      'openapi.yaml': {
        openapi: '3.1.0',
        info,
        paths: { '/a': { get: { responses: ok } } },
        components: {
          schemas: {
            Cat: { type: 'object' },
            OtherCat: { $ref: 'pets.yaml#/Cat' },
            Pet: { oneOf: pets, discriminator: { propertyName: 'kind', ...one.written } },
          },
        },
      },
      'pets.yaml': { Cat: { type: 'object' }, 'Small dog': { type: 'object' }, Bird: { type: 'object' } },
    });
    expect(components['schemas']?.['Pet']).toEqual({
      oneOf: ['Cat2', 'Small_dog', 'Bird'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
      discriminator: { propertyName: 'kind', mapping: one.mapping },
    });
  });

  test('callbacks and paths may lead back to themselves, and what is no reference stays', async () => {
    const own = {
      Done: {
        '{$request.body#/url}': { post: { callbacks: { again: { $ref: '#/components/callbacks/Done' } } } },
      },
    };
    const schemas = {
      Pet: { type: 'object', discriminator: 'kind' },
      Dog: { type: 'object', discriminator: { propertyName: 'kind', mapping: { dog: '#/nowhere', cat: 1 } } },
    };
    const { paths, components } = await served({
      'openapi.yaml': {
        openapi: '3.0.3',
        info,
        paths: {
          '/a': {
            get: {
              responses: ok,
              callbacks: {
                done: { $ref: '#/components/callbacks/Done' },
                other: { $ref: 'callbacks.yaml#/Other' },
                here: { '{$request.body#/url}': { $ref: '#/paths/~1a' } },
              },
            },
          },
        },
        components: { callbacks: own, schemas, 'x-notes': { a: 1 }, examples: null },
      },
      'callbacks.yaml': { Other: { '{$request.body#/url}': { post: { responses: ok } } } },
    });
    const callbacks = paths['/a']?.['get']?.['callbacks'];
    expect(callbacks).toMatchObject({
      done: { $ref: '#/components/callbacks/Done' },
      other: { $ref: '#/components/callbacks/Other' },
      here: { '{$request.body#/url}': { get: { callbacks: { here: { '{$request.body#/url}': {} } } } } },
    });
    expect(components).toEqual({
      callbacks: { ...own, Other: { '{$request.body#/url}': { post: { responses: ok } } } },
      ...{ schemas, 'x-notes': { a: 1 }, examples: null },
    });
  });
});

test('the name of an operation that a description lacks is one that can be served', async () => {
  const operations = { 'GET /a': operation };
  const config = stringify({
    specification: '1.0',
    operations,
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/x' } },
  });
  const paths = { '/a': { get: { responses: ok } }, '/möbel': { get: { responses: ok } } };
  const source = { path: 'openapi.yaml', text: stringify({ openapi: '3.1.0', info, paths }) };
  const reportedFor = async (text: string): Promise<string[]> => {
    const input = { config: { path: 'config.yaml', text }, description: { source, read: () => undefined } };
    const { diagnostics } = await compile(input, assets);
    return diagnostics
      .filter(({ code }) => /endpoint|path/.test(code))
      .map(({ code, message }) => `${code}: ${message}`);
  };
  expect(await reportedFor(config)).toEqual([
    "endpoint-without-operation: No operation serves 'GET /m%C3%B6bel' of the API description.",
  ]);
  const both = { ...operations, 'GET /m%C3%B6bel': operation };
  expect(
    await reportedFor(config.replace(stringify({ operations }), stringify({ operations: both }))),
  ).toEqual([]);
});

describe('servers and credentials', () => {
  const paths = {
    '/a': { servers: [{ url: 'https://x' }], get: { servers: [{ url: 'https://y' }], responses: ok } },
    '/b': { get: { responses: ok, security: [{ key: [] }] } },
  };
  const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } };
  const files = {
    'openapi.yaml': { openapi: '3.1.0', info, servers: [{ url: 'https://z' }], paths, components },
  };
  const operations = { 'GET /a': operation, 'GET /b': operation };

  test('calls go nowhere else', async () => {
    const description = await served(files, operations);
    expect(description.servers).toEqual([{ url: '..' }]);
    expect(JSON.stringify(description)).not.toContain('https:');
    expect(description.components['securitySchemes']).toEqual(components.securitySchemes);
  });

  test('operations with credentials have security, those that are open do not', async () => {
    const open = { ...operation, authentications: [] };
    const { paths, components } = await served(files, { 'GET /a': open, 'GET /b': operation }, { x: basic });
    expect(components['securitySchemes']?.['basicAuth']).toEqual({ type: 'http', scheme: 'basic' });
    expect(paths['/a']?.['get']?.['security']).toBeUndefined();
    expect(paths['/b']?.['get']?.['security']).toEqual([{ key: [], basicAuth: [] }]);
  });

  test('also where a path has characters beyond ASCII', async () => {
    const get = { get: { responses: ok } };
    const own = { openapi: '3.1.0', info, paths: { '/möbel/{id}': get, '/ö/{id}': get } };
    const { paths } = await served(
      { 'openapi.yaml': own },
      { 'GET /m%c3%b6bel/{id}': operation, 'GET /%C3%B6/{id}': { ...operation, authentications: [] } },
      { x: basic },
    );
    expect(paths['/möbel/{id}']?.['get']?.['security']).toEqual([{ basicAuth: [] }]);
    expect(paths['/ö/{id}']?.['get']?.['security']).toBeUndefined();
  });

  test('a scheme that is there is used', async () => {
    const own = { openapi: '3.0.3', info, paths: { '/a': { get: { responses: ok } } } };
    const schemes = { securitySchemes: { login: { type: 'http', scheme: 'Basic' } } };
    const { paths, components } = await served(
      { 'openapi.yaml': { ...own, components: schemes } },
      { 'GET /a': operation },
      { x: basic },
    );
    expect(components).toEqual(schemes);
    expect(paths['/a']?.['get']?.['security']).toEqual([{ login: [] }]);
  });

  test.each([
    undefined,
    {
      openapi: '3.1.0',
      info: { title: 'a', version: '1' },
      paths: { '/a': { get: { responses: { 200: { description: 'ok' } } } } },
    },
  ])(
    'a signature has a scheme of each of its headers, with and without a description',
    async (description) => {
      const hooks = { type: 'signature', scheme: 'standard-webhooks', secrets: ['${SECRET}'] };
      const { components, paths } = await served(
        description === undefined ? {} : { 'openapi.yaml': description },
        { 'GET /a': { ...operation, authentications: ['hooks'] } },
        { hooks },
      );
      const header = (name: string): object => ({ type: 'apiKey', in: 'header', name });
      expect(components['securitySchemes']).toEqual({
        hooks: header('webhook-signature'),
        'hooks.webhook-id': header('webhook-id'),
        'hooks.webhook-timestamp': header('webhook-timestamp'),
      });
      expect(paths['/a']?.['get']?.['security']).toEqual([
        { hooks: [], 'hooks.webhook-id': [], 'hooks.webhook-timestamp': [] },
      ]);
    },
  );

  test('without a description one is generated', async () => {
    const description = await served({}, { 'GET /a': operation }, { x: basic });
    expect(Object.keys(description.paths)).toEqual(['/a']);
    expect(description.components['securitySchemes']).toEqual({ x: { type: 'http', scheme: 'basic' } });
  });
});

const fixtures = serviceFixtures()
  .filter(({ database }) => database === 'postgresql')
  .filter((_, index) => index % everyOf(3) === 0);

test.each(fixtures)(
  'the description of the fixture $name is valid, and the same as YAML',
  async (fixture) => {
    const input = inputOf(fixture);
    const config = fixture.config.includes('\nsettings:')
      ? fixture.config.replace(/(\nsettings:\n)(?: *debug: true\n)?/, '$1  debug: true\n')
      : `${fixture.config}\nsettings:\n  debug: true\n`;
    const { files } = await compile({ ...input, config: { path: 'config.yaml', text: config } }, assets);
    const served = jsonOf(textOf(files ?? [], 'src/api-description.ts'));
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(served)) as JsonMap);
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(parse(yamlText(served as unknown as Json))).toEqual(served);
  },
);

test.each([
  ['1.1', yamlText],
  ['1.2', yamlText],
  ['1.1', yaml.document],
  ['1.2', yaml.document],
] as const)('texts of every kind are the same as YAML %s', (version, print) => {
  const texts = [
    '',
    'true',
    'No',
    'null',
    '~',
    '1',
    '1e3',
    '0x1',
    '.inf',
    '- a',
    'a: b',
    'a #b',
    '#a',
    ' a',
    'a ',
    ...['on', 'No', 'y', 'OFF', '12:30', '1_0', '0o7', '017', '=', '<<', '.5', '+1', '0b1', '1e21'],
  ];
  const signs = [
    '"',
    "'",
    '\\',
    '\n',
    '\t',
    '\u2028',
    '\u0085',
    '\u0000',
    '{',
    '[',
    '*',
    '&',
    '!',
    '%',
    '@',
    '`',
  ];
  const value = {
    texts: [...texts, ...signs, ...signs.map((sign) => `a${sign}b`)],
    ...Object.fromEntries([...texts, ...signs].map((text) => [text, text])),
    nested: [[], {}, [[1, [2.5, -3e-7, null, true]]], [{ a: [{ b: {} }] }]],
    '2024-01-31': '2024-01-31',
  };
  expect(parse(print(value), { version })).toEqual(value);
});

test('readers of YAML 1.1 get numbers with exponents, and no character that they forbid or take for the end of a line', () => {
  expect(yamlText([1e21, -3e-7, 1.5e-7])).toBe('- 1.0e+21\n- -3.0e-7\n- 1.5e-7\n');
  expect(yamlText(['\u0085', 'a\u2028\u2029', '\u007f\ufeff'])).toBe(
    String.raw`- "\u0085"
- "a\u2028\u2029"
- "\u007f\ufeff"
`,
  );
});
