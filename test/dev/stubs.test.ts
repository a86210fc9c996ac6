/** The third parties of `apikiln dev`: stubs on this machine, behind the path of the datasource's URL. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DevStubs } from '../../compiler/tools/commands/dev/dev-stubs.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { readThirdParty, type ThirdParty } from '../../compiler/read/openapi/third-party/third-party.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { StubServer } from '../../compiler/tools/local/stub-server.js';
import { Workspace } from '../commands/workspace.js';

/** The responses of the stubs of `config.stubs.yaml` that the test has written. */
async function prepared(
  text: string,
  environment: Record<string, string>,
  record = false,
  description?: string,
): Promise<string> {
  const { datasources = [] } = readConfig({ path: 'config.yaml', text }, new Report()) ?? {};
  const { settings, diagnostics } = await stubs.prepare(datasources, {
    config: space.path('config.yaml'),
    folder: space.folder,
    environment,
    record,
    note: () => undefined,
    ...(description !== undefined && { thirdParties: new Map([['chat', described(description)]]) }),
  });
  expect(diagnostics).toEqual([]);
  return settings.DATASOURCE_CHAT_URL ?? '';
}

function described(text: string): ThirdParty {
  const input = { source: { path: 'api.yaml', text }, read: () => undefined };
  const found = readThirdParty(input, new Report());
  if (found === undefined) throw new Error('It is no description.');
  return found;
}

const config = `specification: '1.0'
operations: {}
datasources:
  chat: { type: rest, url: 'https://chat.example.com/hooks/\${CHAT_HOOK}/\${CHAT_ROOM:kiln}' }
`;

let space: Workspace;
let logged: string[];
let stubs: DevStubs;

beforeEach(() => {
  space = new Workspace();
  logged = [];
  stubs = new DevStubs(
    (line) => logged.push(line),
    () => undefined,
  );
});

afterEach(async () => {
  await stubs.stop();
  space.remove();
});

test('variables in the path of a URL have the values of the environment', async () => {
  space.write(
    'config.stubs.yaml',
    `datasources:
  chat: { request: POST /hooks/secret/kiln/messages, response: { statuscode: 202 } }
`,
  );
  const url = await prepared(config, { CHAT_HOOK: 'secret' });
  expect((await fetch(`${url}/messages`, { method: 'POST' })).status).toBe(202);
});

test('a string with the type of JSON is sent as it is', async () => {
  space.write(
    'config.stubs.yaml',
    `datasources:
  chat:
    - request: GET /hooks/secret/kiln/half
      response: { header: { Content-Type: application/json }, body: '{"rate":' }
    - request: GET /hooks/secret/kiln/text
      response: { body: text }
`,
  );
  const url = await prepared(config, { CHAT_HOOK: 'secret' });
  expect(await (await fetch(`${url}/half`)).text()).toBe('{"rate":');
  expect(await (await fetch(`${url}/text`)).text()).toBe('"text"');
});

test('recorded: each query by itself, and only what the service has got', async () => {
  const held: (() => void)[] = [];
  const api = await StubServer.start(async ({ path, query }) => {
    if (path === '/slow')
      await new Promise<void>((resolve) => {
        held.push(resolve);
      });
    return { headers: { 'content-type': 'application/json' }, body: `{"page":"${query.get('page') ?? ''}"}` };
  });
  try {
    const environment = { CHAT_HOOK: 'secret', DATASOURCE_CHAT_URL: api.url };
    const url = await prepared(config, environment, true);
    const page = async (target: string): Promise<unknown> => (await fetch(`${url}${target}`)).json();
    for (let round = 0; round < 2; round++) {
      expect(await page('/items')).toEqual({ page: '' });
      expect(await page('/items?page=2')).toEqual({ page: '2' });
    }
    const impatient = new AbortController();
    const slow = fetch(`${url}/slow`, { signal: impatient.signal });
    await expect.poll(() => held.length).toBe(1);
    impatient.abort();
    await expect(slow).rejects.toThrow();
    // The server has seen the end of the connection when it has responded on another one.
    await page('/items');
    held[0]?.();
    await expect.poll(() => logged).toHaveLength(3);
    expect(logged).toEqual([
      '  chat: GET /items: recorded in config.stubs.yaml',
      '  chat: GET /items: recorded in config.stubs.yaml',
      '  chat: GET /slow: not recorded, because its response arrived when the service no longer waited',
    ]);
    expect(space.read('config.stubs.yaml')).not.toContain('/slow');
  } finally {
    await api.stop();
  }
});

test('a recorded form matches the same fields again, and no others', async () => {
  let count = 0;
  const api = await StubServer.start(({ body }) => {
    count += 1;
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ got: body.toString() }),
    };
  });
  try {
    const url = await prepared(config, { CHAT_HOOK: 'secret', DATASOURCE_CHAT_URL: api.url }, true);
    const token = async (scope: string): Promise<unknown> => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', scope });
      return (await fetch(`${url}/token`, { method: 'POST', body })).json();
    };
    for (const scope of ['a&b', 'c', 'a&b'])
      expect(await token(scope)).toEqual({
        got: `grant_type=client_credentials&scope=${encodeURIComponent(scope)}`,
      });
    expect(count).toBe(2);
  } finally {
    await api.stop();
  }
  expect(space.read('config.stubs.yaml')).toContain('scope: a&b');
});

test('a response that is not as described is recorded, and said', async () => {
  const api = await StubServer.start(({ path }) => ({
    headers: { 'content-type': 'application/json' },
    body: path === '/rooms' ? '[{"name":1,"topic":2},{"name":3}]' : '{"name":"kiln"}',
  }));
  try {
    const description = `openapi: 3.0.0
paths:
  /rooms:
    get:
      responses: { 200: { content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Room' } } } } } }
  /rooms/{name}:
    get: { responses: { 200: { content: { application/json: { schema: { $ref: '#/components/schemas/Room' } } } } } }
components:
  schemas:
    Room: { type: object, required: [owner], properties: { name: { type: string }, topic: { type: string, enum: [a] } } }
`;
    const environment = { CHAT_HOOK: 'secret', DATASOURCE_CHAT_URL: api.url };
    const url = await prepared(config, environment, true, description);
    for (const path of ['/rooms', '/rooms/1', '/a/rooms/1'])
      expect((await fetch(`${url}${path}`)).status).toBe(200);
    expect(logged).toEqual([
      "  chat: GET /rooms: recorded in config.stubs.yaml. It is not as described: The description of 'chat' forbids this value: it is a number, and must be a string.",
      '  chat: GET /rooms/1: recorded in config.stubs.yaml',
      "  chat: GET /a/rooms/1: recorded in config.stubs.yaml. It is not as described: The description of 'chat' has no GET /a/rooms/1.",
    ]);
    // As stubs they are used, and nothing is said again.
    expect(await (await fetch(`${url}/rooms`)).json()).toEqual([{ name: 1, topic: 2 }, { name: 3 }]);
    expect(logged).toHaveLength(3);
  } finally {
    await api.stop();
  }
});
