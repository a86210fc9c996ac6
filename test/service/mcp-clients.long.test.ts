/**
 * The official MCP clients of both generations against a generated service, directly and through `apikiln mcp`, the tools for authors, and
 * calls with cut connections. MCP_CALLS=10000 sends that many calls.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { compileFixture } from '../helpers/compiled-fixtures.js';
import { fetchTools } from '../helpers/fetched-tool.js';
import { freePort } from '../helpers/free-port.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { serviceFixtures } from '../helpers/service-fixture.js';
import { builtTool, sharedPostgres } from '../helpers/shared-servers.js';
import { AuthorizationServer } from './authorization-server.js';
import { KeyServer, sign, signingKey, type SigningKey } from '../runtime/jwt/issuer.js';

const calls = Number(process.env['MCP_CALLS'] ?? 1000);
const database = 'mcp_clients';
const glazeKey = 'glaze-writes-0123456789-0123456789';
const folder = mkdtempSync(join(tmpdir(), 'apikiln-mcp-'));
const keyServer = new KeyServer();
const authorizationServer = new AuthorizationServer(token);
let issuer = '';
let keys: SigningKey;
let service: RunningService;
let packages: string;

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** The parts of both clients that this test uses. */
interface Client {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: readonly { readonly name: string; readonly annotations?: object }[] }>;
  callTool(call: { readonly name: string; readonly arguments?: object }): Promise<ToolResult>;
  getInstructions(): string | undefined;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
}

interface Modules {
  readonly Client: new (info: object, options?: object) => Client;
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options: object,
  ) => { finishAuth(code: string): Promise<void> };
  readonly StdioClientTransport: new (program: object) => unknown;
  readonly extractWWWAuthenticateParams: (response: Response) => { readonly resourceMetadataUrl?: URL };
  readonly discoverOAuthProtectedResourceMetadata: (url: string, options?: object) => Promise<object>;
}

beforeAll(async () => {
  packages = await fetchTools(folder, {
    '@modelcontextprotocol/sdk': '1.32.2',
    '@modelcontextprotocol/client': '2.4.0',
  });
  const fixture = serviceFixtures().find(({ name }) => name === 'tools');
  if (fixture === undefined) throw new Error('The fixture tools is missing.');
  const server = await sharedPostgres();
  await server.createDatabase(database);
  await server.exec(database, fixture.schema);
  await server.exec(database, fixture.seed);
  keys = await signingKey('ES256', 'one');
  const keysAddress = await keyServer.start();
  keyServer.publish(keys.jwk);
  issuer = await authorizationServer.start();
  const { files = [] } = await compileFixture(fixture);
  const port = await freePort();
  service = await RunningService.start(
    translateServices('mcp-clients', [{ name: 'tools', files }]).get('tools') ?? '',
    {
      PORT: String(port),
      MCP_URL: `http://127.0.0.1:${port}/mcp`,
      LOG_REQUESTS: 'errors',
      LOG_FORMAT: 'json',
      AUTHENTICATION_USERS_ISSUER: issuer,
      AUTHENTICATION_USERS_JWKS: keysAddress,
      DATASOURCE_BOOKS_URL: server.jdbcUrl(database),
      DATASOURCE_BOOKS_USER: server.user,
      DATASOURCE_BOOKS_PASSWORD: server.password,
    },
  );
}, 300_000);

afterAll(async () => {
  await service.stop();
  await keyServer.stop();
  await authorizationServer.stop();
  rmSync(folder, { recursive: true, force: true });
});

function token(scope: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return sign(keys, { iss: issuer, aud: 'books', sub: 'ada', company: 'kiln', scope, exp });
}

async function bearer(scope = ''): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await token(scope)}` };
}

/** The state of a log-in that a client stores. The browser of its user is `fetch` here. */
class Login {
  readonly redirectUrl = 'http://localhost:1/back';
  readonly clientMetadata = { client_name: 'test', redirect_uris: [this.redirectUrl] };
  code = '';
  #client: object | undefined;
  #tokens: object | undefined;
  #discovery: object | undefined;
  #verifier = '';

  clientInformation = (): object | undefined => this.#client;
  saveClientInformation = (client: object): void => {
    this.#client = client;
  };
  tokens = (): object | undefined => this.#tokens;
  saveTokens = (tokens: object): void => {
    this.#tokens = tokens;
  };
  discoveryState = (): object | undefined => this.#discovery;
  saveDiscoveryState = (discovery: object): void => {
    this.#discovery = discovery;
  };
  codeVerifier = (): string => this.#verifier;
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  redirectToAuthorization = async (url: URL): Promise<void> => {
    const response = await fetch(url, { redirect: 'manual' });
    this.code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  };
}

const generations = [
  {
    name: '1.32',
    files: ['index', 'streamableHttp', 'stdio', 'auth'].map((name) => `sdk/dist/esm/client/${name}.js`),
    options: {},
  },
  { name: '2.4', files: ['client/dist/index.mjs', 'client/dist/stdio.mjs'], options: {} },
  {
    name: '2.4 without a handshake',
    files: ['client/dist/index.mjs', 'client/dist/stdio.mjs'],
    options: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  },
];

describe.each(generations)('the client $name', ({ files, options }) => {
  async function modules(): Promise<Modules> {
    const loaded = await Promise.all(
      files.map((file) => import(pathToFileURL(join(packages, '@modelcontextprotocol', file)).href)),
    );
    return Object.assign({}, ...(loaded as object[])) as Modules;
  }

  async function opened(headers: Record<string, string>): Promise<Client> {
    const { Client, StreamableHTTPClientTransport } = await modules();
    const client = new Client({ name: 'test', version: '1' }, options);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }),
    );
    return client;
  }

  /** A client that starts `apikiln mcp`. */
  async function started(args: readonly string[], env: Record<string, string> = {}): Promise<Client> {
    const { Client, StdioClientTransport } = await modules();
    const client = new Client({ name: 'test', version: '1' }, options);
    const program = { command: process.execPath, args: [await builtTool(), 'mcp', ...args] };
    await client.connect(new StdioClientTransport({ ...program, cwd: folder, env }));
    return client;
  }

  test('lists the tools, with instructions', async () => {
    const client = await opened(await bearer());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['list_invoices', 'get_invoice', 'create_invoice', 'delete_invoice', 'export_invoices', 'break'],
    ]);
    expect(client.getInstructions()).toContain('in euros');
    expect(client.getServerVersion()).toMatchObject({ name: 'service', version: '2.1.0' });
    await client.close();
  });

  test('reads all pages, whose results have the schema of the tool', async () => {
    const client = await opened(await bearer());
    await client.listTools();
    const ids: unknown[] = [];
    let next: object | undefined = { limit: 1 };
    while (next !== undefined) {
      const { structuredContent = {} } = await client.callTool({ name: 'list_invoices', arguments: next });
      const items = structuredContent['items'] as { readonly id: number }[];
      ids.push(...items.map(({ id }) => id));
      next = structuredContent['next'] as object | undefined;
    }
    expect(ids.slice(0, 3)).toEqual([1, 2, 4]);
    await client.close();
  });

  test('finds the issuer of tokens, with and without a challenge', async () => {
    const { extractWWWAuthenticateParams, discoverOAuthProtectedResourceMetadata } = await modules();
    const url = `${service.url}/mcp`;
    const refused = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    await refused.text();
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused);
    const metadata = await discoverOAuthProtectedResourceMetadata(url, { resourceMetadataUrl });
    expect(metadata).toMatchObject({ resource: url, authorization_servers: [issuer] });
    expect(await discoverOAuthProtectedResourceMetadata(url)).toEqual(metadata);
  });

  test('logs its user in at the issuer, and again for a scope that a call needs', async () => {
    const { Client, StreamableHTTPClientTransport } = await modules();
    const login = new Login();
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { authProvider: login });
    const before = transport();
    await expect(new Client({ name: 'test', version: '1' }, options).connect(before)).rejects.toThrow();
    await before.finishAuth(login.code);
    const client = new Client({ name: 'test', version: '1' }, options);
    const during = transport();
    await client.connect(during);
    const read = await client.callTool({ name: 'get_invoice', arguments: { id: 1 } });
    expect(read.structuredContent).toMatchObject({ customer: 'Ada' });
    const written = { name: 'create_invoice', arguments: { body: { customer: 'Grace', amount: 1 } } };
    await expect(client.callTool(written)).rejects.toThrow();
    expect(authorizationServer.scopes.at(-1)).toBe('invoices:write');
    await during.finishAuth(login.code);
    expect((await client.callTool(written)).isError).toBeUndefined();
    await client.close();
  });

  test('has the same tools through apikiln mcp', async () => {
    const { authorization = '' } = await bearer();
    const url = `${service.url}/mcp`;
    const client = await started([url], { MCP_CREDENTIALS: `Authorization: ${authorization}` });
    expect((await client.listTools()).tools).toHaveLength(6);
    const { structuredContent } = await client.callTool({ name: 'get_invoice', arguments: { id: 1 } });
    expect(structuredContent).toMatchObject({ customer: 'Ada' });
    await client.close();
  });

  test('writes a configuration with the tools for authors', async () => {
    writeFileSync(join(folder, 'config.yaml'), 'specification: "1.0"\noperations: {}\n');
    const client = await started(['--author']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      ...['check', 'explain', 'help', 'test'],
    ]);
    const { content } = await client.callTool({ name: 'check', arguments: {} });
    expect(content[0]?.text).toContain('config.yaml');
    await client.close();
  });

  test('sees errors of the operation, and refusals of the endpoint', async () => {
    const client = await opened(await bearer());
    const missing = await client.callTool({ name: 'get_invoice', arguments: { id: 3 } });
    expect(missing.isError).toBe(true);
    expect(missing.content[0]?.text).toMatch(/^404: There is no invoice 3/);
    const invalid = await client.callTool({ name: 'list_invoices', arguments: { limit: 1000 } });
    expect(invalid.isError).toBe(true);
    expect(invalid.content[0]?.text).toMatch(/^400: /);
    const body = { customer: 'Ada', amount: 1 };
    await expect(client.callTool({ name: 'create_invoice', arguments: { body } })).rejects.toThrow();
    await expect(client.callTool({ name: 'get_companies' })).rejects.toThrow('does not exist');
    await client.close();
    await expect(opened({})).rejects.toThrow();
  });

  test('changes a version that it has read', async () => {
    const client = await opened({ 'x-api-key': glazeKey });
    const body = { customer: 'Alan', amount: 5 };
    const made = await client.callTool({ name: 'create_invoice', arguments: { body } });
    const id = made.structuredContent?.['id'];
    const stale = { id, 'If-Match': '"7"' };
    expect(await client.callTool({ name: 'delete_invoice', arguments: stale })).toMatchObject({
      isError: true,
    });
    const version = { id, 'If-Match': '"1"' };
    const deleted = await client.callTool({ name: 'delete_invoice', arguments: version });
    expect(deleted.isError).toBeUndefined();
    await client.close();
  });
});

test('no call sees the rows of another company, with cut connections and hostile arguments', async () => {
  const headers = { kiln: await bearer(), glaze: { 'x-api-key': glazeKey } };
  const own = { kiln: new Set(['Ada', 'Grace', 'Edsger']), glaze: new Set(['Alan']) };
  let answered = 0;
  const one = async (index: number): Promise<void> => {
    const company = index % 2 === 0 ? 'kiln' : 'glaze';
    const hostile = [{}, { limit: 100 }, { after: randomBytes(12).toString('base64url') }, { at_least: 0 }];
    const name = index % 3 === 0 ? 'export_invoices' : 'list_invoices';
    const args = name === 'list_invoices' ? hostile[index % hostile.length] : {};
    const params = { name, arguments: args };
    const text = JSON.stringify({ jsonrpc: '2.0', id: index, method: 'tools/call', params });
    if (index % 5 === 0) {
      await cut(text, headers[company], 1 + (index % 200));
      return;
    }
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { ...headers[company], 'content-type': 'application/json' },
      body: text,
    });
    const { id, result } = (await response.json()) as { id: number; result: ToolResult };
    expect(id).toBe(index);
    answered += 1;
    const rows = (result.structuredContent?.['items'] ?? []) as { readonly customer?: string }[];
    for (const { customer = '' } of rows) if (customer !== '') expect(own[company]).toContain(customer);
  };
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < calls; index = next++) await one(index);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  expect(answered).toBe(calls - Math.ceil(calls / 5));
  const check = await fetch(`${service.url}/invoices?limit=1`, { headers: headers.kiln });
  expect(check.status).toBe(200);
  await check.text();
}, 600_000);

/** Sends a call, and closes the connection after so many bytes of the request and the response. */
function cut(text: string, headers: Record<string, string>, bytes: number): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  const whole = `${head}${lines.join('')}\r\n${text}`;
  const sent = bytes % 2 === 0 ? whole : whole.slice(0, bytes);
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve();
    });
    socket.write(sent, () => {
      if (bytes % 4 !== 0) socket.destroy();
    });
    socket.once('data', () => socket.destroy());
    setTimeout(() => socket.destroy(), 200).unref();
  });
}

test('the log has the operation of a call, and its status', async () => {
  const params = { name: 'get_invoice', arguments: { id: 3 } };
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: { ...(await bearer()), 'content-type': 'application/json', 'x-request-id': 'logged' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  await response.text();
  expect(response.status).toBe(200);
  const logged = (): string =>
    service.printed.split('\n').find((line) => line.includes('"logged"') && line.includes('"via"')) ?? '{}';
  await vi.waitFor(() => {
    expect(JSON.parse(logged())).toMatchObject({
      ...{ operation: 'GET /invoices/{id}', via: 'mcp', status: 404 },
    });
  });
});

test('a body over BODY_LIMIT, and arguments nested too deeply', async () => {
  const headers = { ...(await bearer()), 'content-type': 'application/json' };
  const call = (args: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_invoices","arguments":${args}}}`;
  const send = async (body: string): Promise<number> => {
    const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body });
    await response.text();
    return response.status;
  };
  expect(await send(call(`{"after":"${'x'.repeat(2_000_000)}"}`))).toBe(413);
  expect(await send(call(`{"after":${'['.repeat(1000)}${']'.repeat(1000)}}`))).toBe(400);
});
