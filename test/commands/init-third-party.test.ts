/** `apikiln init --from-openapi FILE --as NAME`: the written files are valid, and pass their generated tests. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

/** Writes the service to the folder `out` and checks it. */
async function written(file: string): Promise<string> {
  const made = await space.run('init', 'out', '--from-openapi', file, '--as', 'pay-api');
  expect(made.status, made.stderr).toBe(0);
  const checked = await space.run('check', 'out/config.yaml');
  expect(checked.stderr).toBe('out/config.yaml is fine.\n');
  return made.stderr;
}

const description = `openapi: 3.1.0
info: { title: Payments, version: '1' }
servers:
  - url: https://{system}.pay.example/{version}/
    variables: { system: { default: test }, version: { default: v2 } }
security: [{ key: [] }]
paths:
  /:
    get: { responses: { 200: { description: OK, content: { text/html: {} } } } }
  /reports/{year}/{month}:
    get: { parameters: [{ name: year, in: path, required: true }, { name: month, in: path, required: true }], responses: { 200: { description: OK } } }
  /payments:
    get:
      parameters:
        - { name: mode, in: query, required: true, schema: { type: string, enum: [live, test] } }
        - { name: since, in: query, required: true, schema: { type: string, format: date } }
      responses:
        200:
          description: The payments
          content:
            application/json:
              schema: { type: object, properties: { data: { type: array, items: { $ref: 'models/payment.yaml' } } } }
              examples: { one: { value: { data: [{ id: p1, amount: 3, state: /open }] } } }
    post:
      parameters: [{ name: X-Version, in: header, required: true, schema: { const: '2026' } }]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: 'models/payment.yaml' } } }
      responses: { 201: { description: The payment, content: { application/json: { schema: { $ref: 'models/payment.yaml' }, example: { id: 7 } } } } }
  /payments/{payment-id}:
    get:
      parameters: [{ name: payment-id, in: path, required: true, schema: { type: string, format: uuid } }]
      responses: { 200: { description: The payment, content: { application/json: { schema: { $ref: 'models/payment.yaml' } } } } }
components:
  securitySchemes:
    login: { type: oauth2, flows: { clientCredentials: { tokenUrl: https://id.pay.example/token, scopes: {} } } }
    key: { type: apiKey, in: header, name: X-Key }
`;
const payment = `type: object
required: [id, amount]
properties:
  id: { type: string, readOnly: true }
  amount: { type: number }
  state: { type: string }
  payer: { $ref: 'payer.yaml' }
`;

describe('a list, one of its elements, and one that is made', () => {
  beforeEach(() => {
    space.write('described/openapi.yaml', description);
    space.write('described/models/payment.yaml', payment);
    space.write('described/models/payer.yaml', 'type: object\nproperties: { name: { type: string } }\n');
  });

  test('are sent by example operations, with tests', async () => {
    const printed = await written('described/openapi.yaml');
    expect(printed).toContain(
      'Example operations: GET /payments, GET /payments/{payment_id}, POST /payments.',
    );
    expect(printed).toContain('It needs PAY_API_API_KEY');
    expect(Object.keys(space.files('out')).sort()).toEqual([
      ...['.gitignore', 'config.test.yaml', 'config.yaml', 'pay-api/models/payer.yaml'],
      ...['pay-api/models/payment.yaml', 'pay-api/openapi.yaml'],
    ]);
    const config = space.read('out/config.yaml');
    expect(config.slice(config.indexOf('datasources:\n'))).toBe(`datasources:
  pay-api:
    type: rest
    url: https://test.pay.example/v2
    description: pay-api/openapi.yaml
    header:
      - "X-Key: \${PAY_API_API_KEY}"
`);
    expect(config).toContain('url: /payments?mode=live&since=:[');
    expect(config).toContain('- "X-Version: 2026"');
    // An example that contradicts its description is not used.
    expect(space.read('out/config.test.yaml')).not.toContain('id: 7');
    const run = await space.run('test', 'out/config.yaml');
    expect(run.stdout).toContain('3 tests passed');
  });
});

test.each([
  ['basic', '{ type: http, scheme: basic }', ['user: ${PAY_API_USER}', 'password: ${PAY_API_PASSWORD}']],
  ['bearer', '{ type: http, scheme: bearer }', ['- "Authorization: Bearer ${PAY_API_TOKEN}"']],
  [
    'a key in the query',
    '{ type: apiKey, in: query, name: api key }',
    ['url: https://pay.example?api%20key=${PAY_API_API_KEY}'],
  ],
  [
    'client credentials',
    '{ type: oauth2, flows: { clientCredentials: { tokenUrl: https://id.example/token, scopes: {} } } }',
    [
      'tokenUrl: https://id.example/token',
      'clientId: ${PAY_API_CLIENT_ID}',
      'clientSecret: ${PAY_API_CLIENT_SECRET}',
    ],
  ],
  [
    'a log-in of people',
    '{ type: oauth2, flows: { implicit: { authorizationUrl: https://id.example } } }',
    ['- "Authorization: Bearer ${PAY_API_TOKEN}"'],
  ],
])('%s', async (_, scheme, lines) => {
  space.write(
    'api.json',
    `openapi: 3.0.0\nservers: [{ url: https://pay.example }]\npaths: { /a: { get: { responses: { 200: { content: { application/json: { schema: { type: array } } } } } } } }\ncomponents: { securitySchemes: { it: ${scheme} } }\n`,
  );
  await written('api.json');
  const config = space.read('out/config.yaml');
  for (const line of lines) expect(config).toContain(line);
});

test.each([
  [
    'a token server with a fragment',
    '{ type: oauth2, flows: { clientCredentials: { tokenUrl: https://id.example/#token, scopes: {} } } }',
  ],
  [
    'a token server with an account',
    '{ type: oauth2, flows: { clientCredentials: { tokenUrl: https://a:b@id.example/token, scopes: {} } } }',
  ],
  ['a header that every object has', '{ type: apiKey, in: header, name: constructor }'],
  ['a header that is no token', '{ type: apiKey, in: header, name: X Y }'],
])('%s is a log-in that no datasource can have', async (_, scheme) => {
  space.write(
    'api.json',
    `openapi: 3.0.0\nservers: [{ url: https://pay.example }]\npaths: { /a: { get: { responses: { 200: { content: { application/json: { schema: { type: array } } } } } } } }\ncomponents: { securitySchemes: { it: ${scheme} } }\n`,
  );
  expect(await written('api.json')).toContain(
    'Example operations: GET /a.\n\nThe log-in of the description is not written: a datasource cannot have it.\n',
  );
});

test('a path with an apostrophe passes its own test', async () => {
  space.write(
    'api.json',
    `openapi: 3.0.0\nservers: [{ url: https://pay.example }]\npaths: { '/a/{id}': { get: { parameters: [{ name: id, in: path, required: true, schema: { enum: [it's] } }], responses: { 200: { content: { application/json: { schema: { type: object, properties: { id: { type: string } } } } } } } } }, /a: { get: { responses: { 200: { content: { application/json: { schema: { type: array } } } } } } } }\n`,
  );
  expect(await written('api.json')).toContain('GET /a/{id}');
  const { status, stdout } = await space.run('test', 'out/config.yaml');
  expect({ status, stdout: stdout.includes('2 tests passed') }).toEqual({ status: 0, stdout: true });
});

test('Swagger 2.0, whose server is unknown', async () => {
  space.write(
    'api.yaml',
    'swagger: "2.0"\npaths:\n  /items:\n    get:\n      responses: { 200: { description: OK, schema: { type: array, items: { type: object, properties: { id: { type: integer } } } }, examples: { application/json: [{ id: 1 }] } } }\n',
  );
  expect(await written('api.yaml')).toContain('It needs PAY_API_URL');
  expect(space.read('out/config.yaml')).toContain('url: ${PAY_API_URL}');
  expect(space.read('out/config.test.yaml')).toContain('- id: 1');
});

test.each([
  [
    'nothing to send',
    'openapi: 3.0.0\npaths: {}\n',
    "api.yaml has no requests: there is nothing under 'paths'.",
  ],
  ['no description', 'a: 1\n', 'Nothing was written, because of api.yaml: '],
  ['another version', 'openapi: 4.0.0\npaths: {}\n', 'Nothing was written, because of api.yaml: '],
])('%s', async (_, text, message) => {
  space.write('api.yaml', text);
  const { status, stderr } = await space.run('init', 'out', '--from-openapi', 'api.yaml', '--as', 'pay');
  expect(stderr).toContain(message);
  expect({ status, isThere: space.exists('out') }).toEqual({ status: 1, isThere: false });
});

test('a request that no example can be made of is left out', async () => {
  space.write(
    'api.yaml',
    'openapi: 3.0.0\nservers: [{ url: /relative }]\npaths:\n  /up:\n    put: { responses: { 200: { description: OK } } }\n',
  );
  expect(await written('api.yaml')).toContain('No operations');
});

test('wrong use is named', async () => {
  const alone = await space.run('init', 'out', '--as', 'pay');
  expect(alone.stderr).toContain('--as names the datasource of --from-openapi <file>.');
  space.write('api.yaml', description);
  const other = await space.run('init', 'out', '--from-openapi', 'api.yaml', '--as', 'pay', '--syntax', 'b');
  expect(other.stderr).toContain('--as: third parties are called in Syntax A.');
  const odd = await space.run('init', 'out', '--from-openapi', 'api.yaml', '--as', 'a b');
  expect(odd.stderr).toContain('--as a b: the name of a datasource has letters');
});
