/**
 * Todo-Backend without user code, in both syntaxes and on both databases. The assertions are those of the project's suite
 * (TodoBackend/todo-backend-js-spec, js/specs.js), sent from a page of another origin as in the original, which also tests CORS.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBrowser } from '../helpers/browser.js';
import { startSuite, suiteFile, type Suite, type SuiteRun } from './suite-service.js';

const syntaxA = suiteFile('todo', 'syntax-a.yaml');
const schema = suiteFile('todo', 'schema.sql');
const services: readonly Suite[] = [
  { id: 'todo-a', config: syntaxA, schema },
  {
    id: 'todo-a-mariadb',
    // MariaDB returns the id of a new row in a different field.
    config: syntaxA
      .replace('jdbc:postgresql:', 'jdbc:mariadb:')
      .replace('created, $.id', 'created, $.insert_id'),
    ...{ schema: suiteFile('todo', 'schema.mariadb.sql'), database: 'mariadb' },
  },
  {
    id: 'todo-b',
    config: suiteFile('todo', 'syntax-b.yaml'),
    description: suiteFile('todo', 'openapi.yaml'),
    schema,
  },
];

interface Todo {
  readonly title?: string;
  readonly completed?: boolean;
  readonly order?: number;
  readonly url?: string;
}

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
});

describe.each(services)('$id', (suite) => {
  let run: SuiteRun;
  let page: Page;
  let root: string;

  beforeAll(async () => {
    run = await startSuite({ ...suite, environment: { CORS_ORIGIN: '*' } });
    root = `${run.url}/todos`;
    page = await browser.newPage();
  });

  afterAll(async () => {
    await page.close();
    await run.stop();
  });

  /** The text of a successful response; fails if the page is not allowed to read it. */
  const ask = (method: string, url: string, body?: Todo): Promise<string> =>
    page.evaluate(
      async ({ method, url, body }) => {
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(url, {
          method,
          headers,
          body: body === undefined ? null : JSON.stringify(body),
        });
        if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
        return response.text();
      },
      { method, url, body },
    );
  const todoOf = async (method: string, url: string, body?: Todo): Promise<Todo> =>
    JSON.parse(await ask(method, url, body)) as Todo;
  const listed = async (): Promise<Todo[]> => JSON.parse(await ask('GET', root)) as Todo[];
  const post = (body: Todo): Promise<Todo> => todoOf('POST', root, body);
  /** The URL of a new todo. */
  const fresh = async (body: Todo = {}): Promise<string> =>
    (await post({ title: 'blah', ...body })).url ?? '';

  describe('the pre-requisites', () => {
    test('the root responds to GET, and another origin may read it', async () => {
      expect(await ask('GET', root)).toMatch(/^\[/);
    });

    test('the root responds to POST with the todo that was posted', async () => {
      expect(await post({ title: 'a todo' })).toHaveProperty('title', 'a todo');
    });

    test('the root responds to DELETE', async () => {
      expect(await ask('DELETE', root)).toBe('');
    });

    test('after DELETE the root responds to GET with an empty array', async () => {
      await ask('DELETE', root);
      expect(await listed()).toEqual([]);
    });
  });

  describe('new todos, by POST to the root', () => {
    beforeEach(() => ask('DELETE', root));

    test('a new todo is in the list of the root', async () => {
      await post({ title: 'walk the dog' });
      const todos = await listed();
      expect(todos).toHaveLength(1);
      expect(todos[0]).toHaveProperty('title', 'walk the dog');
    });

    test('it is not completed', async () => {
      expect(await post({ title: 'blah' })).toHaveProperty('completed', false);
      expect((await listed())[0]).toHaveProperty('completed', false);
    });

    test('it has a URL', async () => {
      expect(await post({ title: 'blah' })).toHaveProperty('url', expect.any(String));
      expect((await listed())[0]).toHaveProperty('url', expect.any(String));
    });

    test('its URL returns it', async () => {
      const { url = '' } = await post({ title: 'my todo' });
      expect(await todoOf('GET', url)).toHaveProperty('title', 'my todo');
    });
  });

  describe('an existing todo', () => {
    beforeEach(() => ask('DELETE', root));

    test('the list links to each todo by its URL', async () => {
      await Promise.all([post({ title: 'todo the first' }), post({ title: 'todo the second' })]);
      const todos = await listed();
      expect(todos).toHaveLength(2);
      expect(await todoOf('GET', todos[0]?.url ?? '')).toHaveProperty('title');
    });

    test('PATCH of its URL changes the title', async () => {
      const url = await fresh({ title: 'initial title' });
      expect(await todoOf('PATCH', url, { title: 'bathe the cat' })).toHaveProperty('title', 'bathe the cat');
    });

    test('PATCH of its URL completes it', async () => {
      expect(await todoOf('PATCH', await fresh(), { completed: true })).toHaveProperty('completed', true);
    });

    test('changes are stored: the todo and the list have them', async () => {
      const changed = { title: 'changed title', completed: true };
      const { url = '' } = await todoOf('PATCH', await fresh(), changed);
      expect(await todoOf('GET', url)).toMatchObject(changed);
      expect(await listed()).toMatchObject([changed]);
    });

    test('DELETE of its URL deletes it', async () => {
      await ask('DELETE', await fresh());
      expect(await listed()).toEqual([]);
    });
  });

  describe('the order of todos', () => {
    test('a todo can be created with an order', async () => {
      expect(await post({ title: 'blah', order: 523 })).toHaveProperty('order', 523);
    });

    test('PATCH changes the order', async () => {
      expect(await todoOf('PATCH', await fresh({ order: 10 }), { order: 95 })).toHaveProperty('order', 95);
    });

    test('changes of the order are stored', async () => {
      const { url = '' } = await todoOf('PATCH', await fresh({ order: 10 }), { order: 95 });
      expect(await todoOf('GET', url)).toHaveProperty('order', 95);
    });
  });
});
