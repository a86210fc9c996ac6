/** The tables defined by the SQL of a schema, as shown by the editor, and the names of statements resolved in them. */
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { schemaText } from '../../compiler/tools/editor/schema/hover-schema.js';
import { definedTables } from '../../compiler/tools/editor/schema/schema-tables.js';
import { sqlNamesAt } from '../../compiler/tools/editor/schema/sql-name.js';

type Dialect = 'postgresql' | 'mysql';

/** Each table with the definitions of its columns. */
function defined(text: string, dialect: Dialect): Record<string, Record<string, string>> {
  const tables = definedTables([{ path: 'schema.sql', text }], dialect);
  return Object.fromEntries(
    tables.map(({ name, columns }) => [
      name,
      Object.fromEntries(
        columns.map((column) => [column.name, text.slice(column.definition.start, column.definition.end)]),
      ),
    ]),
  );
}

const news = 'CREATE TABLE news (id int, title text NOT NULL);';
const columns = { id: 'id int', title: 'title text NOT NULL' };

test.each<[text: string, dialect: Dialect, tables: object]>([
  [news, 'postgresql', { news: columns }],
  [
    `${news} ALTER TABLE ONLY news RENAME COLUMN title TO head`,
    'postgresql',
    { news: { ...columns, head: columns.title } },
  ],
  [
    `${news} ALTER TABLE news RENAME "title" TO "Head"`,
    'postgresql',
    { news: { ...columns, Head: columns.title } },
  ],
  [`${news} ALTER TABLE news RENAME COLUMN old TO head`, 'mysql', { news: { ...columns, head: 'head' } }],
  [
    `${news} ALTER TABLE IF EXISTS public.news RENAME TO article`,
    'postgresql',
    { news: columns, article: columns },
  ],
  [`${news} ALTER TABLE news RENAME`, 'postgresql', { news: columns }],
  [`${news} ALTER TABLE other ADD COLUMN a int`, 'postgresql', { news: columns }],
  [`${news} ALTER TABLE news ADD (a int, b int)`, 'mysql', { news: { ...columns, a: 'a int', b: 'b int' } }],
  ['CREATE TABLE', 'postgresql', {}],
  ['CREATE TABLE ()', 'postgresql', {}],
  ['CREATE TABLE a (, id int, 1)', 'postgresql', { a: { id: 'id int' } }],
  ['CREATE INDEX a ON news (id)', 'postgresql', {}],
  ['CREATE OR REPLACE VIEW a AS SELECT 1 AS b', 'postgresql', { a: {} }],
])('%s', (text, dialect, tables) => {
  expect(defined(text, dialect)).toEqual(tables);
});

describe('a name of a statement', () => {
  const schema = `${news} CREATE TABLE long (\n${'  a int,\n'.repeat(50)}  z int\n);`;

  /** The meanings of the name at `¦`. */
  function meant(query: string, text = schema): string[] {
    const marked = `operations:
  GET /news:
    fulfillments:
      - { name: rest, type: READ, datasource: bank, instructions: [{ request: { url: /a, httpType: GET } }] }
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: ${query}
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
  bank: { type: rest, url: 'https://bank.example' }
`;
    const source = { path: 'config.yaml', text: marked.replace('¦', '') };
    const { analysis } = checkSource({ config: source });
    if (analysis === undefined) throw new Error('It cannot be read.');
    const sources = text === '' ? [] : [{ path: 'schema.sql', text }];
    return sqlNamesAt(analysis, source, marked.indexOf('¦'), () => sources).map((name) => schemaText([name]));
  }

  test.each<[query: string, shown: RegExp | undefined]>([
    ['SELECT ti¦tle FROM news', /^Column \*\*title\*\* of \*\*news\*\*/],
    ['SELECT n.ti¦tle FROM news n', /^Column \*\*title\*\*/],
    ['INSERT INTO news (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET title = excluded.ti¦tle', /^Column/],
    ['SELECT x.ti¦tle FROM news n', undefined],
    ['SELECT au¦thor FROM news n', undefined],
    ['SELECT title FROM arch¦ive', undefined],
    ['SELECT ti¦tle FROM archive', undefined],
    ['SELECT cou¦nt(id) FROM news', undefined],
    ['SELE¦CT title FROM news', undefined],
    ['SELECT title ¦ FROM news', undefined],
    // Only the beginning of a long table definition is shown.
    ['SELECT 1 FROM lo¦ng', /^Table \*\*long\*\*[^]*\n…\n```$/],
  ])('%s', (query, shown) => {
    const found = meant(query);
    expect(found.length).toBe(shown === undefined ? 0 : 1);
    if (shown !== undefined) expect(found[0]).toMatch(shown);
  });

  test('means nothing without a schema, and outside of a statement', () => {
    expect(meant('SELECT ti¦tle FROM news', '')).toEqual([]);
    expect(meant('SELECT title FROM news').length).toBe(0);
  });
});
