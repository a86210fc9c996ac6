/** The examples of the playground, each with a first request: one operation, and services of the fixtures, which tests run. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The example that opens first: one operation. The configurations of the documents open with its other files. */
const first = {
  'config.yaml': `specification: "1.0"

# SQL in, JSON out. Send the request, then add a field or an operation.
operations:
  'GET /news/{id}':
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, title, body FROM news WHERE id = :[PARAM(id)]
        exceptions:
          - if: SIZE(VALUE(news, $)) == INTEGER(0)
            statuscode: 404
            message: No such news
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          id: VALUE(news, $.id)
          title: VALUE(news, $.title)
          body: VALUE(news, $.body)

datasources:
  newsdb:
    type: db
    url: jdbc:postgresql://localhost:5432/news
`,
  'openapi.yaml': '',
  'schema.sql': `CREATE TABLE news (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title varchar(200) NOT NULL,
  body text,
  created timestamptz NOT NULL DEFAULT now()
);
`,
  'seed.sql': `INSERT INTO news (title, body) VALUES
  ('Kiln lit', 'The fire is on.'),
  ('First bowl', NULL);
`,
  '.env': '',
};

const chosen = [
  { name: 'news', title: 'News: read, create, change', url: '/news/1' },
  { name: 'news-b', title: 'News in syntax B', url: '/news/1' },
  { name: 'filters', title: 'Filters', url: '/visits?browser=firefox' },
  { name: 'lists', title: 'Orders and pages', url: '/products?limit=2' },
  {
    name: 'pages',
    title: 'Numbered pages',
    url: '/assets?page=2',
    env: 'PAGES_KEY=key-of-pages-0123456789-0123456789\n',
  },
  {
    name: 'limits',
    title: 'Limits: the third wrong PIN',
    method: 'POST',
    url: '/session',
    body: { email: 'polo@example.com', pin: '0' },
    env: 'STAFF_PASSWORD=secret\nACME_KEY=acme-0123456789-0123456789-0123456789\n',
  },
  {
    name: 'accounts',
    title: 'Accounts: sign-up and log-in',
    method: 'POST',
    url: '/accounts',
    body: { id: 7, email: 'ada@example.org', password: 'correct horse battery' },
    env: 'TOKEN_KEY=a-secret-of-tokens-0123456789-0123456789\n',
  },
];

const files = ['config.yaml', 'openapi.yaml', 'schema.sql', 'seed.sql'];

export function examples(repository) {
  const ofFixtures = chosen.map(({ name, title, method = 'GET', url, body, env = '' }) => {
    const read = (file) => {
      const path = join(repository, 'fixtures/services', name, file);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    const project = Object.fromEntries([...files.map((file) => [file, read(file)]), ['.env', env]]);
    const text = body === undefined ? '' : JSON.stringify(body, null, 2);
    return { name, title, request: { method, url, headers: '', body: text }, project };
  });
  const request = { method: 'GET', url: '/news/1', headers: '', body: '' };
  return [{ name: 'first', title: 'One operation', request, project: first }, ...ofFixtures];
}
