/** `apikiln lsp` with a configuration of several files: an included file is part of its configuration, whether or not it is open. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { builtTool } from '../helpers/shared-servers.js';
import { atMark, LanguageClient } from './language-client.js';

let client: LanguageClient;
let folder: string;

beforeAll(async () => {
  await builtTool();
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-lsp-files-'));
  client = new LanguageClient();
  await client.start();
});

afterEach(async () => {
  // A killed process does not write coverage data.
  expect(await client.stop()).toEqual({ status: 0, stderr: '' });
  rmSync(folder, { recursive: true, force: true });
});

const config = `specification: "1.0"
include: [operations/*.yaml]
operations:
  shared step:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id FROM news
    responses:
      - { name: ok, default: true, statuscode: 200, schema: 'VALUE(news, $)' }
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;
const caller = (name: string, called = 'shared step'): string => `${name}:
  fulfillments:
    - name: step
      type: REFERENCE
      operationName: ${called}
  responses:
    - name: ok
      default: true
      statuscode: 200
      schema:
        all: VALUE(step, $)
`;

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function uriOf(name: string): string {
  return pathToFileURL(join(folder, name)).href;
}

/** The codes last published for the file. */
function codesOf(name: string): readonly unknown[] | undefined {
  return client.published.findLast(({ uri }) => uri === uriOf(name))?.diagnostics.map(({ code }) => code);
}

test('an included file that is open alone is checked as part of its configuration', async () => {
  write('config.yaml', config);
  const text = caller('GET /news', 'shared stp');
  const uri = await client.open(write('operations/news.yaml', text), text);
  expect((await client.diagnostics(uri)).map(({ code }) => code)).toEqual(['unknown-operation']);
  const version = await client.change(uri, caller('GET /news'));
  expect(await client.diagnostics(uri, version)).toEqual([]);
});

test('unsaved texts of both files count, and errors are at the file that they are in', async () => {
  const path = write('config.yaml', config);
  const news = write('operations/news.yaml', caller('GET /news'));
  const own = await client.open(path, config.replace('shared step:', 'other step:'));
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual(['unknown-operation']);
  const uri = await client.open(news, caller('GET /news', 'other step'));
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual([]);
  await client.change(own, config);
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual(['unknown-operation']);
  // The saved text applies again.
  await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual([]);
});

test('the nearest configuration that includes a file has it', async () => {
  write('config.yaml', config);
  write('inner/config.yaml', config.replace('operations/*', 'others/*').replace('shared step', 'inner step'));
  write('inner/others/a.yaml', caller('GET /others', 'inner step'));
  const text = caller('GET /news', 'inner step');
  const uri = await client.open(write('inner/operations/a.yaml', text), text);
  // The file at `uri` is not included by any configuration.
  const version = await client.change(
    await client.open(join(folder, 'inner/others/a.yaml'), caller('GET /others', 'inner step')),
    caller('GET /others', 'shared step'),
  );
  const others = await client.diagnostics(uriOf('inner/others/a.yaml'), version);
  expect(others.map(({ code }) => code)).toEqual(['unknown-operation']);
  expect(client.published.some((one) => one.uri === uri)).toBe(false);
});

test('hover, completion, symbols and formatting are those of the file', async () => {
  write('config.yaml', config);
  const { text, position } = atMark(caller('GET /news').replace('VALUE(step', 'VALUE( st¦ep'));
  const uri = await client.open(write('operations/news.yaml', text), text);
  const at = { textDocument: { uri }, position };
  const hover = await client.request<{ contents: { value: string } }>('textDocument/hover', at);
  expect(hover.contents.value).toContain('reference to shared step');
  const edits = await client.request<{ newText: string }[]>('textDocument/formatting', {
    ...{ textDocument: { uri }, options: { tabSize: 2, insertSpaces: true } },
  });
  expect(edits.map(({ newText }) => newText)).toEqual(['VALUE(step, $)']);
  const symbols = await client.request<{ name: string }[]>('textDocument/documentSymbol', {
    textDocument: { uri },
  });
  expect(symbols.map(({ name }) => name)).toEqual(['GET /news']);
  const labels = async (marked: string): Promise<string[]> => {
    const asked = atMark(marked);
    await client.change(uri, asked.text);
    const items = await client.request<{ label: string }[]>('textDocument/completion', {
      ...{ textDocument: { uri }, position: asked.position },
    });
    return items.map(({ label }) => label);
  };
  expect(await labels(caller('GET /news', '¦'))).toEqual(['shared step', 'GET /news']);
  expect(await labels(caller('GET /news').replace('all: VALUE(step, $)', 'all: VALUE(¦'))).toContain('step');
  expect(await labels(`${caller('GET /news')}  tra¦`)).toContain('transaction');
  expect(await labels(`${caller('GET /news')}GET /b:\n  fulfillments:\n    - ¦`)).toContain('datasource');
});

test('definitions, references and new names reach the other files', async () => {
  const path = write('config.yaml', config);
  write('operations/b.yaml', caller('GET /b'));
  const { text, position } = atMark(caller('GET /a').replace('shared step', 'shared ¦step'));
  const uri = await client.open(write('operations/a.yaml', text), text);
  const at = { textDocument: { uri }, position };
  const definition = await client.request<{ uri: string; range: object }[]>('textDocument/definition', at);
  expect(definition).toEqual([
    {
      uri: pathToFileURL(path).href,
      range: { start: { line: 3, character: 2 }, end: { line: 3, character: 13 } },
    },
  ]);
  const references = await client.request<{ uri: string }[]>('textDocument/references', {
    ...at,
    context: { includeDeclaration: true },
  });
  expect(references.map((one) => one.uri)).toEqual(
    ['config.yaml', 'operations/a.yaml', 'operations/b.yaml'].map(uriOf),
  );
  const { changes } = await client.request<{ changes: Record<string, { newText: string }[]> }>(
    'textDocument/rename',
    { ...at, newName: 'step of all' },
  );
  expect(Object.entries(changes).map(([file, edits]) => [file, edits.map(({ newText }) => newText)])).toEqual(
    ['config.yaml', 'operations/a.yaml', 'operations/b.yaml'].map((name) => [uriOf(name), ['step of all']]),
  );
});

test('fixes are those of the file', async () => {
  write('config.yaml', config.replace('name: news', 'nmae: news'));
  const text = caller('GET /news').replace('name: step', 'nmae: step');
  const uri = await client.open(write('operations/news.yaml', text), text);
  await client.diagnostics(uri);
  const actions = await client.request<{ kind: string; edit: { changes: Record<string, object[]> } }[]>(
    'textDocument/codeAction',
    {
      textDocument: { uri },
      range: { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } },
      context: { diagnostics: [] },
    },
  );
  expect(actions.map(({ kind, edit }) => [kind, Object.keys(edit.changes)])).toEqual([
    ['quickfix', [uri]],
    ['source.fixAll.apikiln', [uri]],
  ]);
});

test('a file that two open configurations include has the errors of both, and each is checked anew when it changes', async () => {
  const first = write('config.yaml', config);
  const text = caller('GET /news');
  const uri = await client.open(write('operations/news.yaml', text), text);
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual([]);
  await client.open(first, config);
  const second = config.replace('shared step:', 'second step:');
  const other = await client.open(write('other.yaml', second), second);
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual(['unknown-operation']);
  await client.change(uri, caller('GET /news', 'second step'));
  await expect.poll(() => messages()).toEqual([expect.stringContaining("'second step'")]);
  await client.change(uri, caller('GET /news', 'third step'));
  await expect.poll(() => messages()?.length).toBe(2);
  await client.change(uri, caller('GET /news'));
  await expect.poll(() => messages()).toEqual([expect.stringContaining("'shared step'")]);
  await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri: other } });
  await expect.poll(() => messages()).toEqual([]);
});

function messages(): readonly unknown[] | undefined {
  const last = client.published.findLast(({ uri }) => uri === uriOf('operations/news.yaml'));
  return last?.diagnostics.map(({ message }) => message);
}

test('files that appear or change next to a configuration count as soon as the client reports them', async () => {
  const path = write('config.yaml', config);
  await client.open(path, config);
  await expect.poll(() => codesOf('config.yaml')?.length).toBe(1);
  const before = codesOf('config.yaml');
  const change = async (name: string, text: string): Promise<void> => {
    const uri = pathToFileURL(write(name, text)).href;
    await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
      changes: [{ uri, type: 2 }],
    });
  };
  await change('operations/news.yaml', caller('GET /news'));
  await expect.poll(() => codesOf('config.yaml')).not.toEqual(before);
  await change('operations/news.yaml', caller('GET /news', 'nothing'));
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual(['unknown-operation']);
  await change('operations/news.yaml', caller('GET /news'));
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual([]);
  const description = (paths: string): string =>
    `openapi: 3.0.3\ninfo: { title: t, version: '1' }\npaths:\n${paths}`;
  await change(
    'openapi.yaml',
    description('  /other: { get: { responses: { 200: { description: ok } } } }\n'),
  );
  await expect.poll(() => codesOf('operations/news.yaml')?.length).toBeGreaterThan(0);
  await change(
    'openapi.yaml',
    description('  /news: { get: { responses: { 200: { description: ok } } } }\n'),
  );
  await expect.poll(() => codesOf('operations/news.yaml')).toEqual([]);
});
