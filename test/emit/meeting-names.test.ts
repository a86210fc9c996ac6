/**
 * Two resources of any two kinds with the same name, or names that become the same: either an error, or every generated module is valid.
 */
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { upperSnake } from '../../runtime/server/environment-reference.js';
import { assets } from './compile-text.js';

interface Parts {
  readonly datasources: Record<string, object>;
  readonly authentications: Record<string, object>;
  readonly operations: Record<string, object>;
  readonly schemas: Record<string, object>;
}

type Kind = 'database' | 'third party' | 'authentication' | 'operation' | 'called' | 'function' | 'model';

const ok = { name: 'ok', default: true, statuscode: 200 };
const responses = [ok];

/** Adds a resource of the kind with the name. */
const kinds: Readonly<Record<Kind, (parts: Parts, name: string) => void>> = {
  database: ({ datasources, operations }, name) => {
    datasources[name] = { type: 'db', url: 'jdbc:postgresql://localhost/x', user: 'u', password: 'p' };
    const instructions = [{ query: 'SELECT 1 AS a' }];
    const read = { name: 'r', type: 'READ', datasource: name, instructions };
    operations[`GET /database/${Object.keys(datasources).length}`] = { fulfillments: [read], responses };
  },
  'third party': ({ datasources, operations }, name) => {
    datasources[name] = { type: 'rest', url: 'https://a.example' };
    const instructions = [{ request: { url: '/a', httpType: 'GET' } }];
    const read = { name: 'r', type: 'READ', datasource: name, instructions };
    operations[`GET /party/${Object.keys(datasources).length}`] = { fulfillments: [read], responses };
  },
  authentication: ({ authentications, operations }, name) => {
    authentications[name] = { type: 'apikey', default: true, header: 'X-Key', operation: 'find key' };
    operations['find key'] = { responses: [{ ...ok, schema: { sub: 'PARAM(key)' } }] };
  },
  operation: ({ operations }, name) => {
    operations[`GET /${name.replaceAll(' ', '-')}/{id}`] = {
      responses: [{ ...ok, schema: { id: 'PARAM(id)' } }],
    };
  },
  called: ({ operations }, name) => {
    operations[name] = { responses };
    const call = { name: 'c', type: 'reference', operationName: name, parameters: {} };
    operations[`GET /calls/${Object.keys(operations).length}`] = { fulfillments: [call], responses };
  },
  function: ({ operations }, name) => {
    const returns = { type: 'object', properties: { a: { type: 'string' } } };
    const code = { name: 'c', type: 'CODE', function: functionName(name), returns };
    operations[`GET /code/${Object.keys(operations).length}`] = { fulfillments: [code], responses };
  },
  model: ({ schemas }, name) => {
    schemas[name] = { type: 'object', properties: { a: { type: 'string' } } };
  },
};

const names = Object.keys(kinds) as Kind[];

/** Pairs of names. */
const meetings: readonly (readonly [string, string])[] = [
  ['keys', 'keys'],
  ['keys', 'KEYS'],
  ['my-keys', 'my_keys'],
  ['myKeys', 'my-keys'],
  ['get keys by id', 'getKeysById'],
  ['get keys by id input', 'getKeysByIdInput'],
  ['get keys by id input', 'keys'],
  ['keys', 'keys input'],
  ['context', 'contextOf'],
  ['call', 'operation'],
];

/** Datasources share a map, and the prefix of their environment variables. */
const group: Readonly<Record<Kind, string>> = {
  ...{ database: 'datasource', 'third party': 'datasource', authentication: 'authentication' },
  ...{ operation: 'operation', called: 'called', function: 'function', model: 'model' },
};

/** The errors expected for a pair; all other pairs compile. */
function refusalOf(
  [one, other]: readonly [Kind, Kind],
  [first, second]: readonly [string, string],
): string[] {
  if (group[one] !== group[other] || first === second) return [];
  if (one === 'function')
    return functionName(first).toLowerCase() === functionName(second).toLowerCase() &&
      functionName(first) !== functionName(second)
      ? ['function-case']
      : [];
  const hasVariables = group[one] === 'datasource' || one === 'authentication';
  return hasVariables && upperSnake(first) === upperSnake(second) ? ['environment-collision'] : [];
}

function functionName(name: string): string {
  return name.replaceAll(/[^A-Za-z]/g, '_');
}

/** Two datasources with the same name are a duplicate YAML key. */
const isSameKey = ([one, other]: readonly [Kind, Kind]): boolean =>
  one !== other && group[one] === group[other];

const pairs = names.flatMap((one, index) => names.slice(index).map((other) => [one, other] as const));

describe.each(pairs)('%s and %s', (one, other) => {
  test.each(meetings.filter(([first, second]) => first !== second || !isSameKey([one, other])))(
    '%s and %s',
    async (first, second) => {
      const parts: Parts = { datasources: {}, authentications: {}, operations: {}, schemas: {} };
      kinds.database(parts, 'db');
      kinds[one](parts, first);
      kinds[other](parts, second);
      const { files, diagnostics } = await build(parts);
      const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
      expect([...new Set(errors)]).toEqual(refusalOf([one, other], [first, second]));
      if (files !== undefined) expect(meetingsIn(files)).toEqual([]);
    },
  );
});

test.each([
  ['limits', 'often'],
  ['db', 'limits'],
  ['db', 'schedule'],
])('modules, a database %s and an operation %s', async (datasource, operation) => {
  const instructions = [{ query: 'INSERT INTO a (b) VALUES (1)' }];
  const parts: Parts = {
    datasources: { [datasource]: database() },
    authentications: {},
    operations: {
      [operation]: {
        triggers: [{ name: 'often', cron: '0 */10 * * * *' }],
        fulfillments: [{ name: 'r', type: 'UPDATE', datasource, instructions }],
      },
      'GET /a': { responses },
    },
    schemas: {},
  };
  const limits = [{ by: 'ADDRESS()', times: 5, within: '1m', store: datasource }];
  const { files = [], diagnostics } = await build(parts, { limits });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['src/limits.ts', 'src/schedule.ts']));
  expect(meetingsIn(files)).toEqual([]);
});

test.each([
  [{ shop: database(), 'shop-replica': database() }, 'DATASOURCE_SHOP_REPLICA_URL'],
  [{ 'shop-header': third(), shop: { ...third(), header: ['Url: a'] } }, 'DATASOURCE_SHOP_HEADER_URL'],
])('datasources %j have one variable', async (datasources, variable) => {
  const parts: Parts = { datasources, authentications: {}, operations: {}, schemas: {} };
  kinds.operation(parts, 'a');
  const { diagnostics } = await build(parts);
  const found = diagnostics.filter(({ code }) => code === 'environment-collision');
  expect(found.map(({ message }) => message)).toEqual([expect.stringContaining(variable)]);
});

test.each([
  ['key', 'AUTHENTICATION_A_KEY_KEY'],
  // The second value of the token's key, while it is replaced.
  ['key-2', 'AUTHENTICATION_A_KEY_KEY_2'],
])('authentications with one variable, by the name %s of a key', async (key, variable) => {
  const jwt = { type: 'jwt', default: true, issuer: 'https://a.example', audience: 'a', key: 'k'.repeat(40) };
  const keyed = { type: 'apikey', default: true, header: 'X-Key', keys: { [key]: 'k'.repeat(40) } };
  const authentications = { a: keyed, 'a-key': jwt };
  const parts: Parts = { datasources: {}, authentications, operations: {}, schemas: {} };
  kinds.operation(parts, 'a');
  const { diagnostics } = await build(parts);
  const found = diagnostics.filter(({ code }) => code === 'environment-collision');
  expect(found.map(({ message }) => message)).toEqual([expect.stringContaining(`${variable}.`)]);
});

function database(): object {
  return { type: 'db', url: 'jdbc:postgresql://localhost/x', user: 'u', password: 'p' };
}

function third(): object {
  return { type: 'rest', url: 'https://a.example' };
}

async function build({ schemas, ...parts }: Parts, settings?: object): ReturnType<typeof compile> {
  const text = JSON.stringify({ specification: '1.0', ...parts, settings });
  const endpoints = Object.keys(parts.operations).flatMap((name) =>
    name.startsWith('GET ') ? [name.slice(4)] : [],
  );
  const reference = Object.keys(schemas).map((name) => ({
    $ref: `#/components/schemas/${name.replaceAll(' ', '%20')}`,
  }));
  const content =
    reference[0] === undefined
      ? undefined
      : { content: { 'application/json': { schema: { anyOf: reference } } } };
  const paths = Object.fromEntries(
    endpoints.map((path) => [
      path,
      {
        get: {
          parameters: path.includes('{id}')
            ? [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
            : [],
          ...(content === undefined ? {} : { requestBody: content }),
          responses: { '200': { description: 'ok' } },
        },
      },
    ]),
  );
  const openapi = { openapi: '3.1.0', info: { title: 'a', version: '1' }, paths, components: { schemas } };
  return compile(
    {
      config: { path: 'config.yaml', text },
      description: { source: { path: 'openapi.json', text: JSON.stringify(openapi) }, read: () => undefined },
      hasOwnRoutes: true,
    },
    assets,
  );
}

/** Names declared twice at the top level of a module, and paths that differ only in letter case. */
function meetingsIn(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  const paths = files.map(({ path }) => path.toLowerCase());
  return [
    ...repeated(paths),
    ...files
      .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'))
      .flatMap(({ path, text }) => {
        const imported = [...text.matchAll(/^import (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
          names.split(',').flatMap((name) => name.trim().replace(/^type /, '') || []),
        );
        const declared = [
          ...text.matchAll(/^(?:export )?(?:async )?(?:const|function|class|type|interface) (\w+)/gm),
        ];
        return repeated([...imported, ...declared.map(([, name = '']) => name)]).map(
          (name) => `${path}: ${name}`,
        );
      }),
  ];
}

function repeated(list: readonly string[]): string[] {
  return list.filter((one, index) => list.indexOf(one) !== index);
}
