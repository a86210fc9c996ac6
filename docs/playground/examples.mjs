/** The examples of the playground: services of the fixtures, which tests run, each with a first request. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
    title: 'Limits: the fourth wrong PIN',
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
  return chosen.map(({ name, title, method = 'GET', url, body, env = '' }) => {
    const read = (file) => {
      const path = join(repository, 'fixtures/services', name, file);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    const project = Object.fromEntries([...files.map((file) => [file, read(file)]), ['.env', env]]);
    const text = body === undefined ? '' : JSON.stringify(body, null, 2);
    return { name, title, request: { method, url, headers: '', body: text }, project };
  });
}
