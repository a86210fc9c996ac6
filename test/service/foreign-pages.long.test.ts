/** Pages of other origins in a real browser that has logged in: they change nothing, and pages of the service do. Also `apikiln dev`. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Workspace } from '../commands/workspace.js';
import { DevProcess } from '../dev/dev-process.js';
import { filesOf } from '../emit/compile-text.js';
import { startBrowser } from '../helpers/browser.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { RunningService } from '../helpers/running-service.js';
import { buildServices } from '../helpers/service-build.js';
import { sharedPostgres } from '../helpers/shared-servers.js';

const database = 'foreign_pages';

/** `open`: without authentications, as `dev` often runs it. */
function configOf(open: boolean): string {
  const operations = (['basic', 'custom'] as const).map(
    (name) => `
  'GET /${name}': &${name}
    authentications: ${open ? '[]' : `[${name}]`}
    fulfillments:
      - { name: items, type: READ, datasource: db, instructions: [{ query: SELECT id FROM item }] }
    responses: [{ name: ok, default: true, statuscode: 200, schema: { list: 'VALUE(items, $)', item: { id: 'VALUE(@, $.id)' } } }]
  'POST /${name}/{id}/archive':
    authentications: ${open ? '[]' : `[${name}]`}
    fulfillments:
      - { name: done, type: UPDATE, datasource: db, instructions: [{ query: 'UPDATE item SET archived = true WHERE id = :[PARAM(id)]' }] }
    responses: [{ name: ok, default: true, statuscode: 204 }]`,
  );
  return `specification: '1.0'
operations:${operations.join('')}
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost:5432/db' }
${open ? '' : 'authentications:\n  basic: { type: basicauth, user: admin, password: password }\n  custom: { type: custom }\n'}`;
}

/** As log-ins of companies often are: the credentials of HTTP Basic, known elsewhere. */
const middleware = `import { setCaller } from '@apikiln/runtime';
import type { IncomingMessage, ServerResponse } from 'node:http';

export function middleware(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  if (request.url?.startsWith('/custom') !== true) return next();
  if (request.headers.authorization === undefined) {
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="custom"' }).end();
    return;
  }
  setCaller(request, { sub: 'admin' });
  next();
}
`;

const app = `import type { IncomingMessage, ServerResponse } from 'node:http';

export const app = (_: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>own</title>');
};
`;

/** What a page does, and the status that the browser sees. */
const ways = {
  'a form of text/plain': (url: string) => form(url, 'text/plain'),
  'a form with parts': (url: string) => form(url, 'multipart/form-data'),
  'a request by fetch': (url: string) =>
    `void fetch(${JSON.stringify(url)}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: 'x' }).catch(() => 0)`,
} as const;

function form(url: string, type: string): string {
  return `(() => {
    const form = document.body.appendChild(document.createElement('form'));
    Object.assign(form, { method: 'POST', enctype: ${JSON.stringify(type)}, action: ${JSON.stringify(url)} });
    const input = form.appendChild(document.createElement('input'));
    Object.assign(input, { name: 'a', value: 'b' });
    form.submit();
  })()`;
}

let browser: Browser;
let server: AttachedServer;
let evil: Server;
let evilPort: number;

beforeAll(async () => {
  // Names that are not of this machine: browsers send Sec-Fetch-Site to https and to this machine only.
  browser = await startBrowser('--host-resolver-rules=MAP *.example 127.0.0.1');
  server = await sharedPostgres();
  await server.createDatabase(database);
  await server.exec(database, 'create table item (id int primary key, archived boolean not null)');
  evil = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>other</title>');
  });
  await new Promise<void>((resolve) => evil.listen(0, resolve));
  evilPort = (evil.address() as AddressInfo).port;
});

afterAll(async () => {
  await browser.close();
  await new Promise((resolve) => evil.close(resolve));
});

/** Opens a page, lets it send the request to the URL, and returns the status that the service sends; 0 if it sends none. */
async function send(
  context: BrowserContext,
  from: string,
  url: string,
  way: keyof typeof ways,
): Promise<number> {
  const page = await context.newPage();
  try {
    await page.goto(from);
    const isIt = (request: { url(): string; method(): string }): boolean =>
      request.url() === url && request.method() === 'POST';
    const ended = Promise.race([
      page
        .waitForEvent('response', (response) => isIt(response.request()))
        .then((response) => response.status()),
      page.waitForEvent('requestfailed', isIt).then(() => 0),
    ]);
    await page.evaluate(ways[way](url));
    return await ended;
  } finally {
    await page.close();
  }
}

describe('a service', () => {
  let service: RunningService;
  let port: number;

  beforeAll(async () => {
    const files = [
      ...(await filesOf(configOf(false))),
      { path: 'src/middleware.ts', text: middleware, kind: 'once' as const },
      { path: 'src/app.ts', text: app, kind: 'once' as const },
    ];
    const folder = buildServices(database, [{ name: 'service', files }]).get('service') ?? '';
    service = await RunningService.start(folder, {
      DATASOURCE_DB_URL: server.jdbcUrl(database),
      DATASOURCE_DB_USER: server.user,
      DATASOURCE_DB_PASSWORD: server.password,
      AUTHENTICATION_BASIC_USER: 'admin',
      AUTHENTICATION_BASIC_PASSWORD: 'password',
    });
    port = Number(new URL(service.url).port);
  });

  afterAll(() => service.stop());

  beforeEach(() => server.exec(database, 'truncate item; insert into item values (1, false)'));

  const archived = async (): Promise<unknown> =>
    (await server.exec(database, 'select archived from item'))[0]?.['archived'];

  const isOfMachine = { 'shop.localhost': true, 'shop.example': false } as const;

  describe.each(Object.keys(isOfMachine))('at %s', (host) => {
    const [, top = ''] = host.split('.');
    let context: BrowserContext;

    beforeAll(async () => {
      context = await browser.newContext();
      const page = await context.newPage();
      for (const name of ['basic', 'custom']) {
        const response = await page.goto(`http://admin:password@${host}:${port}/${name}`);
        expect(response?.status()).toBe(200);
      }
      await page.close();
    });
    afterAll(() => context.close());

    const pages = (): Readonly<Record<string, string>> => ({
      'of another site': `http://evil.${top}:${evilPort}/`,
      'of another port': `http://${host}:${evilPort}/`,
      'of a name below': `http://www.${host}:${evilPort}/`,
    });

    describe.each(['basic', 'custom'])('%s', (name) => {
      test.each(Object.keys(ways) as (keyof typeof ways)[])('%s', async (way) => {
        const url = `http://${host}:${port}/${name}/1/archive`;
        for (const [which, from] of Object.entries(pages())) {
          expect(await send(context, from, url, way), `a page ${which}`).toBe(403);
          expect(await archived(), `a page ${which}`).toBe(false);
        }
        expect(await send(context, `http://${host}:${port}/own`, url, way)).toBe(204);
        expect(await archived()).toBe(true);
      });
    });
  });
});

describe('apikiln dev', () => {
  let space: Workspace;
  let dev: DevProcess;
  let context: BrowserContext;

  beforeAll(async () => {
    space = new Workspace();
    space.write('config.yaml', configOf(true));
    space.write('schema.sql', 'create table item (id int primary key, archived boolean not null);');
    space.write('seed.sql', 'insert into item values (1, false), (2, false);');
    space.write('.env', `FRONT=http://app.localhost:${evilPort}\nCORS_ORIGIN=\${FRONT}\n`);
    space.write('config.yaml', `${configOf(true)}settings: { features: [cors] }\n`);
    dev = await DevProcess.start(space);
    await dev.until(/The service runs at/);
    context = await browser.newContext();
  });

  afterAll(async () => {
    await context.close();
    await dev.stop();
    space.remove();
  });

  test.each(Object.keys(ways) as (keyof typeof ways)[])('%s', async (way) => {
    const url = `${dev.url}/basic/1/archive`;
    const { port } = new URL(dev.url);
    for (const from of [
      `http://127.0.0.1:${evilPort}/`,
      `http://localhost:${evilPort}/`,
      `http://evil.example:${evilPort}/`,
    ])
      expect(await send(context, from, url, way), from).toBe(403);
    expect(await send(context, `http://localhost:${port}/docs-ui`, url, way)).toBe(204);
    expect(await send(context, `http://app.localhost:${evilPort}/`, url, way)).toBe(204);
  });
});
