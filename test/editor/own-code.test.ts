/** `apikiln lsp` with user functions: a function has the same name in all files of a configuration and as a file name. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-lsp-code-'));
  client = new LanguageClient();
});

afterEach(async () => {
  // A killed process does not write coverage data.
  expect(await client.stop()).toEqual({ status: 0, stderr: '' });
  rmSync(folder, { recursive: true, force: true });
});

const config = `specification: "1.0"
include: [operations/*.yaml]
`;

const operation = (name: string, called = 'priceOf'): string => `${name}:
  fulfillments:
    - name: price
      type: CODE
      function: ${called}
      returns: { type: object, required: [total], properties: { total: { type: integer } } }
  responses:
    - { name: ok, default: true, statuscode: 200, schema: 'VALUE(price, $.total)' }
`;

const priceOf = `import type { PriceOfInput, PriceOfResult } from '../functions.js';

/** priceOf is the price. */
export async function priceOf(input: PriceOfInput): Promise<PriceOfResult> {
  return Promise.resolve({ total: input === null ? 1 : priceOfNone });
}

const priceOfNone = 0;
`;

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;

interface Location {
  readonly uri: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

const places = (found: readonly Location[]) =>
  found.map(
    ({ uri, range: { start } }) =>
      `${uri.slice(uriOf('').length + 1)}:${start.line + 1}:${start.character + 1}`,
  );

/** Writes a service of two operations, and opens the first included file at the function's name. */
async function openAtName(
  workspaceEdit: object = {},
): Promise<{ textDocument: { uri: string }; position: unknown }> {
  write('config.yaml', config);
  const text = operation('GET /first');
  const path = write('operations/a.yaml', text);
  write('operations/b.yaml', operation('GET /second'));
  write('service/src/code/priceOf.ts', priceOf);
  write(
    'service/src/code/other.ts',
    "import { priceOf } from './priceOf.js';\n\nexport const other = () => priceOf(null);\n",
  );
  await client.start([], workspaceEdit);
  const uri = await client.open(path, text);
  expect(await client.diagnostics(uri)).toEqual([]);
  return { textDocument: { uri }, position: atMark(operation('GET /first', 'price¦Of')).position };
}

test('the definition is the function in its file, also as it is open; references are in all files', async () => {
  const at = await openAtName();
  expect(places(await client.request('textDocument/definition', at))).toEqual([
    'service/src/code/priceOf.ts:4:23',
  ]);
  await client.open(join(folder, 'service/src/code/priceOf.ts'), `\n\n${priceOf}`, 'typescript');
  expect(places(await client.request('textDocument/definition', at))).toEqual([
    'service/src/code/priceOf.ts:6:23',
  ]);
  const references = await client.request<Location[]>('textDocument/references', {
    ...at,
    context: { includeDeclaration: true },
  });
  expect(places(references)).toEqual(['operations/a.yaml:5:17', 'operations/b.yaml:5:17']);
});

test('a function that is not written has no definition', async () => {
  const at = await openAtName();
  rmSync(join(folder, 'service'), { recursive: true });
  expect(await client.request('textDocument/definition', at)).toEqual([]);
});

test('hover has its file and its result', async () => {
  const at = await openAtName();
  const hover = await client.request<{ contents: { value: string } }>('textDocument/hover', at);
  expect(hover.contents.value).toBe(
    'Function **priceOf** of src/code/priceOf.ts\n\n```ts\nresult: { total: number | string, … }\n```',
  );
});

test('functions are completed that are written, and that others call', async () => {
  await openAtName();
  const { text, position } = atMark(operation('GET /third', '¦'));
  const uri = await client.open(write('operations/c.yaml', text), text);
  const found = await client.request<{ label: string }[]>('textDocument/completion', {
    textDocument: { uri },
    position,
  });
  expect(found.map(({ label }) => label)).toEqual(['priceOf', 'other']);
});

test('a rename changes all files of the configuration, the function, its types, who imports it, and the name of its file', async () => {
  const at = await openAtName({ documentChanges: true, resourceOperations: ['rename'] });
  interface Change {
    readonly kind?: string;
    readonly oldUri?: string;
    readonly newUri?: string;
    readonly textDocument?: { readonly uri: string };
    readonly edits?: readonly { readonly range: { start: Place; end: Place }; readonly newText: string }[];
  }
  interface Place {
    readonly line: number;
    readonly character: number;
  }
  const { documentChanges } = await client.request<{ documentChanges: Change[] }>('textDocument/rename', {
    ...at,
    newName: 'costOf',
  });
  const changed = documentChanges.map(({ kind, oldUri, newUri, textDocument, edits = [] }) => {
    if (kind === 'rename') return [oldUri?.slice(uriOf('').length + 1), newUri?.slice(uriOf('').length + 1)];
    const name = textDocument?.uri.slice(uriOf('').length + 1) ?? '';
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    for (const {
      range: { start, end },
      newText,
    } of [...edits].reverse()) {
      const line = lines[start.line] ?? '';
      lines[start.line] = line.slice(0, start.character) + newText + line.slice(end.character);
    }
    return [name, lines.join('\n')];
  });
  expect(changed).toEqual([
    ['operations/a.yaml', operation('GET /first', 'costOf')],
    ['operations/b.yaml', operation('GET /second', 'costOf')],
    [
      'service/src/code/other.ts',
      "import { costOf } from './costOf.js';\n\nexport const other = () => costOf(null);\n",
    ],
    [
      'service/src/code/priceOf.ts',
      priceOf.replaceAll(/\bpriceOf\b(?! is)/g, 'costOf').replaceAll(/\bPriceOf(?=Input|Result)/g, 'CostOf'),
    ],
    ['service/src/code/priceOf.ts', 'service/src/code/costOf.ts'],
  ]);
});

test('a rename is refused where the name is taken, cannot be one, or the editor cannot rename files', async () => {
  const at = await openAtName();
  const renamed = (newName: string): Promise<unknown> =>
    client.request('textDocument/rename', { ...at, newName }).catch((error: unknown) => String(error));
  expect(await renamed('other')).toContain('The file src/code/other.ts already exists.');
  expect(await renamed('await')).toContain("'await' cannot be the name of a function");
  expect(await renamed('costOf')).toContain('This editor cannot rename files.');
});

const declared = (name: string, call = ''): string => `specification: "1.0"
functions:
  ${name}: { input: [{ type: string, nullable: true }], returns: { type: string } }
operations:
  GET /a:
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { a: 'CODE(${name}, QUERY(a))', b: ${call === '' ? 'NULL()' : call} } }
  GET /b:
    fulfillments:
      - { name: rows, type: READ, datasource: db, queries: [{ query: SELECT 1 AS id }] }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          id: rows.id
          a: code('${name}', query.a)
datasources:
  db: { type: db, url: jdbc:postgresql://localhost/a }
`;

/** The place after the first occurrence. */
function placeAfter(text: string, found: string): string {
  const lines = text.slice(0, text.indexOf(found) + found.length).split('\n');
  return `config.yaml:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}

test('functions in expressions are completed, explained, found and renamed, in both syntaxes', async () => {
  const text = declared('slug');
  const path = write('config.yaml', text);
  write('service/src/code/slug.ts', 'export const slug = (text: string | null) => text ?? "";\n');
  await client.start([], { documentChanges: true, resourceOperations: ['rename'] });
  const uri = await client.open(path, text);
  expect(await client.diagnostics(uri)).toEqual([]);
  const positions = [
    declared('sl¦ug').split('\n').slice(0, 3).join('\n'),
    text.replace('CODE(slug', 'CODE(sl¦ug'),
    text.replace("code('slug", "code('sl¦ug"),
  ].map((marked) => ({ textDocument: { uri }, position: atMark(marked).position }));
  for (const at of positions) {
    const hover = await client.request<{ contents: { value: string } }>('textDocument/hover', at);
    expect(hover.contents.value).toBe(
      'Function **slug** of src/code/slug.ts\n\n```ts\nslug: (string | null) => string\n```',
    );
    expect(places(await client.request('textDocument/definition', at))).toEqual([
      'service/src/code/slug.ts:1:14',
    ]);
    const references = await client.request<Location[]>('textDocument/references', {
      ...at,
      context: { includeDeclaration: true },
    });
    expect(places(references)).toEqual([
      'config.yaml:3:3',
      placeAfter(text, 'CODE('),
      placeAfter(text, 'code('),
    ]);
    const { documentChanges } = await client.request<{
      documentChanges: { edits?: { newText: string }[] }[];
    }>('textDocument/rename', { ...at, newName: 'path' });
    expect(documentChanges.map(({ edits = [] }) => edits.map(({ newText }) => newText))).toEqual([
      ['path', 'path', "'path'"],
      ['path'],
      [],
    ]);
  }
  for (const call of ["'CODE(¦'", "'CODE(s¦'"]) {
    const { text: written, position } = atMark(declared('slug', call));
    const other = await client.open(write('other.yaml', written), written);
    const found = await client.request<{ label: string }[]>('textDocument/completion', {
      textDocument: { uri: other },
      position,
    });
    expect(found.map(({ label }) => label)).toEqual(['slug']);
  }
});
