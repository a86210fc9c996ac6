/** Responses of tests that contradict the API description: what is reported, and how a test allows it. */
import { afterEach, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { compareDescribed } from '../../compiler/tools/testing/compare-described.js';
import { readTests } from '../../compiler/tools/testing/read/read-tests.js';
import { requestedOperation } from '../../compiler/tools/testing/read/requested-operation.js';
import { Workspace } from '../commands/workspace.js';

let space: Workspace | undefined;

afterEach(() => {
  space?.remove();
  space = undefined;
});

const ok = '[{ name: ok, default: true, statuscode: 200, schema: { id: PARAM(id) } }]';
const config = `specification: '1.0'
operations:
  'GET /a/{id}': { responses: ${ok} }
  'GET /a/b': { responses: ${ok} }
settings: { basePath: /v1 }
`;

/** The messages about a body that is described by the schema. */
function found(schema: object, body: unknown, { response = '{}', status = 200 } = {}): string[] {
  const content = { 'application/json': { schema } };
  const responses = { 200: { description: 'ok', content }, '4XX': { description: 'no' } };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const openapi = {
    ...{ openapi: '3.1.0', info: { title: 'A', version: '1' } },
    paths: { '/a/{id}': { get: { parameters, responses } } },
  };
  const { analysis } = checkSource({
    config: { path: 'config.yaml', text: config },
    description: { source: { path: 'openapi.yaml', text: JSON.stringify(openapi) }, read: () => undefined },
  });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  const text = `tests:\n  - name: one\n    request: GET /v1/a/1\n    response: ${response}\n`;
  const { file } = readTests({ path: 'config.test.yaml', text }, analysis.config);
  const step = file?.tests[0]?.steps[0];
  const endpoint = analysis.operations[0]?.endpoint;
  if (step === undefined || endpoint === undefined) throw new Error('Nothing to compare.');
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return compareDescribed(step, { status, headers, text: '', body }, endpoint).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

const item = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const list = { type: 'object', properties: { items: { type: 'array', items: item } } };
const wrongId = 'contradicts the API description: it is a number, and must be a string';

test.each([
  [list, { items: [{ id: 'a' }] }, []],
  [list, { items: [{ id: 'a' }, { id: 10.1 }] }, [`$.items[1].id: 10.1 ${wrongId}`]],
  [list, { items: [{}] }, ['$.items[0].id: missing, but the API description requires it']],
  [list, { items: {} }, ['$.items: {} contradicts the API description: it is a map, and must be a list']],
  [list, { items: null }, ['$.items: null contradicts the API description: it is null, and must be a list']],
  [list, { more: 1 }, []],
  [
    { ...item, additionalProperties: false },
    { id: 'a', more: 1 },
    ['$.more: 1 contradicts the API description: it has no such field'],
  ],
  [{ type: 'integer' }, '9007199254740993', []],
  [
    { type: 'integer' },
    '7',
    ['$: "7" contradicts the API description: it is a string, and must be an integer'],
  ],
  [{ type: ['string', 'null'] }, null, []],
  [{ anyOf: [item, { type: 'null' }] }, null, []],
  [{ anyOf: [item, { type: 'null' }] }, { id: 1 }, [`$.id: 1 ${wrongId}`]],
  [
    { allOf: [item, { required: ['name'] }] },
    { id: 'a' },
    ['$.name: missing, but the API description requires it'],
  ],
  [
    { type: 'string', enum: ['red', 'blue'] },
    'green',
    [`$: "green" contradicts the API description: it is not one of 'red', 'blue'`],
  ],
])('%j allows %j', (schema, body, messages) => {
  expect(found(schema, body)).toEqual(messages);
});

test('other statuses, and tests with `described: false`, have no findings', () => {
  expect(found(item, { id: 1 }, { status: 404 })).toEqual([]);
  expect(found(item, { id: 1 }, { response: '{ described: false }' })).toEqual([]);
});

test('a path without parameters precedes a path with a parameter', () => {
  const { analysis } = checkSource({ config: { path: 'config.yaml', text: config } });
  const named = (target: string, method = 'GET') =>
    analysis && requestedOperation({ method, target }, analysis.config)?.name.value;
  expect(named('/v1/a/b?x=1')).toBe('GET /a/b');
  expect(named('/v1/a/:[id]')).toBe('GET /a/{id}');
  expect(named('/v1/a/1', 'HEAD')).toBe('GET /a/{id}');
  expect(named('/v1/a/1', 'POST')).toBeUndefined();
});

test('apikiln test reports a value of a JSON column, whose type nobody knows', async () => {
  space = new Workspace();
  space.write(
    'schema.sql',
    `CREATE TABLE t (id bigint, j jsonb); INSERT INTO t VALUES (7, '{"net": 10.1}');`,
  );
  space.write(
    'config.yaml',
    `specification: '1.0'
operations:
  'GET /t':
    fulfillments:
      - { name: t, type: READ, datasource: db, instructions: [{ query: 'SELECT id, j FROM t' }] }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: { list: 'VALUE(t, $)', item: { id: 'VALUE(@, $.id)', net: 'VALUE(@, $.j.net)' } }
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/t' }
`,
  );
  const properties = { id: { type: ['string', 'null'] }, net: { type: 'string' } };
  const schema = { type: 'array', items: { type: 'object', properties } };
  const responses = { 200: { description: 'ok', content: { 'application/json': { schema } } } };
  space.write(
    'openapi.yaml',
    JSON.stringify({
      ...{ openapi: '3.1.0', info: { title: 'T', version: '1' } },
      paths: { '/t': { get: { responses } } },
    }),
  );
  space.write(
    'config.test.yaml',
    `tests:
  - { name: compared, request: GET /t }
  - { name: not compared, request: GET /t, response: { described: false, body: [{ id: '7', net: 10.1 }] } }
`,
  );
  const { status, stdout, stderr } = await space.run('test');
  expect(stderr).toBe('');
  expect(stdout).toContain(
    '$[0].net: 10.1 contradicts the API description: it is a number, and must be a string',
  );
  expect(stdout).toContain('1 test passed, 1 failed');
  expect(status).toBe(1);
}, 120_000);
