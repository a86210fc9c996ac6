/**
 * Pages of other origins in a real browser that is logged in: they cannot change anything, but pages of the service can. Includes `apikiln
 * dev`.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { copied } from '../../compiler/notation/written.js';
import { Workspace } from '../commands/workspace.js';
import { DevProcess } from '../dev/dev-process.js';
import { filesOf } from '../emit/compile-text.js';
import { startBrowser } from '../helpers/browser.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { RunningService } from '../helpers/running-service.js';
import { buildServices } from '../helpers/service-build.js';
import { sharedPostgres } from '../helpers/shared-servers.js';

const database = 'foreign_pages';

/** `open`: without authentications, as `dev` is often run. */
function configOf(open: boolean): string {
  const operations = (['basic', 'custom'] as const).map(
    (name) => `
  'GET /${name}': &${name}
    authentications: ${open ? '[]' : `[${name}]`}
    fulfillments:
      - { name: items, type: READ, datasource: db, instructions: [{ query: 'SELECT id, archived FROM item' }] }
    responses: [{ name: ok, default: true, statuscode: 200, schema: { list: 'VALUE(items, $)', item: { id: 'VALUE(@, $.id)', archived: 'VALUE(@, $.archived)' } } }]
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

/** A typical log-in of companies: HTTP Basic credentials verified by middleware. */
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

/** Requests sent by a page, and the status expected by the browser. */
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
  // Host names that do not count as local, because browsers send Sec-Fetch-Site over plain HTTP only to the local machine.
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

/** Opens a page, makes it send the request, and returns the next status logged by the service. */
async function send(
  context: BrowserContext,
  from: string,
  script: string,
  printed: () => string,
  status: RegExp,
): Promise<number> {
  const page = await context.newPage();
  try {
    await page.goto(from);
    const { length } = printed();
    // The result may be lost, because submitting a form leaves the page.
    void page.evaluate(script).catch(() => undefined);
    const found = (): string => status.exec(printed().slice(length))?.[1] ?? '';
    await expect.poll(found, { timeout: 60_000 }).not.toBe('');
    return Number(found());
  } finally {
    void page.close().catch(() => undefined);
  }
}

describe('a service', () => {
  let service: RunningService;
  let port: number;

  beforeAll(async () => {
    const files = [
      ...(await filesOf(configOf(false))),
      { path: 'src/middleware.ts', text: copied(middleware), kind: 'once' as const },
      { path: 'src/app.ts', text: copied(app), kind: 'once' as const },
    ];
    const folder = buildServices(database, [{ name: 'service', files }]).get('service') ?? '';
    service = await RunningService.start(folder, {
      DATASOURCE_DB_URL: server.jdbcUrl(database),
      DATASOURCE_DB_USER: server.user,
      DATASOURCE_DB_PASSWORD: server.password,
      ...{ LOG_REQUESTS: 'on', LOG_FORMAT: 'json' },
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
        const script = ways[way](`http://${host}:${port}/${name}/1/archive`);
        const logged = new RegExp(String.raw`"operation":"POST /${name}/\{id\}/archive","status":(\d+)`);
        const sent = (from: string): Promise<number> =>
          send(context, from, script, () => service.printed, logged);
        for (const [which, from] of Object.entries(pages())) {
          // Chromium does not send HTTP Basic credentials with cross-site requests.
          if (way === 'a request by fetch' && which === 'of another site') continue;
          expect(await sent(from), `a page ${which}`).toBe(403);
          expect(await archived(), `a page ${which}`).toBe(false);
        }
        expect(await sent(`http://${host}:${port}/own`)).toBe(204);
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
    space.write('schema.sql', 'create table item (id int primary key, archived boolean not null);');
    space.write('seed.sql', 'insert into item values (1, false);');
    space.write('.env', `FRONT=http://app.localhost:${evilPort}\nCORS_ORIGIN=\${FRONT}\n`);
    space.write('config.yaml', configOf(true));
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
    const script = ways[way](`${dev.url}/basic/1/archive`);
    const sent = (from: string): Promise<number> =>
      send(context, from, script, () => dev.printed, /(\d{3}) POST \/basic\/1\/archive/);
    const archived = async (): Promise<unknown> => (await fetch(`${dev.url}/basic`)).json();
    await dev.save(space, 'seed.sql', `insert into item values (1, false); -- ${way}\n`);
    for (const from of ['127.0.0.1', 'localhost', 'evil.example']) {
      expect(await sent(`http://${from}:${evilPort}/`), from).toBe(403);
      expect(await archived(), from).toEqual([{ id: 1, archived: false }]);
    }
    for (const from of [`${dev.url}/basic`, `http://app.localhost:${evilPort}/`]) {
      expect(await sent(from), from).toBe(204);
      expect(await archived(), from).toEqual([{ id: 1, archived: true }]);
    }
  });
});
