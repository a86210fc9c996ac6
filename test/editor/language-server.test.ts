/** `apikiln lsp` as seen by editors: a scripted client over standard input and output. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atMark, LanguageClient } from './language-client.js';
import { builtTool } from '../helpers/shared-servers.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-lsp-'));
let client: LanguageClient;
let files = 0;

beforeAll(async () => {
  await builtTool();
  client = new LanguageClient();
  writeFileSync(
    join(folder, 'schema.sql'),
    'CREATE TABLE news (id integer PRIMARY KEY, title varchar(80) NOT NULL, body text);\n',
  );
  await client.start();
});

afterAll(async () => {
  // A killed process does not write coverage data.
  expect(await client.stop()).toEqual({ status: 0, stderr: '' });
  rmSync(folder, { recursive: true, force: true });
});

/** A configuration that uses all kinds of readable values; `¦` marks a position. */
function configuration(
  schema: string,
  query = 'SELECT id, title, body FROM news WHERE id = :[PARAM(id)]',
): string {
  return `specification: "1.0"
operations:
  GET /news/{id}:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: ${query}
      - name: each
        type: LOOP
        loop: VALUE(news, $)
        fulfillments:
          - name: inner
            type: reference
            operationName: cleanup
            parameters:
              id: VALUE(each, $.id)
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          ${schema}
  cleanup:
    fulfillments:
      - name: gone
        type: UPDATE
        datasource: newsdb
        instructions:
          - query: DELETE FROM news WHERE id = :[PARAM(id)]
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          id: VALUE(gone, $.id)
datasources:
  newsdb:
    type: db
    url: jdbc:postgresql://localhost/news
    user: \${DB_USER}
    password: \${DB_PASSWORD}
`;
}

async function opened(
  marked: string,
): Promise<{ uri: string; position: { line: number; character: number }; text: string }> {
  const { text, position } = atMark(marked);
  files += 1;
  const uri = await client.open(join(folder, `${files}.yaml`), text);
  return { uri, position, text };
}

interface Item {
  readonly label: string;
  readonly detail?: string;
  readonly textEdit: { readonly newText: string };
}

async function completed(marked: string): Promise<readonly Item[]> {
  const { uri, position } = await opened(marked);
  return client.request<Item[]>('textDocument/completion', { textDocument: { uri }, position });
}

async function labels(marked: string): Promise<string[]> {
  return (await completed(marked)).map(({ label }) => label);
}

describe('diagnostics', () => {
  test('have code, explanation and related positions, and are removed when the error is fixed', async () => {
    const text = configuration('id: VALUE(nwes, $.id)\n          other: VALUE(nwes, $.id)');
    const { uri } = await opened(`${text}¦`);
    const [first, ...others] = (await client.diagnostics(uri)).filter(
      ({ code }) => code === 'unknown-fulfillment',
    );
    expect(others).toEqual([]);
    expect(first).toMatchObject({ code: 'unknown-fulfillment', severity: 1, source: 'apikiln' });
    expect(first?.relatedInformation?.length).toBe(1);
    const at = text.split('\n').findIndex((line) => line.includes('id: VALUE(nwes'));
    const range = { start: { line: at, character: 20 }, end: { line: at, character: 24 } };
    expect(first?.range).toEqual(range);
    await client.change(uri, 'news', range);
    const second = { start: { line: at + 1, character: 23 }, end: { line: at + 1, character: 27 } };
    await client.change(uri, 'news', second);
    expect((await client.diagnostics(uri)).filter(({ code }) => code === 'unknown-fulfillment')).toEqual([]);
  });

  test('know the schema next to the file', async () => {
    const { uri } = await opened(`${configuration('id: VALUE(news, $.id)', 'SELECT id, titel FROM news')}¦`);
    expect(await client.diagnostics(uri)).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('titel') as string }),
    );
  });

  test('of many changes together are those of the newest text', async () => {
    const { uri } = await opened(`${configuration('id: VALUE(news, $.id)')}¦`);
    for (let count = 0; count < 30; count += 1)
      await client.change(uri, configuration(`id: VALUE(wrong${count}, $.id)`));
    const found = await client.diagnostics(uri);
    expect(found.filter(({ code }) => code === 'unknown-fulfillment').map(({ message }) => message)).toEqual([
      expect.stringContaining("'wrong29'"),
    ]);
  });

  test('forget unsaved text of a neighbouring file that is closed', async () => {
    const { uri } = await opened(`${configuration('id: VALUE(news, $.id)')}¦`);
    const codes = async (wanted: readonly string[]): Promise<void> => {
      for (;;) {
        const last = client.published.findLast((one) => one.uri === uri);
        if (last !== undefined && last.diagnostics.map(({ code }) => code).join() === wanted.join()) return;
        await client.nextPublished();
      }
    };
    await codes([]);
    const schema = await client.open(
      join(folder, 'schema.sql'),
      'CREATE TABLE news (id integer PRIMARY KEY, body text);\n',
      'sql',
    );
    await codes(['sql-refused']);
    await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri: schema } });
    await codes([]);
    expect(client.published.findLast((one) => one.uri === uri)?.diagnostics).toEqual([]);
  });

  test('are found anew when a watched file next to it changes', async () => {
    while (client.watched.length === 0) await client.nextPublished();
    expect(client.watched).toEqual(['**/*.{yaml,yml,json,sql}', '**/src/**/*.ts']);
    const own = mkdtempSync(join(folder, 'watched-'));
    const text = configuration('id: VALUE(news, $.id)').replaceAll('/news', '/watched');
    const uri = await client.open(join(own, 'config.yaml'), text);
    const codes = async (wanted: readonly string[]): Promise<void> => {
      for (;;) {
        const last = client.published.findLast((one) => one.uri === uri);
        if (last !== undefined && last.diagnostics.map(({ code }) => code).join() === wanted.join()) return;
        await client.nextPublished();
      }
    };
    await codes([]);
    const schema = join(own, 'schema.sql');
    writeFileSync(schema, 'CREATE TABLE news (id integer PRIMARY KEY, body text);\n');
    const changes = [{ uri: pathToFileURL(schema).href, type: 1 }];
    await client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes });
    await codes(['sql-refused']);
    await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  });

  test('are removed when the file is closed', async () => {
    const { uri } = await opened('specification: "1.0"\n¦');
    expect((await client.diagnostics(uri)).length).toBeGreaterThan(0);
    await client.request('textDocument/hover', {
      textDocument: { uri },
      position: { line: 0, character: 0 },
    });
    await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
    while (client.published.at(-1)?.uri !== uri || client.published.at(-1)?.diagnostics.length !== 0)
      await client.nextPublished();
  });
});

describe('completion', () => {
  test('offers what is needed first, and has it shown in this order', async () => {
    const text = configuration('id: VALUE(news, $.id)').replace(
      '      - name: news\n        type: READ',
      '      - name: news\n        ¦',
    );
    const { position, text: plain } = atMark(text);
    const uri = await client.open(join(folder, `order-${(files += 1)}.yaml`), plain);
    const items = await client.request<{ label: string; sortText: string }[]>('textDocument/completion', {
      textDocument: { uri },
      position,
    });
    expect(items[0]?.label).toBe('type');
    expect(items.map(({ sortText }) => sortText)).toEqual(items.map(({ sortText }) => sortText).sort());
  });

  test('in a join has the names of all results and their columns, and nothing else', async () => {
    const join = (written: string): string =>
      shared
        .replace('¦', '')
        .replace('        exceptions:', `        join: ${written}\n        exceptions:`)
        .replace(
          '    responses: [{',
          `      - name: others
        type: READ
        datasource: newsdb
        queries:
          - query: SELECT id, title FROM news
    responses: [{`,
        );
    expect(await labels(join('news.id == ¦'))).toEqual(['news', 'others']);
    expect(await labels(join('news.id == others.¦'))).toEqual(['id', 'title']);
  });

  test('after CALLER has the claims that are known: those that are read anywhere, and those of the operation of a key', async () => {
    const written = (read: string, syntax: 'queries' | 'instructions'): string => `specification: "1.0"
operations:
  GET /orders:
    fulfillments:
      - name: orders
        type: READ
        datasource: shop
        ${syntax}:
          - query: SELECT id FROM orders WHERE tenant = :[${read}]
    responses: [{ name: ok, default: true, statuscode: 200 }]
  GET /me:
    authentications: [users]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { plan: CALLER($.plan) } }]
  find key:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { sub: PARAM(key), team: INTEGER(1) } }]
datasources:
  shop: { type: db, url: 'jdbc:postgresql://localhost/shop' }
authentications:
  users: { type: apikey, header: X-Key, operation: find key }
`;
    const claims = ['authentication', 'sub', 'plan', 'team'];
    expect((await labels(written('CALLER($.¦)', 'instructions'))).toSorted()).toEqual(claims.toSorted());
    const inB = await labels(written('caller.¦', 'queries'));
    expect(inB.toSorted()).toEqual([...claims, 'size()'].toSorted());
  });

  test('of a computed value: its fields, functions with digits in their names, and authentications that issue tokens', async () => {
    const written = (
      read: string,
      schema: string,
      syntax: 'queries' | 'instructions',
    ): string => `specification: "1.0"
operations:
  POST /tokens:
    authentications: []
    fulfillments:
      - name: made
        type: COMPUTE
        schema: { digest: ${syntax === 'queries' ? 'sha256(null)' : 'SHA256(NULL())'}, at: ${syntax === 'queries' ? 'now()' : 'NOW()'} }
      - name: more
        type: COMPUTE
        schema: ${schema}
      - name: user
        type: READ
        datasource: shop
        ${syntax}:
          - query: SELECT id FROM account WHERE digest = :[${read}]
    responses: [{ name: ok, default: true, statuscode: 200 }]
datasources:
  shop: { type: db, url: 'jdbc:postgresql://localhost/shop' }
authentications:
  staff: { type: basicauth, user: a, password: '\${PASSWORD}' }
  users: { type: jwt, issuer: 'https://a', audience: a, key: '\${KEY}', issue: { lifetime: 15m } }
  others: { type: jwt, issuer: 'https://b', audience: a, jwks: 'https://b/keys' }
`;
    expect(await labels(written('VALUE(made, $.¦)', 'NULL()', 'instructions'))).toEqual(['digest', 'at']);
    expect(await labels(written('made.¦', 'null', 'queries'))).toEqual(['digest', 'at', 'size()']);
    expect(await labels(written('NULL()', 'TOKEN(¦', 'instructions'))).toEqual(['users']);
    expect(await labels(written('null', "token('¦", 'queries'))).toEqual(['users']);
    const items = await completed(written('null', '¦', 'queries'));
    const textOf = (label: string): string | undefined =>
      items.find((item) => item.label === label)?.textEdit.newText;
    expect(textOf('sha256')).toBe('sha256($1)');
    expect(textOf('if_match')).toBe('if_match($1)');
    expect(textOf('random')).toBe('random(${1:32})');
    expect(textOf('token')).toBe("token('$1', $2)");
  });

  test('of the error has its fields, in bodies of exceptions and of settings.errors alone', async () => {
    const written = (read: string, { name = 'news', where = 'schema' } = {}): string => `specification: "1.0"
operations:
  GET /news:
    fulfillments:
      - name: ${name}
        type: READ
        datasource: newsdb
        queries:
          - query: SELECT id, title FROM news
        exceptions:
          - if: ${name} == null
            statuscode: 404
            message: none
            ${where}: ${read}
    responses: [{ name: ok, default: true, statuscode: 200 }]
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;
    const fields = ['status', 'title', 'message', 'code', 'requestId', 'faults', 'byName'];
    expect(await labels(written('{ a: error.¦ }'))).toEqual(fields);
    expect(await labels(written('{ a: { b: error.m¦ } }'))).toEqual(fields);
    expect(await labels(written('error.¦', { where: 'code' }))).not.toEqual(fields);
    // A fulfillment named `error` takes precedence.
    expect(await labels(written('{ a: error.¦ }', { name: 'error' }))).toEqual(['id', 'title', 'size()']);
    const settings = (read: string) =>
      `${written('{ a: error.code }')}settings:\n  errors:\n    - schema: { a: ${read} }\n`;
    expect(await labels(settings('ERROR($.¦)'))).toEqual(fields);
    expect(await labels(settings('ERROR($.faults[0].¦)'))).toEqual(['in', 'name', 'pointer', 'message']);
    expect(await labels(settings('error.¦'))).toEqual(fields);
  });

  test('in SQL has the tables of the schema, and the columns of those that the statement names', async () => {
    // Completions use the tables read before typing started, so wait for them.
    const { uri } = await opened(`${configuration('id: VALUE(news, $.id)')}¦`);
    await client.diagnostics(uri);
    const inQuery = async (query: string): Promise<string[]> => {
      const { text, position } = atMark(configuration('id: VALUE(news, $.id)', query));
      await client.change(uri, text);
      const at = { textDocument: { uri }, position };
      return (await client.request<Item[]>('textDocument/completion', at)).map(({ label }) => label);
    };
    expect(await inQuery('SELECT id FROM ¦')).toEqual(['news']);
    expect(await inQuery('SELECT id FROM news n JOIN n¦')).toEqual(['news']);
    expect(await inQuery('SELECT ¦ FROM news WHERE id = 1')).toEqual(['id', 'title', 'body']);
    expect(await inQuery("SELECT id FROM news WHERE title = 'FROM' AND ti¦")).toEqual([
      'id',
      'title',
      'body',
    ]);
    expect(await inQuery('SELECT c.¦ FROM news n JOIN news AS c ON true')).toEqual(['id', 'title', 'body']);
    expect(await inQuery('|\n              SELECT n.¦\n              FROM news n')).toEqual([
      'id',
      'title',
      'body',
    ]);
    expect(await inQuery('INSERT INTO news (¦')).toEqual(['id', 'title', 'body']);
    expect(await inQuery("SELECT id FROM news WHERE title = 'a ¦'")).toEqual([]);
    expect(await inQuery('SELECT id FROM news LIMIT ¦')).toEqual([]);
  });

  test('of fields has those that are not there yet', async () => {
    const found = await labels(
      configuration('id: VALUE(news, $.id)').replace('  cleanup:\n', '    ¦\n  cleanup:\n'),
    );
    expect(found).toEqual([
      'exceptions',
      'triggers',
      'mappings',
      'transaction',
      'together',
      'request',
      'contentTypes',
      'limits',
      'idempotency',
      'authentications',
      'tool',
    ]);
  });

  test.each([
    ['type: LOOP', ['fulfillments', 'loop'], ['datasource', 'instructions', 'operationName']],
    ['type: UPDATE', ['datasource', 'instructions'], ['loop', 'operationName', 'parameters', 'concurrency']],
    ["type: 'reference' # called", ['operationName'], ['loop', 'datasource', 'concurrency']],
    ['type: rest', ['header'], ['driver', 'pool']],
  ])('of fields after %s has those of this type', async (type, some, none) => {
    const at =
      type === 'type: rest' ? ['datasources:', '  added:', '    '] : ['operations:', '  added:', '    '];
    const list = type === 'type: rest' ? '' : 'fulfillments:\n      - name: more\n        ';
    const indent = type === 'type: rest' ? '    ' : '        ';
    const added = `${at.join('\n')}${list}${type}\n${indent}¦\n`;
    const found = await labels(configuration('id: VALUE(news, $.id)').replace(`${at[0] ?? ''}\n`, added));
    expect(found).toEqual(expect.arrayContaining(some));
    expect(found.filter((label) => none.includes(label))).toEqual([]);
  });

  test('of words, datasources and operations', async () => {
    const text = configuration('id: VALUE(news, $.id)');
    expect(await labels(text.replace('type: LOOP', 'type: ¦'))).toEqual([
      'READ',
      'UPDATE',
      'LOOP',
      'reference',
      'CODE',
      'COMPUTE',
    ]);
    expect(await labels(text.replace('datasource: newsdb', 'datasource: ¦'))).toEqual(['newsdb']);
    expect(await labels(text.replace('operationName: cleanup', 'operationName: ¦'))).toEqual([
      'GET /news/{id}',
      'cleanup',
    ]);
    const code = (name: string, called: string): string =>
      `      - name: ${name}\n        type: CODE\n        function: ${called}\n`;
    const called = `${code('first', 'priceOf')}${code('second', 'labelOf')}${code('third', 'priceOf')}`;
    expect(
      await labels(text.replace('    responses:\n', `${called}${code('fourth', '¦')}    responses:\n`)),
    ).toEqual(['priceOf', 'labelOf']);
  });

  test.each([
    ['functions', 'id: VA¦', ['VALUE', 'VALUE_BY_INDEX', 'PARAM']],
    ['fulfillments', 'id: VALUE(¦', ['news', 'each']],
    ['columns, before the parenthesis is closed', 'id: VALUE(news, $.¦', ['id', 'title', 'body']],
    [
      'columns of the current element',
      '{ list: "VALUE(news, $)", item: { t: "VALUE(@, $.¦" } }',
      ['id', 'title'],
    ],
    ['parameters', 'id: PARAM(¦', ['id']],
  ])('of %s', async (_, schema, wanted) => {
    expect(await labels(configuration(schema))).toEqual(expect.arrayContaining(wanted));
  });

  test('of names has no fulfillment that has not run', async () => {
    const text = configuration('id: VALUE(news, $.id)').replace('loop: VALUE(news, $)', 'loop: VALUE(¦');
    expect(await labels(text)).toEqual(['news']);
  });

  test('of environment references has those of the file', async () => {
    const text = configuration('id: VALUE(news, $.id)').replace('password: ${DB_PASSWORD}', 'password: ${¦');
    expect(await labels(text)).toEqual(['DB_USER']);
  });

  test('in Syntax B has results, columns and parameters', async () => {
    const text = (value: string): string => `specification: "1.0"
operations:
  GET /news/{id}:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        queries:
          - query: SELECT id, title FROM news WHERE id = :[param.id]
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          id: ${value}
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;
    expect(await labels(text('n¦'))).toEqual(expect.arrayContaining(['news', 'param', 'body']));
    expect(await labels(text('news.¦'))).toEqual(['id', 'title', 'size()']);
    expect(await labels(text('param.¦'))).toEqual(['id']);
  });
});

describe('hover', () => {
  async function hovered(marked: string): Promise<string> {
    const { uri, position } = await opened(marked);
    await client.diagnostics(uri);
    const hover = await client.request<{ contents: { value: string } } | null>('textDocument/hover', {
      textDocument: { uri },
      position,
    });
    return hover?.contents.value ?? '';
  }

  test('on a field shows its purpose', async () => {
    expect(
      await hovered(configuration('id: VALUE(news, $.id)').replace('statuscode', 'status¦code')),
    ).toContain('The HTTP status.');
  });

  test('on a fulfillment has the type of its rows, on a column that of the database', async () => {
    expect(await hovered(configuration('id: VALUE(ne¦ws, $.title)'))).toContain('title: string');
    expect(await hovered(configuration('id: VALUE(news, $.ti¦tle)'))).toContain('`varchar`');
  });

  test('on a function shows what it returns', async () => {
    expect(await hovered(configuration('id: VAL¦UE(news, $.id)'))).toContain('VALUE(<name>, <path>)');
  });
});

interface Location {
  readonly range: { readonly start: { readonly line: number } };
}

describe('names', () => {
  test('lead to their definition, and have references', async () => {
    const { uri, position, text } = await opened(configuration('id: VALUE(ne¦ws, $.id)'));
    const lineOf = (part: string): number => text.split('\n').findIndex((line) => line.includes(part));
    const at = { textDocument: { uri }, position, context: { includeDeclaration: true } };
    const definition = await client.request<Location[]>('textDocument/definition', at);
    expect(definition.map(({ range }) => range.start.line)).toEqual([lineOf('- name: news')]);
    const references = await client.request<Location[]>('textDocument/references', at);
    expect(references.map(({ range }) => range.start.line)).toEqual([
      lineOf('- name: news'),
      lineOf('loop: VALUE'),
      lineOf('id: VALUE(news'),
    ]);
  });

  test.each([
    [
      'a fulfillment',
      'name: ne¦ws',
      'articles',
      ['- name: articles', 'loop: VALUE(articles, $)', 'id: VALUE(articles, $.id)'],
    ],
    ['an operation', 'operationName: clean¦up', 'tidy up', ['operationName: tidy up', '  tidy up:']],
    ['a datasource', 'datasource: news¦db', 'main', ['datasource: main', '  main:']],
  ])('renames %s everywhere', async (_, marked, newName, wanted) => {
    const plain = configuration('id: VALUE(news, $.id)');
    const { uri, position, text } = await opened(plain.replace(marked.replace('¦', ''), marked));
    const { changes } = await client.request<{
      changes: Record<
        string,
        {
          range: { start: { line: number; character: number }; end: { character: number } };
          newText: string;
        }[]
      >;
    }>('textDocument/rename', { textDocument: { uri }, position, newName });
    const lines = text.split('\n');
    for (const { range, newText } of [...(changes[uri] ?? [])].reverse()) {
      const line = lines[range.start.line] ?? '';
      lines[range.start.line] =
        line.slice(0, range.start.character) + newText + line.slice(range.end.character);
    }
    for (const line of wanted) expect(lines.join('\n')).toContain(line);
    const other = await opened(`${lines.join('\n')}¦`);
    expect((await client.diagnostics(other.uri)).filter(({ severity }) => severity === 1)).toEqual([]);
  });
});

test.each([
  ['another fulfillment', 'name: ne¦ws', 'inner', "There is another fulfillment 'inner'."],
  ['no name of expressions', 'name: ne¦ws', 'new, (s)', "Expressions cannot read the name 'new, (s)'."],
  ['another operation', 'GET /ne¦ws/{id}', 'cleanup', "'cleanup' is no endpoint."],
  ['another path parameter', 'GET /news/{i¦d}', 'GET /news/{key}', 'The path must keep {id}: '],
  [
    'a path parameter alone',
    'GET /news/{i¦d}',
    'orderId',
    "'orderId' is no endpoint. Write a method and a path",
  ],
  ['no path', 'GET /ne¦ws/{id}', 'GET /news/{id', 'is no endpoint'],
  [
    'an endpoint',
    'operationName: clean¦up',
    'GET /news',
    "'GET /news' is an endpoint, and 'cleanup' is not.",
  ],
  ['an operation that is there', '¦cleanup:\n    fulfillments', 'GET /news/{id}', 'is an endpoint'],
])('renames nothing to %s', async (_, marked, newName, reason) => {
  const plain = configuration('id: VALUE(news, $.id)');
  const { uri, position } = await opened(plain.replace(marked.replace('¦', ''), marked));
  const asked = client.request('textDocument/rename', { textDocument: { uri }, position, newName });
  await expect(asked).rejects.toThrow(reason);
});

const shared = `specification: "1.0"
operations:
  GET /one:
    fulfillments: &both
      - name: news
        type: READ
        datasource: newsdb
        queries:
          - query: SELECT id FROM news
        exceptions:
          - if: ne¦ws == null
            statuscode: 404
            message: There is none
    responses: [{ name: ok, default: true, statuscode: 200 }]
  GET /two:
    fulfillments: *both
    responses:
      - { name: ok, default: true, statuscode: 200, if: news != null }
datasources:
  newsdb: { type: db, url: jdbc:postgresql://localhost/news, user: news, password: news }
`;

test('renames in all operations that an alias repeats the name in, and to nothing reserved', async () => {
  const { uri, position } = await opened(shared);
  const at = { textDocument: { uri }, position };
  const { changes } = await client.request<{
    changes: Record<string, { range: { start: { line: number } } }[]>;
  }>('textDocument/rename', { ...at, newName: 'articles' });
  expect(changes[uri]?.map(({ range }) => range.start.line)).toEqual([4, 10, 17]);
  const reserved = client.request('textDocument/rename', { ...at, newName: 'param' });
  await expect(reserved).rejects.toThrow("'param' is reserved in Syntax B.");
});

test('the outline has operations with fulfillments and responses, and datasources', async () => {
  const { uri } = await opened(`${configuration('id: VALUE(news, $.id)')}¦`);
  interface Symbol {
    readonly name: string;
    readonly children: readonly Symbol[];
  }
  const names = (list: readonly Symbol[]): unknown[] =>
    list.map(({ name, children }) => [name, ...names(children)]);
  const found = await client.request<Symbol[]>('textDocument/documentSymbol', { textDocument: { uri } });
  expect(names(found)).toEqual([
    ['GET /news/{id}', ['news'], ['each', ['inner']], ['ok']],
    ['cleanup', ['gone'], ['ok']],
    ['newsdb'],
  ]);
});

test('fixes are code actions, and source.fixAll applies the safe ones', async () => {
  const { uri, text } = await opened(
    `${configuration('id: VALUE(nwes, $.id)').replace('default: true', 'default: yes')}¦`,
  );
  const range = { start: { line: 0, character: 0 }, end: { line: text.split('\n').length, character: 0 } };
  const ask = (only?: string[]): Promise<{ title: string; kind: string; isPreferred?: boolean }[]> =>
    client.request('textDocument/codeAction', {
      textDocument: { uri },
      range,
      context: { diagnostics: [], ...(only && { only }) },
    });
  const actions = await ask();
  expect(actions.map(({ title }) => title)).toEqual(expect.arrayContaining(["Write 'true'", "Write 'news'"]));
  expect((await ask(['source.fixAll'])).map(({ kind }) => kind)).toEqual(['source.fixAll.apikiln']);
});

test('formatting writes expressions canonically and nothing else', async () => {
  const { uri } = await opened(`${configuration('id:    VALUE( news ,$.id )   # as it is')}¦`);
  const edits = await client.request<{ newText: string }[]>('textDocument/formatting', {
    textDocument: { uri },
    options: { tabSize: 2, insertSpaces: true },
  });
  expect(edits.map(({ newText }) => newText)).toEqual(['VALUE(news, $.id)']);
});

test('no text crashes it: every prefix of a configuration gets a response', async () => {
  const whole = configuration('id: VALUE(news, $.id)');
  const { uri } = await opened('¦');
  for (let end = 0; end < whole.length; end += 37) {
    const text = whole.slice(0, end);
    await client.change(uri, text);
    const position = { line: text.split('\n').length - 1, character: text.split('\n').at(-1)?.length ?? 0 };
    for (const method of ['completion', 'hover', 'definition', 'documentSymbol'])
      await expect(
        client.request(`textDocument/${method}`, { textDocument: { uri }, position }),
        method,
      ).resolves.toBeDefined();
  }
});

test('unreadable configurations have no hints', async () => {
  const { uri } = await opened('- none\nspecification: "1.0"\n¦');
  const at = { textDocument: { uri }, position: { line: 0, character: 0 } };
  const empty = { context: { includeDeclaration: true }, options: { tabSize: 2, insertSpaces: true } };
  for (const method of ['references', 'documentHighlight', 'formatting', 'foldingRange'])
    expect(await client.request(`textDocument/${method}`, { ...at, ...empty }), method).toEqual([]);
  for (const method of ['prepareRename', 'signatureHelp'])
    expect(await client.request(`textDocument/${method}`, at), method).toBeNull();
  expect(await client.request('textDocument/rename', { ...at, newName: 'a' })).toBeNull();
});

test('it ends with status 0 when the client asks for it, and writes nothing else', async () => {
  const other = new LanguageClient();
  const { capabilities } = await other.start();
  expect(capabilities).toMatchObject({ hoverProvider: true, renameProvider: { prepareProvider: true } });
  expect(await other.stop()).toEqual({ status: 0, stderr: '' });
});
