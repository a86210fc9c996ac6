/** The third parties of `apikiln dev`: stubs on this machine, below the path of the datasource's URL. */
import { mkdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DevStubs } from '../../compiler/tools/commands/dev/dev-stubs.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { readThirdParty, type ThirdParty } from '../../compiler/read/openapi/third-party/third-party.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { StubServer } from '../../compiler/tools/local/stub-server.js';
import { Workspace } from '../commands/workspace.js';

/** Starts the stubs of `config.stubs.yaml`, which the test has written. */
async function prepared(
  text: string,
  environment: Record<string, string>,
  record = false,
  description?: string,
): Promise<string> {
  const read = readConfig({ path: 'config.yaml', text }, new Report());
  if (read === undefined) throw new Error('The configuration cannot be read.');
  const { settings, diagnostics } = await stubs.prepare(read, {
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

test('credentials of a stubbed third party without a value are not needed; those of other third parties are', async () => {
  const text = `specification: '1.0'
operations: {}
datasources:
  chat:
    type: rest
    url: 'https://chat.example.com'
    header: ['Authorization: Bearer \${CHAT_KEY}', 'X-Room: \${ROOM:kiln}', 'X-Team: \${TEAM}']
    signature: { scheme: standard-webhooks, secret: '\${SIGNING_KEY}' }
    oauth2: { tokenUrl: 'https://id.example.com', clientId: '\${CLIENT}', clientSecret: '\${SECRET}' }
  bank: { type: rest, url: 'https://bank.example.com', header: ['X-Key: \${CHAT_KEY}'] }
`;
  space.write('config.stubs.yaml', 'datasources: { chat: { request: GET /, response: {} } }\n');
  const read = readConfig({ path: 'config.yaml', text }, new Report());
  if (read === undefined) throw new Error('The configuration cannot be read.');
  const settingsWith = async (environment: Record<string, string>, record = false) => {
    const place = { config: space.path('config.yaml'), folder: space.folder };
    const { settings } = await stubs.prepare(read, { ...place, environment, record });
    return Object.fromEntries(Object.entries(settings).filter(([name]) => !name.endsWith('_URL')));
  };
  expect(await settingsWith({ TEAM: 'a', DATASOURCE_CHAT_OAUTH2_CLIENT_ID: 'own' })).toEqual({
    DATASOURCE_CHAT_HEADER_AUTHORIZATION: 'Bearer test',
    DATASOURCE_CHAT_OAUTH2_CLIENT_SECRET: 'test',
    DATASOURCE_CHAT_SIGNATURE_SECRET: expect.stringMatching(/^whsec_/) as string,
  });
  const all = { CHAT_KEY: 'k', TEAM: 'a', SIGNING_KEY: 's', CLIENT: 'c', SECRET: 's' };
  expect(await settingsWith(all)).toEqual({});
  // The real third party is asked.
  expect(await settingsWith({}, true)).toEqual({});
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
    // The response on another connection shows that the server has handled the end of this one.
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
    // The recorded stubs are used, and nothing else is logged.
    expect(await (await fetch(`${url}/rooms`)).json()).toEqual([{ name: 1, topic: 2 }, { name: 3 }]);
    expect(logged).toHaveLength(3);
  } finally {
    await api.stop();
  }
});

const deals = `specification: '1.0'
operations:
  GET /deals:
    fulfillments:
      - name: deals
        type: READ
        datasource: chat
        instructions:
          - request: { url: /deals, httpType: GET, pages: { next: $.paging.next, items: $.data, max: 9 } }
datasources:
  chat: { type: rest, url: 'https://chat.example.com/v1' }
`;

test('addresses of the third party lead back to its stub: redirects and next pages, and no others', async () => {
  space.write(
    'config.stubs.yaml',
    `datasources:
  chat:
    - request: GET /v1/deals
      response:
        header: { Link: '<https://chat.example.com/v1/deals?page=2>; rel="next", <https://other.example.com/>; rel="about"' }
        body: { data: [{ photo: 'https://chat.example.com/1.png' }], paging: { next: 'https://chat.example.com/v1/deals?page=2' } }
    - request: GET /v1/elsewhere
      response: { body: { data: [], paging: { next: 'https://chat.example.com.evil.test/v1/deals' } } }
    - { request: GET /v1/moved, response: { statuscode: 302, header: { Location: 'https://chat.example.com/v1/deals' } } }
`,
  );
  const url = await prepared(deals, {});
  const response = await fetch(`${url}/deals`);
  expect(response.headers.get('link')).toBe(
    `<${url}/deals?page=2>; rel="next", <https://other.example.com/>; rel="about"`,
  );
  expect(await response.json()).toEqual({
    data: [{ photo: 'https://chat.example.com/1.png' }],
    paging: { next: `${url}/deals?page=2` },
  });
  expect(await (await fetch(`${url}/elsewhere`)).json()).toMatchObject({
    paging: { next: 'https://chat.example.com.evil.test/v1/deals' },
  });
  const moved = await fetch(`${url}/moved`, { redirect: 'manual' });
  expect(moved.headers.get('location')).toBe(`${url}/deals`);
});

test('recorded pages are asked for through the recorder, and are written with the addresses of the third party', async () => {
  const api: StubServer = await StubServer.start(({ query }) => {
    const page = Number(query.get('page') ?? 1);
    const next = page < 3 ? `${api.url}/v1/deals?page=${page + 1}&access_token=hush-${page}` : null;
    return {
      headers: {
        'content-type': 'application/json',
        ...(next === null ? {} : { link: `<${next}>; rel="next"` }),
      },
      // Digits must be preserved, as well as slashes in PHP's escaping.
      body: `{"data":[1.10],"paging":{"next":${JSON.stringify(next).replaceAll('/', '\\/')}}}`,
    };
  });
  try {
    const environment = { DATASOURCE_CHAT_URL: `${api.url}/v1` };
    const walk = async (first: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let next: string | null = first; next !== null;) {
        seen.push(next);
        const response = await fetch(next);
        const text = await response.text();
        expect(text).toContain('[1.1');
        const found = (JSON.parse(text) as { paging: { next: string | null } }).paging.next;
        expect(response.headers.get('link')).toBe(found === null ? null : `<${found}>; rel="next"`);
        next = found;
      }
      return seen;
    };
    const url = await prepared(deals, environment, true);
    const recorded = await walk(`${url}/deals`);
    expect(recorded).toEqual([
      `${url}/deals`,
      `${url}/deals?page=2&access_token=hush-1`,
      `${url}/deals?page=3&access_token=hush-2`,
    ]);
    const written = space.read('config.stubs.yaml');
    expect(written).toContain(`next: ${api.url}/v1/deals?page=2&access_token=test`);
    expect(written).not.toContain('hush');
    expect(written).not.toContain(url);

    const config = deals.replace('https://chat.example.com/v1', `${api.url}/v1`);
    const replayed = await walk(`${await prepared(config, {})}/deals`);
    expect(replayed).toEqual(recorded.map((address) => address.replace(/hush-\d/, 'test')));
  } finally {
    await api.stop();
  }
});

test('secrets of every field are omitted from a recording, and words next to them stay', async () => {
  const api = await StubServer.start(() => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      plan: 'Basic',
      seen: ['b64-secret', 'app-secret', 'client-secret', 'hook-secret', 'random-token'],
    }),
  }));
  const text = config.replace(
    "{ type: rest, url: 'https://chat.example.com/hooks/${CHAT_HOOK}/${CHAT_ROOM:kiln}' }",
    `
    type: rest
    url: https://chat.example.com/\${CHAT_HOOK}
    header: ['X-Key: Basic b64-secret']
    oauth2:
      tokenUrl: https://chat.example.com/token
      clientId: me
      clientSecret: client-secret
      parameters: { app_secret: '\${APP_SECRET}', audience: all }`,
  );
  try {
    const environment = { CHAT_HOOK: 'hook-secret', APP_SECRET: 'app-secret', DATASOURCE_CHAT_URL: api.url };
    space.write('config.stubs.yaml', '# mine');
    stubs.hide('random-token');
    const url = await prepared(text, environment, true);
    expect(await (await fetch(`${url}/me`)).json()).toMatchObject({ plan: 'Basic' });
    expect(space.read('config.stubs.yaml')).toMatch(/^# mine\n# /);
    const [stub] = readStubs(space.read('config.stubs.yaml'));
    expect(stub?.response).toEqual({
      body: { plan: 'Basic', seen: ['test', 'test', 'test', 'test', 'test'] },
    });
  } finally {
    await api.stop();
  }
});

test('what cannot be written is said, and the service gets the response', async () => {
  const api = await StubServer.start(() => ({ headers: { 'content-type': 'application/json' }, body: '1' }));
  try {
    const url = await prepared(config, { CHAT_HOOK: 'secret', DATASOURCE_CHAT_URL: api.url }, true);
    mkdirSync(space.path('config.stubs.yaml'));
    expect(await (await fetch(`${url}/one`)).json()).toBe(1);
    rmSync(space.folder, { recursive: true });
    expect(await (await fetch(`${url}/two`)).json()).toBe(1);
    expect(logged).toEqual([
      expect.stringMatching(/^ {2}chat: GET \/one: not recorded, because .* it is a folder\.*$/) as string,
      '  chat: GET /two: not recorded, because config.stubs.yaml cannot be written: there is no such file',
    ]);
  } finally {
    await api.stop();
  }
});

/** The stubs of the only datasource. */
function readStubs(text: string): { readonly response: unknown }[] {
  const { datasources } = parse(text) as { datasources: { chat: { response: unknown }[] } };
  return datasources.chat;
}
