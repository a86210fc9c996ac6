/** Services with thousands of operations compile: TypeScript refuses to compare 1,000 types with each other. */
import { expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { manyRuns } from '../helpers/runs.js';
import { typeErrors } from '../helpers/type-check.js';
import { assets } from './compile-text.js';

/** An operation with its declarations in the API description. */
interface Written {
  readonly name: string;
  readonly operation: object;
  readonly path?: object;
  readonly schemas?: Readonly<Record<string, object>>;
}

const read = (index: number, condition = '') => ({
  ...{ name: 'row', type: 'READ', datasource: 'db' },
  instructions: [{ query: `SELECT id, column${index} FROM item WHERE id = :[PARAM(id)]${condition}` }],
});
const ok = (schema: object) => [{ name: 'ok', default: true, statuscode: 200, schema }];
const created = [{ name: 'created', default: true, statuscode: 201 }];
const insert = (value: string) => [
  {
    ...{ name: 'stored', type: 'UPDATE', datasource: 'db' },
    instructions: [{ query: `INSERT INTO item (value) VALUES (${value})` }],
  },
];

/** Kinds of operations that cover all parts of the generated modules. */
const kinds: Readonly<Record<string, (index: number) => Written>> = {
  plain: (index) => ({
    name: `GET /items${index}/{id}`,
    operation: {
      fulfillments: [read(index)],
      responses: ok({ id: 'VALUE(row, $.id)', value: `VALUE(row, $.column${index})` }),
    },
  }),
  body: (index) => ({
    name: `POST /bodies${index}`,
    operation: { fulfillments: insert(`:[BODY($.value${index})]`), responses: created },
  }),
  'described body': (index) => ({
    name: `POST /described${index}`,
    operation: {
      ...(index % 2 === 0 ? { authentications: ['main'] } : {}),
      fulfillments: insert(`:[BODY($.value${index})]`),
      responses: created,
    },
    path: {
      post: {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/Body${index}` } } },
        },
        responses: { 201: { description: 'stored' } },
      },
    },
    schemas: {
      [`Body${index}`]: {
        type: 'object',
        required: [`value${index}`],
        properties: {
          [`value${index}`]: { type: 'integer', minimum: index },
          kind: { type: 'string', enum: ['a', `b${index}`] },
        },
      },
    },
  }),
  'described parameters': (index) => ({
    name: `GET /parameters${index}/{id}`,
    operation: {
      fulfillments: [read(index, ` AND size > :[PARAM(size${index})]`)],
      responses: ok({ id: 'VALUE(row, $.id)' }),
    },
    path: {
      get: {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: `size${index}`, in: 'query', schema: { type: 'integer', minimum: index } },
        ],
        responses: { 200: { description: 'found' } },
      },
    },
  }),
  timer: (index) => ({
    name: `job ${index}`,
    operation: {
      triggers: [
        {
          ...{ name: 'on time', cron: `0 ${index % 60} 3 * * *` },
          ...(index % 2 === 0 ? { timezone: 'Europe/Berlin' } : {}),
        },
      ],
      fulfillments: insert(`'${index}'`),
    },
  }),
};

/** The path of an operation that is not of the kind `described`, because the description must contain all operations. */
function pathOf(method: string): object {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const body = { content: { 'application/json': { schema: { type: 'object' } } } };
  const input = method === 'GET' ? { parameters: [id] } : { requestBody: body };
  return {
    [method.toLowerCase()]: {
      ...input,
      responses: { 200: { description: 'ok' }, 201: { description: 'ok' } },
    },
  };
}

/** Type errors of a service with `count` operations, alternating between these kinds. */
async function errorsOf(count: number, names: readonly string[]): Promise<string[]> {
  const written = Array.from({ length: count }, (_, index) =>
    kinds[names[index % names.length] ?? '']?.(index),
  );
  const given = written.filter((one) => one !== undefined);
  expect(given).toHaveLength(count);
  const config = {
    specification: '1.0',
    operations: Object.fromEntries(given.map(({ name, operation }) => [name, operation])),
    authentications: { main: { type: 'basicauth', user: 'somebody', password: 'secret' } },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/db' } },
  };
  const isDescribed = given.some(({ path }) => path !== undefined);
  const paths = given.flatMap(({ name, path }) => {
    const [method = '', at] = name.split(' ');
    return at?.startsWith('/') === true ? [[at, path ?? pathOf(method)]] : [];
  });
  const openapi = {
    openapi: '3.0.3',
    info: { title: 'many', version: '1' },
    paths: Object.fromEntries(paths) as object,
    components: { schemas: Object.assign({}, ...given.map(({ schemas }) => schemas)) as object },
  };
  const source = { path: 'openapi.json', text: JSON.stringify(openapi) };
  const { files, diagnostics } = await compile(
    {
      config: { path: 'config.yaml', text: JSON.stringify(config) },
      ...(isDescribed ? { description: { source, read: () => undefined } } : {}),
    },
    assets,
  );
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return typeErrors([{ name: 'many', files: files ?? [] }]);
}

const all = Object.keys(kinds);
const alone = all.flatMap((kind) => [1003, 3000].map((count) => [count, [kind]] as const));
test.each([[3000, all] as const, ...(manyRuns ? alone : [])])('%i operations: %j', async (count, names) => {
  expect(await errorsOf(count, names)).toEqual([]);
});
