/** `apikiln mcp`: the tools for authors, and the tools of a running service, on standard input and output. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mcp } from '../../compiler/tools/commands/mcp/mcp.js';
import { filesOf } from '../emit/compile-text.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

interface Answer {
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>> & {
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** The responses to the lines, sorted by id. */
async function asked(
  lines: readonly (string | object)[],
  url?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Answer[]> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  stdin.end(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  const status = await mcp(url, { author: url === undefined }, space.folder, { stdin, stdout, env });
  stdout.end();
  expect(status).toBe(0);
  const written = (await text(stdout)).split('\n').filter((line) => line !== '');
  const answers = written.map((line) => JSON.parse(line) as Answer);
  return answers.sort((a, b) => Number(a.id) - Number(b.id));
}

function request(id: number, method: string, params?: object): object {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

/** The text of the result of a tool, and whether it is an error. */
async function called(name: string, args: object): Promise<{ text: string; isError: boolean }> {
  const [answer] = await asked([request(1, 'tools/call', { name, arguments: args })]);
  const { content = [], isError = false } = answer?.result ?? {};
  return { text: content.map((one) => one.text).join('\n'), isError };
}

const config = `specification: "1.0"
operations:
  GET /news:
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: { title: TEXT(News) }
`;
const tests = `tests:
  - name: the title
    request: GET /news
    response: { statuscode: 200, body: { title: News } }
  - name: another title
    request: GET /news
    response: { statuscode: 200, body: { title: Olds } }
`;

describe('for authors', () => {
  test('has a handshake, and a list of tools', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    const answers = await asked([
      request(1, 'initialize', params),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request(2, 'tools/list'),
      request(3, 'ping'),
      request(4, 'resources/list'),
    ]);
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(answers[0]?.result).toMatchObject({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'apikiln' },
    });
    const { tools } = (answers[1]?.result ?? { tools: [] }) as {
      tools: { name: string; annotations: object }[];
    };
    expect(tools.map(({ name }) => name)).toEqual(['check', 'explain', 'help', 'test']);
    expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: true });
    expect(tools[3]?.annotations).toMatchObject({ readOnlyHint: false });
    expect(answers[3]?.error?.code).toBe(-32_601);
  });

  test('needs no handshake in the newest revision', async () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const [discovered, ping] = await asked([
      request(1, 'server/discover', { _meta }),
      request(2, 'ping', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } }),
    ]);
    expect(discovered?.result).toMatchObject({ resultType: 'complete', supportedVersions: ['2026-07-28'] });
    expect(ping?.error?.code).toBe(-32_022);
  });

  test('answers lines that are no messages', async () => {
    const answers = await asked(['{', '[]', '{"jsonrpc":"2.0","id":1}', '']);
    expect(answers.map(({ error }) => error?.code).sort()).toEqual([-32_600, -32_600, -32_700]);
  });

  test('checks a configuration', async () => {
    space.write('config.yaml', config.replace('statuscode', 'statuscod'));
    const { text: found, isError } = await called('check', {});
    expect(isError).toBe(false);
    expect(found).toContain("Did you mean 'statuscode'?");
    space.write('services/news/config.yaml', config);
    expect((await called('check', { config: 'services/news/config.yaml' })).text).toMatch(/is fine\.$/m);
  });

  test('explains operations and codes, and prints pages', async () => {
    space.write('config.yaml', config);
    expect((await called('explain', { subject: 'GET /news' })).text).toContain('200');
    expect((await called('explain', { subject: 'unknown-field' })).text).toContain('Wrong:');
    expect((await called('help', { topic: 'expressions' })).text).toMatch(/^# Expressions/);
    expect((await called('help', {})).text).toContain('reference/expressions.md');
    expect(await called('help', { topic: 'expresions' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Did you mean expressions?') as string,
    });
  });

  test('runs tests', async () => {
    space.write('config.yaml', config);
    space.write('config.test.yaml', tests);
    const { text: all, isError } = await called('test', {});
    expect(isError).toBe(false);
    expect(all).toMatch(/1 of 2|1 failed/);
    expect((await called('test', { filter: 'the title' })).text).not.toContain('another title');
  }, 60_000);

  test('reads no other files', async () => {
    const outside = new Workspace();
    outside.write('config.yaml', config);
    symlinkSync(outside.path('config.yaml'), space.path('link.yaml'));
    space.write('.hidden.yaml', config);
    space.write('schema.sql', '');
    const [up, link, absolute] = ['../config.yaml', 'link.yaml', outside.path('config.yaml')];
    for (const path of [up, link, absolute, '/etc/passwd', '.hidden.yaml', 'schema.sql', '.', '']) {
      for (const name of ['check', 'explain', 'test']) {
        const { text: refused, isError } = await called(name, { config: path });
        expect({ path, isError }).toEqual({ path, isError: true });
        expect(refused).toMatch(/^The argument 'config' is (?:a path outside|not the path of a YAML file)/);
      }
    }
    symlinkSync(outside.path('config.yaml'), space.path('config.yaml'));
    expect(await called('check', {})).toMatchObject({ isError: true });
    outside.remove();
  });

  test.each([
    ['check', { fix: 'true' }, "There is no argument 'fix'; the arguments are: config"],
    ['check', { config: 1 }, "The argument 'config' must be a string"],
    ['check', { config: 'missing.yaml' }, 'missing.yaml'],
  ])('refuses %s %j', async (name, args, message) => {
    const { text: refused, isError } = await called(name, args);
    expect(isError).toBe(true);
    expect(refused).toContain(message);
  });

  test('refuses tools that do not exist', async () => {
    const [answer] = await asked([request(1, 'tools/call', { name: 'toString' })]);
    expect(answer?.error).toEqual({ code: -32_602, message: 'The tool does not exist' });
  });

  test('has no URL', async () => {
    expect(await space.run('mcp', '--author', 'http://localhost/mcp')).toMatchObject({ status: 2 });
  });
});

describe('for a service', () => {
  const key = 'app-0123456789-0123456789-0123456789';
  const served = `${config}        header: ['X-Number: 12345678901234567890']
mcp: { path: /tools }
authentications:
  clients: { type: apikey, header: X-Api-Key, keys: { app: '${key}' } }
`.replace('  GET /news:', '  GET /news:\n    tool: { name: get_news, description: The news }');

  test('passes messages on, with the credentials of the environment', async () => {
    const folder = translateServices('mcp-bridge', [{ name: 'news', files: await filesOf(served) }]);
    const service = await RunningService.start(folder.get('news') ?? '', {
      AUTHENTICATION_CLIENTS_KEY_APP: key,
    });
    try {
      const url = `${service.url}/tools`;
      const env = { MCP_CREDENTIALS: `X-Api-Key: ${key}` };
      const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
      const lines = [
        request(1, 'tools/list'),
        request(2, 'tools/call', { name: 'get_news', arguments: {} }),
        request(3, 'tools/call', { name: 'get_news', arguments: {}, _meta }),
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        request(4, 'nothing'),
      ];
      const [list, call, newest, nothing, ...others] = await asked(lines, url, env);
      expect(others).toEqual([]);
      expect(list?.result).toMatchObject({ tools: [{ name: 'get_news' }] });
      expect(call?.result).toMatchObject({ structuredContent: { title: 'News' } });
      expect(newest?.result).toMatchObject({ resultType: 'complete', structuredContent: { title: 'News' } });
      expect(nothing?.error?.code).toBe(-32_601);
      const [refused] = await asked([request(1, 'tools/list')], url);
      expect(refused?.error?.message).toContain('MCP_CREDENTIALS');
      const [elsewhere] = await asked([request(1, 'tools/list')], `${service.url}/news`, env);
      expect(elsewhere?.error?.message).toContain('status 405');
    } finally {
      await service.stop();
    }
    const [gone] = await asked([request(1, 'ping')], `${service.url}/tools`);
    expect(gone?.error?.message).toContain('does not respond');
  }, 60_000);

  test.each([
    ['http://news.example.com/mcp', {}, 'must begin with https'],
    ['http://localhost:1/mcp', { MCP_CREDENTIALS: 'secret' }, 'must be a header'],
    ['http://localhost:1/mcp', { MCP_CREDENTIALS: 'A: b\r\nC: d' }, 'must be a header'],
  ])('refuses %s %j', async (url, env, message) => {
    await expect(asked([], url, env)).rejects.toThrow(message);
  });
});
