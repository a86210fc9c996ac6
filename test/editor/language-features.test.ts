/** Features of `apikiln lsp` at a position: signatures, highlights, folding, workspace symbols, the schema and next runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtTool } from '../helpers/shared-servers.js';
import { atMark, LanguageClient } from './language-client.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-lsp-features-'));
let client: LanguageClient;

const schema = `-- Tables of the news
CREATE TABLE IF NOT EXISTS public.news (
  id integer PRIMARY KEY,
  title varchar(80) NOT NULL, -- shown in lists
  "authorId" integer REFERENCES person (id),
  CONSTRAINT titled CHECK (title <> '')
);
CREATE TABLE person (id integer PRIMARY KEY, name text);
ALTER TABLE news ADD COLUMN created timestamptz NOT NULL DEFAULT now(), ADD CHECK (id > 0);
`;

beforeAll(async () => {
  await builtTool();
  write('schema.sql', schema);
  write('shop/config.yaml', other('GET /orders'));
  write('node_modules/config.yaml', other('GET /hidden'));
  client = new LanguageClient();
  await client.start([folder]);
});

afterAll(async () => {
  // A killed process does not write coverage data.
  expect(await client.stop()).toEqual({ status: 0, stderr: '' });
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function other(operation: string): string {
  return `specification: "1.0"
operations:
  ${operation}:
    responses: [{ name: ok, default: true, statuscode: 200 }]
`;
}

/** A configuration; `¦` marks a position. */
function configuration({
  query = 'SELECT id, title FROM news WHERE id = :[PARAM(id)]',
  value = 'VALUE(news, $.title)',
  cron = "'0 0 3 * * *'",
  instructions = 'instructions',
} = {}): string {
  return `specification: "1.0"
operations:
  GET /news/{id}:
    triggers:
      - name: nightly
        cron: ${cron}
        timezone: Europe/Berlin
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        ${instructions}:
          - query: ${query}
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          title: ${value}
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;
}

let files = 0;

interface Opened {
  readonly uri: string;
  readonly position: { readonly line: number; readonly character: number };
  readonly text: string;
}

async function opened(marked: string): Promise<Opened> {
  const { text, position } = atMark(marked);
  files += 1;
  return { uri: await client.open(join(folder, `${files}.yaml`), text), position, text };
}

async function at<Result>(method: string, marked: string): Promise<Result> {
  const { uri, position } = await opened(marked);
  return client.request(`textDocument/${method}`, { textDocument: { uri }, position });
}

interface Signatures {
  readonly signatures: readonly {
    readonly label: string;
    readonly parameters: readonly { readonly label: readonly [number, number] }[];
  }[];
  readonly activeSignature: number;
  readonly activeParameter: number;
}

/** The signature shown, with the argument at the position. */
async function signature(marked: string): Promise<readonly (string | undefined)[] | null> {
  const help = await at<Signatures | null>('signatureHelp', marked);
  const shown = help?.signatures[help.activeSignature];
  if (help === null || shown === undefined) return null;
  const { label, parameters } = shown;
  const [start, end] = parameters[help.activeParameter]?.label ?? [0, 0];
  return [label, label.slice(start, end)];
}

describe('signature help', () => {
  const inA = (value: string): string => configuration({ value });
  const inB = (value: string): string =>
    configuration({
      instructions: 'queries',
      query: 'SELECT id, title FROM news WHERE id = :[param.id]',
      value,
    });
  const path = 'VALUE(<name>, <path>)';

  test.each([
    ['VALUE(¦', [path, '<name>']],
    ['VALUE(news, ¦$.title)', [path, '<path>']],
    ['"VALUE(news, ¦', [path, '<path>']],
    ['VALUE_BY_INDEX(news, SIZE(¦', ['SIZE(<value>)', '<value>']],
    ['VALUE_BY_INDEX(news, SIZE(VALUE(news, $)), ¦', ['VALUE_BY_INDEX(<name>, <index>, <path>)', '<path>']],
    ['CONCAT(TEXT(a), TEXT(b), TEXT(c), ¦', ['CONCAT(<value>, …)', '…']],
    ['TEXT(one, two¦)', ['TEXT(<characters>)', '<characters>']],
    ['MULTIPART_FILE(photo, ¦', ['MULTIPART_FILE(<part name>, $.name)', '$.name']],
    ['NOW(¦)', ['NOW()', '']],
    ['VALUE(news, $.title)¦', null],
    ['concat(¦', null],
  ])('of Syntax A: %s', async (value, shown) => {
    expect(await signature(inA(value))).toEqual(shown);
  });

  test.each([
    ["concat('a, b(', ¦", ['concat(<value>, …)', '…']],
    ['coalesce(¦news.title', ['coalesce(<value>, …)', '<value>']],
    ["env(¦'X')", ["env('<NAME>')", "'<NAME>'"]],
    ['CONCAT(¦', null],
  ])('of Syntax B: %s', async (value, shown) => {
    expect(await signature(inB(value))).toEqual(shown);
  });

  test('in SQL, only inside of placeholders', async () => {
    const query = (written: string): string => configuration({ query: written });
    expect(await signature(query('SELECT id FROM news WHERE id = :[PARAM(¦)]'))).toEqual([
      'PARAM(<name>)',
      '<name>',
    ]);
    expect(await signature(query('SELECT count(¦) FROM news'))).toBeNull();
  });
});

test('highlights a name in its operation, and where it is defined', async () => {
  const { uri, position, text } = await opened(configuration({ value: 'VALUE(ne¦ws, $.title)' }));
  const found = await client.request<{ range: { start: { line: number } }; kind: number }[]>(
    'textDocument/documentHighlight',
    { textDocument: { uri }, position },
  );
  const lines = text.split('\n');
  expect(found.map(({ range, kind }) => [lines[range.start.line]?.trim(), kind])).toEqual([
    ['- name: news', 3],
    ['title: VALUE(news, $.title)', 2],
  ]);
});

test('folds by indentation, lists as deep as their key, and comments, also in what is not YAML yet', async () => {
  const text = `# one
# two
operations:
  GET /a:
    responses:
    - name: ok
      schema:
        a: 1

        b: 2
    - name: other
      stat
  GET /b: {}
`;
  const { uri } = await opened(`${text}¦`);
  await client.change(uri, `specification: "1.0"\n${text}`);
  const found = await client.request<{ startLine: number; endLine: number; kind?: string }[]>(
    'textDocument/foldingRange',
    { textDocument: { uri } },
  );
  expect(found.map(({ startLine, endLine, kind }) => [startLine, endLine, kind])).toEqual([
    [1, 2, 'comment'],
    [3, 13, undefined],
    [4, 12, undefined],
    [5, 12, undefined],
    [6, 10, undefined],
    [7, 10, undefined],
    [11, 12, undefined],
  ]);
});

test('finds symbols of all configurations of the workspace, open or not, by characters of their names', async () => {
  const symbols = async (query: string): Promise<string[]> => {
    const found = await client.request<
      {
        name: string;
        containerName?: string;
        location: { uri: string; range: { start: { line: number } } };
      }[]
    >('workspace/symbol', { query });
    return found.map(
      ({ name, containerName = '-', location: { uri, range } }) =>
        `${containerName} ${name} ${uri.slice(pathToFileURL(folder).href.length + 1)}:${range.start.line + 1}`,
    );
  };
  expect(await symbols('ordr')).toEqual(['- GET /orders shop/config.yaml:3']);
  expect(await symbols('hidden')).toEqual([]);
  const path = join(folder, 'shop/config.yaml');
  const uri = await client.open(path, other('GET /returns'));
  expect(await symbols('returns')).toEqual(['- GET /returns shop/config.yaml:3']);
  expect(await symbols('orders')).toEqual([]);
  await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  expect(await symbols('orders')).toEqual(['- GET /orders shop/config.yaml:3']);
  expect(await symbols('nightly')).toContain('GET /news/{id} nightly 1.yaml:5');
});

describe('the schema', () => {
  const inQuery = (query: string): string => configuration({ query });

  /** The definitions in the schema: the texts at the returned positions. */
  const defined = async (query: string): Promise<string[]> => {
    const found = await at<
      { uri: string; range: Record<'start' | 'end', { line: number; character: number }> }[]
    >('definition', inQuery(query));
    return found.map(({ uri, range: { start, end } }) => {
      const own = uri === pathToFileURL(join(folder, 'schema.sql')).href;
      const line = schema.split('\n')[start.line] ?? '';
      return own ? `${start.line + 1}: ${line.slice(start.character, end.character)}` : uri;
    });
  };

  test.each([
    ['SELECT id, title FROM n¦ews', ['2: news']],
    ['SELECT id, ti¦tle FROM news', ['4: title']],
    ['SELECT n.id, n.ti¦tle FROM public.news AS n', ['4: title']],
    ['SELECT n¦.id FROM news n', ['2: news']],
    ['SELECT n.id, p.id FROM news n JOIN person p ON p.i¦d = n."authorId"', ['8: id']],
    ['SELECT p.name FROM news n JOIN person p ON p.id = n."auth¦orId"', ['5: "authorId"']],
    ['SELECT na¦me FROM news n JOIN person p ON p.id = n.id', ['8: name']],
    ['SELECT cr¦eated FROM news', ['9: created']],
    ['SELECT id FROM news WHERE id IN (SELECT id FROM person WHERE na¦me = title)', ['8: name']],
    ['SELECT id FROM news WHERE id IN (SELECT id FROM person WHERE name = ti¦tle)', ['4: title']],
    ['WITH person AS (SELECT 1 AS id) SELECT id FROM per¦son', []],
    ['SELECT lower(title) AS ti¦tle FROM news', []],
    ['SELECT low¦er(title) FROM news', []],
    ["SELECT id FROM news WHERE title = 'ti¦tle'", []],
  ])('has the definition of %s', async (query, expected) => {
    expect(await defined(query)).toEqual(expected);
  });

  test('is shown on hover: the whole table, and the line of a column', async () => {
    const hover = async (query: string): Promise<string> =>
      (await at<{ contents: { value: string } }>('hover', inQuery(query))).contents.value;
    expect(await hover('SELECT id, ti¦tle FROM news')).toBe(
      'Column **title** of **news** – schema.sql:4\n\n```sql\ntitle varchar(80) NOT NULL\n```',
    );
    const table = schema.slice(schema.indexOf('CREATE'), schema.indexOf(';'));
    expect(await hover('SELECT id, title FROM ne¦ws')).toBe(
      `Table **news** – schema.sql:2\n\n\`\`\`sql\n${table}\n\`\`\``,
    );
  });

  test('of several tables has all columns of a name', async () => {
    expect(await defined('SELECT i¦d FROM news, person')).toEqual(['3: id', '8: id']);
  });
});

test('shows the next runs of a schedule in its time zone', async () => {
  const hover = async (cron: string): Promise<string | undefined> =>
    (await at<{ contents: { value: string } } | null>('hover', configuration({ cron })))?.contents.value;
  const shown = await hover("'0 0 3¦ * * *'");
  expect(shown).toMatch(
    /^Next runs \(Europe\/Berlin\):\n\n(?:- \w{3} \d{4}-\d\d-\d\d 03:00:00 GMT\+0[12]:00\n?){5}$/,
  );
  expect(await hover("'0 0 0 30 2¦ *'")).toBe('It never runs.');
  expect((await hover("'0 0 99¦ * * *'")) ?? '').not.toContain('Next runs');
});

test('completes the names of the variables in .env next to it', async () => {
  write('.env', '# secrets\nSHOP_PASSWORD=a\nexport SHOP_USER = b\n');
  const items = await at<{ label: string }[]>(
    'completion',
    configuration().replace("'jdbc:postgresql://localhost/news'", "'${SH¦}'"),
  );
  expect(items.map(({ label }) => label)).toEqual(['SHOP_PASSWORD', 'SHOP_USER']);
});
