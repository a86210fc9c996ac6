/** `apikiln init` for API descriptions whose texts try to inject configuration: the result has the structure of a harmless description. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Workspace } from './workspace.js';
import { checkedShape, json, written } from './written-shape.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

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
    // `check` reports a constant that resembles an expression or a reference as a mistake, so its operation is left out.
    expect(await checkedShape(space)).toEqual({ operations: [], variables: [] });
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
