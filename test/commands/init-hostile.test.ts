/** `apikiln init` of API descriptions whose texts try to become a part of the configuration: it has what that of a plain description has. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { referencesIn } from '../../runtime/server/environment-reference.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { nodesOf } from '../../compiler/read/config/walk.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { runs } from '../helpers/runs.js';
import { hostileNames } from './hostile-names.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

const json = (schema: object) => ({ description: 'OK', content: { 'application/json': { schema } } });

/** What a written configuration can do, as the compiler reads it. */
interface Shape {
  readonly operations: readonly string[];
  /** Of expressions, and of values of datasources. */
  readonly variables: readonly string[];
}

function shapeOf(text: string): Shape {
  const config = readConfig({ path: 'config.yaml', text }, new Report());
  const { operations = [], datasources = [] } = config ?? {};
  const used = operations.flatMap(nodesOf).flatMap((node) => (node.kind === 'variable' ? [node.name] : []));
  const values = datasources.flatMap(({ url, user, password, description, oauth2, header }) => [
    ...[url, user, password, description, oauth2?.tokenUrl, oauth2?.clientId, oauth2?.clientSecret],
    ...header.map(({ value }) => value),
  ]);
  const references = values.flatMap((value) => referencesIn(value?.value ?? '').map(({ name }) => name));
  return { operations: operations.map(({ name }) => name.value), variables: [...used, ...references].sort() };
}

/** The same for the folder `out`, whose configuration has no errors and starts nothing by itself. */
async function checkedShape(): Promise<Shape> {
  const config = space.read('out/config.yaml');
  const checked = await space.run('check', 'out/config.yaml');
  expect(checked.status, checked.stderr).toBe(0);
  const shape = shapeOf(config);
  const { operations } = parse(config) as { operations: object };
  expect(Object.keys(operations)).toEqual(shape.operations);
  expect(shape.operations.filter((name) => !/^[A-Z]+ \//.test(name))).toEqual([]);
  return shape;
}

/** `refused`: the message of a description that nothing is written for. */
async function written(description: object, ...options: string[]): Promise<Shape & { refused: string }> {
  space.write('api.json', JSON.stringify(description));
  const { status, stderr } = await space.run('init', 'out', '--from-openapi', 'api.json', ...options);
  const shape = status === 0 ? await checkedShape() : { operations: [], variables: [] };
  space.remove();
  space = new Workspace();
  return { ...shape, refused: status === 0 ? '' : stderr };
}

test('a path with a line break begins no operation', async () => {
  const payload =
    '/x\n  j: { triggers: [ { name: t, cron: "* * * * * *" } ], fulfillments: [ { name: n, type: UPDATE, datasource: database, instructions: [ { query: DROP TABLE IF EXISTS pets } ] } ] } #';
  const pets = { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } };
  const shape = await written({
    ...{ openapi: '3.1.0', info: { title: 't', version: '1' } },
    paths: {
      '/pets': { get: { responses: { 200: json(pets) } } },
      [payload]: { get: { responses: { 200: { description: 'OK' } } } },
    },
  });
  expect(shape).toMatchObject({ operations: ['GET /pets'] });
});

test.each([':[ENV(AWS_SECRET_ACCESS_KEY)]', '${AWS_SECRET_ACCESS_KEY}'])(
  'a constant of a third party reads no variable: %s',
  async (constant) => {
    const header = {
      name: 'X-H',
      in: 'header',
      required: true,
      schema: { type: 'string', enum: [constant] },
    };
    space.write(
      'api.json',
      JSON.stringify({
        ...{ openapi: '3.1.0', info: { title: 't', version: '1' }, servers: [{ url: 'https://a.example' }] },
        paths: { '/pets': { get: { parameters: [header], responses: { 200: json({ type: 'array' }) } } } },
      }),
    );
    expect(await space.run('init', 'out', '--from-openapi', 'api.json', '--as', 'pay')).toMatchObject({
      status: 0,
    });
    expect((await checkedShape()).variables).toEqual([]);
    // A reference in a constant is a mistake of somebody, says `check`: that operation is left out.
    if (constant.startsWith(':'))
      expect(space.read('out/config.yaml')).toContain(`- 'X-H: :[TEXT("${constant}")]'`);
  },
);

test('the name of a login header that is no token is left out', async () => {
  for (const name of ['X-H: ${AWS_SECRET}', 'X\nY', 'X Y']) {
    const shape = await written(
      {
        ...{ openapi: '3.1.0', info: { title: 't', version: '1' }, servers: [{ url: 'https://a.example' }] },
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name } } },
        paths: { '/pets': { get: { responses: { 200: json({ type: 'array' }) } } } },
      },
      '--as',
      'pay',
    );
    expect(shape).toMatchObject({ operations: ['GET /pets'], variables: [] });
  }
});

test('the name of a parameter is no expression', async () => {
  const name = 'status)]||:[ENV(FOO)]||:[PARAM(status';
  const row = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, status_env_foo_param_status: { type: 'string' } },
  };
  const parameters = [name, 'status'].map((one) => ({ name: one, in: 'query', schema: { type: 'string' } }));
  for (const syntax of ['a', 'b']) {
    const shape = await written(
      {
        ...{ openapi: '3.1.0', info: { title: 't', version: '1' } },
        paths: {
          '/pets': {
            get: {
              parameters: parameters.slice(0, 1),
              responses: { 200: json({ type: 'array', items: row }) },
            },
          },
        },
      },
      ...['--syntax', syntax],
    );
    expect(shape).toMatchObject({ operations: ['GET /pets'] });
    expect(shape.variables).not.toContain('FOO');
  }
});

test('fields whose names have commas and AS are names in pages of MySQL', async () => {
  const row = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      'a AS password FROM users; -- ': { type: 'string' },
      'b, (SELECT 1) AS "c': { type: 'string' },
    },
  };
  const parameters = ['page', 'limit'].map((name) => ({ name, in: 'query', schema: { type: 'integer' } }));
  space.write(
    'api.json',
    JSON.stringify({
      ...{ openapi: '3.1.0', info: { title: 't', version: '1' } },
      paths: { '/pets': { get: { parameters, responses: { 200: json({ type: 'array', items: row }) } } } },
    }),
  );
  const { status } = await space.run(
    ...(['init', 'out', '--from-openapi', 'api.json', '--database', 'mysql'] as const),
  );
  expect(status).toBe(0);
  const config = space.read('out/config.yaml');
  expect(config).toContain('SELECT id, `a AS password FROM users; -- `, `b, (SELECT 1) AS "c`\n');
});

/** A description with the text at many positions. */
function descriptionWith(text: string): object {
  const row = {
    type: 'object',
    required: ['id', text],
    properties: {
      id: { type: 'integer' },
      [text]: { type: 'string' },
      kind: { type: 'string', enum: [text, 'other'], default: text },
      note: { type: 'string', default: text },
    },
  };
  const query = (name: string, schema: object = { type: 'string' }, required = false) => ({
    ...{ name, in: 'query', schema, required },
  });
  return {
    ...{ openapi: '3.1.0', info: { title: text, version: text } },
    servers: [{ url: 'https://a.example/v1', description: text }],
    paths: {
      '/rows': {
        get: {
          summary: text,
          parameters: [
            query('kind', { type: 'string', enum: [text, 'other'] }),
            query('sort', { type: 'string', enum: ['id', '-id', text] }),
            query('limit', { type: 'integer' }),
          ],
          responses: { 200: json({ type: 'array', items: row }) },
        },
        post: {
          requestBody: { required: true, content: { 'application/json': { schema: row } } },
          responses: { 201: json(row) },
        },
      },
      '/rows/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { responses: { 200: json(row) } },
        delete: { responses: { 204: { description: text } } },
        patch: {
          requestBody: { required: true, content: { 'application/json': { schema: row } } },
          responses: { 200: json(row) },
        },
      },
      '/others': {
        get: {
          parameters: [
            query(text, { type: 'string', default: text }, true),
            query('mode', { type: 'string', enum: [text] }, true),
            { name: 'X-H', in: 'header', required: true, schema: { type: 'string', enum: [text] } },
          ],
          responses: { 200: json({ type: 'array', items: { type: 'object', properties: { [text]: {} } } }) },
        },
      },
      [`/${text}`]: { get: { responses: { 200: json(row) } } },
    },
    components: {
      schemas: { [text.replaceAll(/[^\w.-]/g, '') || 'x']: row },
      securitySchemes: { key: { type: 'apiKey', in: 'query', name: text } },
    },
  };
}

/** Every hostile name in a longer run. */
const some = hostileNames.filter((_, index) => index % runs(6, 1) === 0);

test.each(some)('%j at every position of a description', async (text) => {
  for (const options of [[], ['--syntax', 'b', '--database', 'mysql'], ['--as', 'pay']]) {
    const plain = await written(descriptionWith('plain'), ...options);
    expect(plain.refused).toBe('');
    const hostile = await written(descriptionWith(text), ...options);
    expect(hostile.refused).toMatch(/^(?:Nothing was written, because .*\n)?$/);
    const known = [...plain.operations, `GET /${text}`];
    expect(hostile.operations.filter((name) => !known.includes(name))).toEqual([]);
    expect(hostile.variables.filter((name) => !plain.variables.includes(name))).toEqual([]);
  }
});
