/** `apikiln init --from-openapi` for lists: filters, orders and pages in common styles, read page by page. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { runInitService } from './init-service.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

type Body = Record<string, unknown>;

interface Style {
  readonly name: string;
  readonly paths: string;
  /** The rows to add, and the request that adds them. */
  readonly add: { readonly request: string; readonly rows: readonly Body[] };
  /** The expected parts of the written configuration. */
  readonly written: readonly string[];
  readonly walk: (ask: (request: string, status?: number) => Promise<unknown>) => Promise<void>;
}

const ok = (schema: string, status = 200): string =>
  `responses: { '${status}': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const sent = (schema: string): string =>
  `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`;

const query = (name: string, schema: string): string => `- { name: '${name}', in: query, schema: ${schema} }`;

/** Reads pages until there is no next one. */
async function walked(
  read: (after: string) => Promise<{ readonly rows: readonly unknown[]; readonly next: unknown }>,
): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  for (let after: unknown = ''; pages.length < 10;) {
    const { rows, next } = await read(typeof after === 'string' ? after : '');
    pages.push([...rows]);
    if (typeof next !== 'string' || next === '') return pages;
    after = `&${next}`;
  }
  return pages;
}

const names = (rows: unknown, field: string): unknown[] => (rows as Body[]).map((row) => row[field]);

const styles: readonly Style[] = [
  {
    name: 'the key of the last row, and whether there is more',
    paths: `
  /v1/customers:
    get:
      parameters:
        ${query('limit', '{ type: integer, minimum: 1, maximum: 100, default: 10 }')}
        ${query('starting_after', '{ type: string }')}
        ${query('email', '{ type: string }')}
      ${ok(`{ type: object, required: [object, data, has_more], properties: { object: { type: string, enum: [list] }, has_more: { type: boolean }, data: { type: array, items: { $ref: "#/components/schemas/Customer" } } } }`)}
    post:
      ${sent('{ type: object, required: [id, email], properties: { id: { type: string }, email: { type: string } } }')}
      ${ok('{ $ref: "#/components/schemas/Customer" }')}
  /v1/customers/{customer}:
    get:
      parameters: [{ name: customer, in: path, required: true, schema: { type: string } }]
      ${ok('{ $ref: "#/components/schemas/Customer" }')}
components:
  schemas:
    Customer:
      type: object
      required: [id, object]
      properties: { id: { type: string }, object: { type: string, enum: [customer] }, email: { type: [string, 'null'] } }
`,
    add: {
      request: 'POST /v1/customers',
      rows: ['d', 'a', 'c', 'b', 'e'].map((id) => ({
        id: `cus_${id}`,
        email: id === 'c' ? 'x@x.io' : 'y@y.io',
      })),
    },
    written: ['key: id', 'max: 100', 'has_more: NEXT(page) != NULL()'],
    async walk(ask) {
      const pages = await walked(async (after) => {
        const body = (await ask(`GET /v1/customers?limit=2${after}`)) as Body;
        expect(body).toMatchObject({ object: 'list' });
        const ids = names(body.data, 'id');
        return { rows: ids, next: body.has_more === true ? `starting_after=${String(ids.at(-1))}` : null };
      });
      expect(pages).toEqual([['cus_a', 'cus_b'], ['cus_c', 'cus_d'], ['cus_e']]);
      expect(await ask('GET /v1/customers?email=x@x.io')).toMatchObject({
        data: [{ id: 'cus_c' }],
        has_more: false,
      });
      await ask('GET /v1/customers?limit=101', 400);
    },
  },
  {
    name: 'numbered pages in one of several orders',
    paths: `
  /repos/{repo}/issues:
    parameters: [{ name: repo, in: path, required: true, schema: { type: string } }]
    get:
      parameters:
        ${query('state', '{ type: string, enum: [open, closed] }')}
        ${query('sort', '{ type: string, enum: [created, comments], default: created }')}
        ${query('direction', '{ type: string, enum: [asc, desc], default: desc }')}
        ${query('per_page', '{ type: integer, maximum: 100, default: 30 }')}
        ${query('page', '{ type: integer, default: 1 }')}
      ${ok('{ type: array, items: { $ref: "#/components/schemas/Issue" } }')}
    post:
      ${sent('{ type: object, required: [title, comments, state], properties: { title: { type: string }, comments: { type: integer }, state: { type: string, enum: [open, closed] } } }')}
      ${ok('{ $ref: "#/components/schemas/Issue" }', 201)}
components:
  schemas:
    Issue:
      type: object
      required: [id, title, comments, state, created_at]
      properties:
        id: { type: integer, readOnly: true }
        title: { type: string }
        comments: { type: integer }
        state: { type: string, enum: [open, closed] }
        created_at: { type: string, format: date-time, readOnly: true }
`,
    add: {
      request: 'POST /repos/kiln/issues',
      rows: [3, 1, 2, 2, 5].map((comments, index) => ({
        title: `issue ${index + 1}`,
        comments,
        state: index === 4 ? 'closed' : 'open',
      })),
    },
    written: ['CASE WHEN', 'comments END DESC'],
    async walk(ask) {
      const titles = async (rest: string): Promise<unknown[]> =>
        names(await ask(`GET /repos/kiln/issues?${rest}`), 'title');
      expect(await titles('sort=comments&per_page=2')).toEqual(['issue 5', 'issue 1']);
      expect(await titles('sort=comments&per_page=2&page=2')).toEqual(['issue 3', 'issue 4']);
      expect(await titles('sort=comments&direction=asc')).toEqual([2, 3, 4, 1, 5].map((n) => `issue ${n}`));
      expect(await titles('state=closed')).toEqual(['issue 5']);
      expect(await ask('GET /repos/other/issues')).toEqual([]);
      await ask('GET /repos/kiln/issues?sort=updated', 400);
    },
  },
  {
    name: 'a token for the next page, empty after the last one',
    paths: `
  /v1/projects/{projectId}/topics:
    parameters: [{ name: projectId, in: path, required: true, schema: { type: string } }]
    get:
      parameters:
        ${query('pageSize', '{ type: integer, maximum: 1000 }')}
        ${query('pageToken', '{ type: string }')}
        ${query('orderBy', '{ type: string, enum: [name, name desc, createTime desc] }')}
      ${ok('{ type: object, properties: { topics: { type: array, items: { $ref: "#/components/schemas/Topic" } }, nextPageToken: { type: string }, totalSize: { type: integer } } }')}
    post:
      ${sent('{ type: object, required: [name], properties: { name: { type: string } } }')}
      ${ok('{ $ref: "#/components/schemas/Topic" }')}
components:
  schemas:
    Topic:
      type: object
      required: [id, name]
      properties:
        id: { type: string, format: uuid, readOnly: true }
        name: { type: string }
        createTime: { type: string, format: date-time, readOnly: true }
`,
    add: {
      request: 'POST /v1/projects/kiln/topics',
      rows: ['ash', 'slip', 'ash', 'bowl', 'clay'].map((name) => ({ name })),
    },
    written: ['name desc: name DESC', 'nextPageToken: COALESCE(NEXT(page), TEXT("")', 'max: 1000'],
    async walk(ask) {
      const pages = await walked(async (after) => {
        const body = (await ask(
          `GET /v1/projects/kiln/topics?pageSize=2&orderBy=name%20desc${after}`,
        )) as Body;
        expect(body).toMatchObject({ totalSize: 5 });
        const token = String(body.nextPageToken);
        return { rows: names(body.topics, 'name'), next: token === '' ? null : `pageToken=${token}` };
      });
      expect(pages).toEqual([['slip', 'clay'], ['bowl', 'ash'], ['ash']]);
      expect(await ask('GET /v1/projects/kiln/topics')).toMatchObject({ nextPageToken: '' });
      await ask('GET /v1/projects/kiln/topics?pageToken=elsewhere', 400);
    },
  },
  {
    name: 'parameters in brackets',
    paths: `
  /articles:
    get:
      parameters:
        ${query('page[size]', '{ type: integer, minimum: 1, maximum: 50, default: 20 }')}
        ${query('page[after]', '{ type: string }')}
        ${query('filter[author]', '{ type: string }')}
        ${query('sort', '{ type: string, enum: [title, -title, -created], default: -created }')}
      ${ok('{ type: object, required: [data, meta], properties: { data: { type: array, items: { $ref: "#/components/schemas/Article" } }, meta: { type: object, required: [total, nextCursor], properties: { total: { type: integer }, nextCursor: { type: [string, "null"] } } }, links: { type: object, properties: { next: { type: string, format: uri } } } } }')}
    post:
      ${sent('{ type: object, required: [title, author], properties: { title: { type: string }, author: { type: string } } }')}
      ${ok('{ $ref: "#/components/schemas/Article" }', 201)}
components:
  schemas:
    Article:
      type: object
      required: [id, type, title, author, createdAt]
      properties:
        id: { type: string, readOnly: true }
        type: { type: string, enum: [articles], readOnly: true }
        title: { type: string }
        author: { type: string }
        createdAt: { type: string, format: date-time, readOnly: true }
`,
    add: {
      request: 'POST /articles',
      rows: ['Glaze', 'Ash', 'Moon', 'Ash'].map((title, index) => ({
        title,
        author: index === 2 ? 'Bo' : 'Ada',
      })),
    },
    written: [
      '-title: title DESC',
      'nextCursor: NEXT(page)',
      'max: 50',
      "'links' of the response is left out",
    ],
    async walk(ask) {
      const pages = await walked(async (after) => {
        const body = (await ask(`GET /articles?sort=title&page[size]=3${after}`)) as {
          data: Body[];
          meta: Body;
        };
        expect(body.meta).toMatchObject({ total: 4 });
        const { nextCursor } = body.meta;
        return {
          rows: names(body.data, 'title'),
          next: typeof nextCursor === 'string' ? `page[after]=${nextCursor}` : null,
        };
      });
      expect(pages).toEqual([['Ash', 'Ash', 'Glaze'], ['Moon']]);
      expect(await ask('GET /articles?filter[author]=Bo')).toMatchObject({
        data: [{ title: 'Moon' }],
        meta: { total: 1 },
      });
    },
  },
  {
    name: 'lists alone: after a number, or in an order',
    paths: `
  /books:
    get:
      parameters:
        ${query('limit', '{ type: integer, default: 20 }')}
        ${query('after', '{ type: integer }')}
        ${query('author', '{ type: string }')}
      ${ok('{ type: array, items: { $ref: "#/components/schemas/Book" } }')}
    post:
      ${sent('{ type: object, required: [title, author], properties: { title: { type: string }, author: { type: string } } }')}
      ${ok('{ $ref: "#/components/schemas/Book" }', 201)}
  /books/sorted:
    get:
      parameters:
        ${query('sort_by', '{ type: string, enum: [title_asc, title_desc, "author:desc"] }')}
      ${ok('{ type: array, items: { $ref: "#/components/schemas/Book" } }')}
components:
  schemas:
    Book:
      type: object
      required: [id, title, author]
      properties: { id: { type: integer, readOnly: true }, title: { type: string }, author: { type: string } }
`,
    add: {
      request: 'POST /books',
      rows: ['Clay', 'Ash', 'Kilns'].map((title, index) => ({ title, author: index === 1 ? 'Bo' : 'Ada' })),
    },
    written: ['author:desc: author DESC', 'max: 100'],
    async walk(ask) {
      expect(names(await ask('GET /books?limit=2'), 'id')).toEqual([1, 2]);
      expect(names(await ask('GET /books?limit=2&after=2'), 'id')).toEqual([3]);
      expect(names(await ask('GET /books?after=1&author=Ada'), 'id')).toEqual([3]);
      expect(names(await ask('GET /books/sorted'), 'title')).toEqual(['Ash', 'Clay', 'Kilns']);
      expect(names(await ask('GET /books/sorted?sort_by=title_desc'), 'title')).toEqual([
        'Kilns',
        'Clay',
        'Ash',
      ]);
      expect(names(await ask('GET /books/sorted?sort_by=author:desc'), 'id')).toEqual([2, 3, 1]);
      await ask('GET /books/sorted?sort_by=author', 400);
    },
  },
];

describe.each(['postgresql', 'mysql'] as const)('%s', (kind) => {
  test.each(styles.map((style, index) => [style.name, index % 2 === 0 ? 'a' : 'b', style] as const))(
    '%s, in syntax %s',
    async (_, syntax, { paths, add, written, walk }) => {
      space.write('api.yaml', `openapi: 3.1.0\ninfo: { title: Lists, version: '1' }\npaths:${paths}`);
      const options = ['--syntax', syntax, '--database', kind, '--from-openapi', 'api.yaml'];
      const made = await space.run('init', 'lists', ...options);
      expect(made).toMatchObject({ status: 0 });
      const config = space.read('lists/config.yaml');
      expect(config).not.toContain('# A placeholder');
      if (syntax === 'a') for (const text of written) expect(config).toContain(text);
      const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
      const database = `init_lists_${styles.findIndex((style) => style.paths === paths)}`;
      await server.createDatabase(database);
      await server.exec(database, space.read('lists/schema.sql'));
      const { host, port, user, password } = server;
      const url = `${kind}://${user}:${password}@${host}:${port}/${database}`;
      expect(await space.run('check', 'lists/config.yaml', '--database', url)).toMatchObject({
        ...{ status: 0, stderr: 'lists/config.yaml is fine.\n' },
      });
      const tested = await space.run('test', 'lists/config.yaml', '--database', url, '--workers', '1');
      expect(tested, tested.stdout + tested.stderr).toMatchObject({ status: 0 });
      const service = await runInitService(space, 'lists', server, database);
      try {
        const ask = async (request: string, body?: unknown, expected?: number): Promise<unknown> => {
          const response = await service.ask(request, body);
          const status = expected ?? (request.startsWith('POST /v1') ? 200 : body === undefined ? 200 : 201);
          expect(response, `${request}\n${service.printed()}`).toMatchObject({ status });
          return response.body;
        };
        for (const row of add.rows) await ask(add.request, row);
        await walk((request, status) => ask(request, undefined, status));
      } finally {
        await service.stop();
      }
    },
  );
});
