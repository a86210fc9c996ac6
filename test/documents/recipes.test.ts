/** The recipes form one service, built from their pages, which runs on PostgreSQL and receives the requests of the pages. */
import { copied } from '../../compiler/notation/written.js';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAssets } from '../../compiler/generate/assets.js';
import { compile } from '../../compiler/compile.js';
import { ownImportsIn } from '../../compiler/tools/typescript/module-imports.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { libraryPath, programPaths } from '../helpers/install.js';
import { RunningService } from '../helpers/running-service.js';
import { buildServices } from '../helpers/service-build.js';
import { repository } from '../helpers/service-fixture.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { ThirdParty } from '../helpers/third-party.js';
import { Workspace } from '../commands/workspace.js';
import { indented, pagesBelow, readDocument } from './code-blocks.js';
import { sendPageRequest } from './page-request.js';

/** In index order: a recipe may read data written by an earlier one. */
const pages = [
  'README.md',
  ...[...readDocument('docs/recipes/README.md').text.matchAll(/^- \[.+\]\(([a-z0-9-]+\.md)\)/gm)].map(
    ([, file = '']) => file,
  ),
];
const blocks = pages
  .map((page) => readDocument(`docs/recipes/${page}`).blocks.map((block) => ({ ...block, page })))
  // Services of their own: recipe-folders.test.ts.
  .filter((ofPage) => !ofPage.some(({ words: [name] }) => name === 'config.yaml'))
  .flat();

test('the index of the recipes has all of them', () => {
  expect(pages.map((page) => `docs/recipes/${page}`).toSorted()).toEqual(pagesBelow('docs/recipes'));
});

/** The texts of the blocks with these words. */
function texts(language: string, ...words: readonly string[]): string[] {
  return blocks
    .filter((block) => block.language === language && block.words.join(' ') === words.join(' '))
    .map(({ text }) => text);
}

/** Operations without `authentications` are open in the recipes. */
function opened(operations: string): string {
  return operations
    .split(/^(?=\S)/m)
    .map((one) =>
      /^'?[A-Z]+ \//.test(one) && !/^ {2}authentications:/m.test(one)
        ? one.replace('\n', '\n  authentications: []\n')
        : one,
    )
    .join('');
}

const config = `specification: "1.0"
operations:
${texts('yaml', 'operations').map(opened).map(indented).join('\n')}
authentications:
${texts('yaml', 'authentications').map(indented).join('\n')}
datasources:
${texts('yaml', 'datasources').map(indented).join('\n')}
settings:
${texts('yaml', 'settings').map(indented).join('\n')}`;

/** Requests with the block of their response. */
const exchanges = blocks.flatMap((block, index) =>
  block.language === 'http' ? [{ request: block, response: blocks[index + 1] }] : [],
);

/** The keys of all issuers. */
let jwks: { readonly keys: readonly JWK[] };
/** Tokens by their names in the requests. */
let tokens: ReadonlyMap<string, string>;
let folder: string;
let environment: Record<string, string>;
let service: RunningService;
let others: ThirdParty;

beforeAll(async () => {
  const keys = await generateKeyPair('RS256');
  const encryption = await generateKeyPair('RSA-OAEP');
  jwks = {
    keys: [
      // Keycloak publishes a key for encryption, too.
      { ...(await exportJWK(encryption.publicKey)), kid: 'other', use: 'enc', alg: 'RSA-OAEP' },
      { ...(await exportJWK(keys.publicKey)), kid: 'one', use: 'sig', alg: 'RS256' },
    ],
  };
  const signed = (claims: JWTPayload, typ: string): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(keys.privateKey);
  const claimsOf = (name: string): JWTPayload => JSON.parse(texts('json', name).join('')) as JWTPayload;
  const ada = { sub: 'ada', tenant: 'stein', iss: 'https://id.example.com', aud: 'bookshop' };
  tokens = new Map([
    ['token', await signed(ada, 'JWT')],
    ['auth0', await signed(claimsOf('auth0'), 'at+jwt')],
    ['keycloak', await signed(claimsOf('keycloak'), 'JWT')],
    // An ID token: its audience is the client.
    ['id token', await signed({ ...claimsOf('keycloak'), aud: 'front-end', typ: 'ID' }, 'JWT')],
    ['token of Eve', await signed({ ...ada, sub: 'eve', tenant: 'ofen' }, 'JWT')],
    ['token without a tenant', await signed({ ...ada, tenant: undefined }, 'JWT')],
    ['token of an unknown tenant', await signed({ ...ada, tenant: 'tenant_ofen' }, 'JWT')],
  ]);
  const server = await sharedPostgres();
  await server.createDatabase('recipes');
  await server.exec('recipes', [...texts('sql', 'schema'), ...texts('sql', 'seed')].join('\n'));
  const functions = blocks.flatMap(({ words: [kind, name] }) =>
    kind === 'code' ? [`code/${name ?? ''}`] : [],
  );
  const own = ['app', 'middleware', ...functions].map((name) => ({
    path: `src/${name}.ts`,
    text: copied(texts('ts', ...name.split('/')).join('')),
    kind: 'once' as const,
  }));
  const { files, diagnostics } = await compile(
    { config: { path: 'config.yaml', text: config }, ...ownImportsIn(own) },
    readAssets(repository),
  );
  expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  const crm = await sharedMariadb();
  await crm.createDatabase('recipes');
  await crm.exec('recipes', texts('sql', 'schema', 'crm').join('\n'));
  await loadZone(crm);
  const generated = (files ?? []).filter(({ path }) => !own.some((file) => file.path === path));
  const built = buildServices('recipes', [{ name: 'shop', files: [...generated, ...own] }]);
  folder = built.get('shop') ?? '';
  others = await ThirdParty.start(answer);
  environment = {
    DATASOURCE_SHOPDB_URL: server.jdbcUrl('recipes'),
    DATASOURCE_NOTES_URL: server.jdbcUrl('recipes'),
    DATASOURCE_INVOICES_URL: `${server.jdbcUrl('recipes')}?currentSchema=shop_template`,
    SHOP_USER: server.user,
    SHOP_PASSWORD: server.password,
    DATASOURCE_REVIEWS_URL: others.url,
    AUTHENTICATION_USERS_JWKS: `${others.url}/keys`,
    AUTHENTICATION_AUTH0_JWKS: `${others.url}/keys`,
    AUTHENTICATION_KEYCLOAK_JWKS: `${others.url}/keys`,
    DATASOURCE_CRM_URL: crm.jdbcUrl('recipes'),
    CRM_USER: crm.user,
    CRM_PASSWORD: crm.password,
    DATASOURCE_WAREHOUSE_URL: others.url,
    DATASOURCE_CHAT_URL: others.url,
    CORS_ORIGIN: 'https://app.example.com',
    // Timed operations run only when a test runs them.
    SCHEDULE: 'off',
    REVIEWS_SECRET: 'secret',
    DATASOURCE_REVIEWS_OAUTH2_TOKEN_URL: `${others.url}/token`,
    WEBHOOK_SECRET: 'webhook-secret-of-this-page',
    RESELLER_SECRET: resellerSecret,
    DATASOURCE_RESELLER_URL: others.url,
    DATASOURCE_PUBLISHER_URL: others.url,
    DATASOURCE_COVERS_URL: others.url,
  };
  service = await RunningService.start(folder, environment);
});

afterAll(async () => {
  await service.stop();
  await others.stop();
});

const resellerSecret = `whsec_${Buffer.from('secret of the reseller').toString('base64')}`;
/** Webhooks received by the reseller with a valid signature. */
const webhooks: string[] = [];
/** Messages received by the chat. */
const messages: string[] = [];

let tries = 0;

/** The third parties of the recipes. */
function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const { url, method, headers } = request;
  if (url?.startsWith('/books') === true) {
    sendCatalogue(url, response);
    return;
  }
  if (url === '/hooks') {
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body.toString()}`;
    const digest = createHmac('sha256', 'secret of the reseller').update(signed).digest('base64');
    if (headers['webhook-signature'] === `v1,${digest}`) webhooks.push(body.toString());
  }
  const key = `${method ?? ''} ${url ?? ''}`;
  if (key === 'POST /messages') messages.push(body.toString());
  const basic = `Basic ${Buffer.from('shop:secret').toString('base64')}`;
  const isForm =
    headers['content-type'] === 'application/x-www-form-urlencoded' &&
    body.toString() === 'grant_type=client_credentials';
  const isThird = key === 'GET /stock/1' && (tries += 1) === 3;
  const [status, json] = isThird
    ? [200, { count: 7 }]
    : key === 'GET /keys'
      ? [200, jwks]
      : key === 'GET /stock/1'
        ? [503, { message: 'Busy' }]
        : key === 'GET /stock/2'
          ? [200, { count: 3 }]
          : key === 'GET /reviews?book=2' && headers.authorization === 'Bearer abc'
            ? [200, { reviews: [{ stars: 2 }] }]
            : key === 'POST /messages' || key === 'POST /hooks'
              ? [201, {}]
              : key === 'POST /token' && headers.authorization === basic && isForm
                ? [200, { access_token: 'abc' }]
                : key === 'GET /reviews?book=1' && headers.authorization === 'Bearer abc'
                  ? [200, { reviews: [{ stars: 5 }, { stars: 4 }] }]
                  : key === 'POST /covers' &&
                      /filename="clay.png"[^]*name="caption"\r\n\r\nThe first edition/.test(body.toString())
                    ? [201, { url: '/covers/1.png' }]
                    : [404, { message: 'Unknown' }];
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

const catalogue = ['1', '2', '3', '4', '5', '6', '7'].map((isbn) => ({
  ...{ isbn, title: `Book ${isbn}`, changed: '2026-01-01T00:00:00Z' },
}));
/** The remaining number of failures before the publisher sends its second page. */
let failures = 0;

/** Sends a page of three books. */
function sendCatalogue(url: string, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://publisher');
  const isSecond = [searchParams.get('isbn'), searchParams.get('from')].includes('3');
  if (isSecond && failures > 0) {
    failures -= 1;
    response.writeHead(503, { 'retry-after': '0' }).end();
    return;
  }
  const start =
    pathname === '/books'
      ? Number(searchParams.get('from') ?? 0)
      : catalogue.filter(({ isbn }) => isbn <= (searchParams.get('isbn') ?? '')).length;
  const link = start + 3 < catalogue.length ? { link: `</books?from=${start + 3}>; rel="next"` } : {};
  response
    .writeHead(200, { 'content-type': 'application/json', ...(pathname === '/books' ? link : {}) })
    .end(JSON.stringify(catalogue.slice(start, start + 3)));
}

/** Loads the zone of the pages into MariaDB, which knows no zone by name until then. */
async function loadZone(server: AttachedServer): Promise<void> {
  const zone = 'Europe/Prague';
  const convert = `select convert_tz('2026-01-31 23:30:00', '+00:00', '${zone}') as time`;
  // Null, without any error: what the page is about.
  expect(await server.exec('mysql', convert)).toEqual([{ time: null }]);
  const tool = programPaths({
    programs: ['mariadb-tzinfo-to-sql'],
    debianPackage: 'mariadb-server',
    missing: 'The tests need mariadb-tzinfo-to-sql, which is a part of MariaDB.',
  }).get('mariadb-tzinfo-to-sql');
  const file = libraryPath({
    files: [`/usr/share/zoneinfo/${zone}`],
    debianPackage: 'tzdata',
    missing: 'The tests need the time zones of the system, e.g. `apt-get install tzdata`.',
  });
  const { stdout } = await promisify(execFile)(tool ?? '', [file, zone]);
  await server.exec('mysql', stdout);
}

describe('a request of the page', () => {
  test.each(
    exchanges.map(
      ({ request, response }) => [`of ${request.page}:${request.line}`, request, response] as const,
    ),
  )('%s has the response below it', async (_, request, expected) => {
    const response = await sendPageRequest(service.url, {
      ...request,
      text: request.text.replaceAll(/<([\w ]+)>/g, (_, name: string) => tokens.get(name) ?? ''),
    });
    const text = await response.text();
    expect(response.status).toBe(Number(expected?.words[0]));
    if (expected?.language === 'json') expect(JSON.parse(text)).toEqual(JSON.parse(expected.text));
    else expect(shownHeaders(expected?.text ?? '', response)).toBe(expected?.text.trim());
  });

  test('is there in most recipes', () => {
    expect(exchanges.length).toBeGreaterThan(15);
  });
});

/** The actual values of the response headers shown on the page. */
function shownHeaders(shown: string, { headers }: Response): string {
  const names = shown.split('\n').flatMap((line) => /^(.+?):/.exec(line)?.[1] ?? []);
  return names.map((name) => `${name}: ${headers.get(name) ?? ''}`).join('\n');
}

/** Sends a request with this token. */
function ask(name: string, path: string, method = 'GET'): Promise<Response> {
  return fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${tokens.get(name) ?? ''}` },
  });
}

test('a token of Auth0 or Keycloak is accepted by its own authentication alone', async () => {
  const statuses = async (path: string): Promise<number[]> =>
    Promise.all(
      ['auth0', 'keycloak', 'token', 'id token'].map(async (name) => (await ask(name, path)).status),
    );
  expect(await statuses('/auth0/me')).toEqual([200, 401, 401, 401]);
  expect(await statuses('/keycloak/me')).toEqual([401, 200, 401, 401]);
});

describe('a schema for each tenant', () => {
  test('shows each tenant its own tables, and none to others', async () => {
    const responses = [];
    for (const name of [
      ...['token of Eve', 'token without a tenant', 'token of an unknown tenant', 'token', 'token of Eve'],
    ]) {
      const response = await ask(name, '/invoices');
      responses.push([response.status, await response.json()]);
    }
    const unknown = [403, { message: 'There is no such tenant' }];
    const eve = [200, ['Wood']];
    expect(responses).toEqual([eve, unknown, unknown, [200, ['Clay', 'Glaze']], eve]);
  });

  test('has statements that are checked with the template', async () => {
    const of = (language: string, kind: string): string =>
      blocks.find(
        ({ page, ...block }) =>
          page === 'schema-per-tenant.md' && block.language === language && block.words.join(' ') === kind,
      )?.text ?? '';
    const workspace = new Workspace();
    workspace.write('schema.sql', of('sql', 'schema'));
    const checked = async (datasources: string): Promise<string> => {
      const [users = ''] = texts('yaml', 'authentications');
      const config = `specification: "1.0"
operations:
${indented(of('yaml', 'operations'))}
authentications:
${indented(users)}
datasources:
${indented(datasources)}`;
      workspace.write('config.yaml', config);
      const { stdout, stderr } = await workspace.run('check');
      return stdout + stderr;
    };
    const datasources = of('yaml', 'datasources');
    try {
      expect(await checked(datasources)).toContain('is fine');
      expect(await checked(datasources.replace('?currentSchema=shop_template', ''))).toContain(
        'relation "invoice" does not exist',
      );
    } finally {
      workspace.remove();
    }
  });

  test('lets a role use no other schema', async () => {
    const server = await sharedPostgres();
    const read = (schema: string): Promise<unknown> =>
      server.exec('recipes', `begin; set local role shop_stein; select text from ${schema}.invoice; commit`);
    await expect(read('shop_ofen')).rejects.toThrow('permission denied for schema shop_ofen');
    await expect(read('shop_stein')).resolves.toBeDefined();
  });

  test('needs the table of tenants: null as a search path is the default', async () => {
    const server = await sharedPostgres();
    const [row] = await server.exec('recipes', "select set_config('search_path', null, true) as path");
    expect(row).toEqual({ path: '"$user", public' });
  });
});

describe('months in a time zone', () => {
  test('are null for a zone that MariaDB does not know, and unchanged after 2038', async () => {
    const server = await sharedMariadb();
    const convert = (time: string, zone: string): Promise<unknown> =>
      server.exec('recipes', `select cast(convert_tz('${time}', '+00:00', '${zone}') as char) as time`);
    expect(await convert('2026-01-31 23:30:00', 'Europe/Prag')).toEqual([{ time: null }]);
    expect(await convert('2026-01-31 23:30:00', 'Europe/Prague')).toEqual([{ time: '2026-02-01 00:30:00' }]);
    expect(await convert('2040-01-31 23:30:00', 'Europe/Prague')).toEqual([{ time: '2040-01-31 23:30:00' }]);
    expect(await convert('1960-01-31 23:30:00', 'Europe/Prague')).toEqual([{ time: '1960-01-31 23:30:00' }]);
  });

  test('are one expression on PostgreSQL', async () => {
    const { text } = readDocument('docs/recipes/months.md');
    const [, stored = '', utc = ''] = /`(to_char\(.+?\))`.*`(at AT TIME ZONE 'UTC'.+?)`/.exec(text) ?? [];
    const server = await sharedPostgres();
    const monthOf = (expression: string, type: string): Promise<unknown> =>
      server.exec(
        'recipes',
        `select ${expression} as month from (select '2026-01-31 23:30Z'::${type} as at) as visit`,
      );
    expect(await monthOf(stored, 'timestamptz')).toEqual([{ month: '2026-02' }]);
    expect(await monthOf(`to_char(${utc}, 'YYYY-MM')`, 'timestamp')).toEqual([{ month: '2026-02' }]);
    await expect(monthOf(stored.replace('Prague', 'Prag'), 'timestamptz')).rejects.toThrow('time zone');
  });
});

test('the outbox sends what a request has stored', async () => {
  const server = await sharedPostgres();
  const stored = (): Promise<unknown> =>
    server.exec('recipes', "select content, state from apikiln_outbox where datasource = 'chat'");
  await expect.poll(stored, { timeout: 10_000 }).toEqual([{ content: null, state: 'sent' }]);
  expect(messages).toEqual(['{"text":"Shipped to Ada"}']);
});

test('the webhook is sent with a signature that its receiver can check', async () => {
  await expect
    .poll(() => webhooks, { timeout: 10_000 })
    .toEqual(['{"type":"book.price","book":2,"price":32}']);
});

describe('the list of a third party', () => {
  const stored = async (): Promise<unknown> => {
    const server = await sharedPostgres();
    const rows = await server.exec('recipes', 'select isbn from catalogue order by isbn');
    return rows.map(({ isbn }) => isbn).join('');
  };

  test('is stored as a whole or not at all', async () => {
    failures = 100;
    await expect(run('fetch the catalogue')).rejects.toThrow();
    expect(await stored()).toBe('');
    failures = 3;
    await run('fetch the catalogue');
    expect(await stored()).toBe('1234567');
    await run('fetch the catalogue');
    expect(await stored()).toBe('1234567');
  });

  test('goes on from where it was stopped', async () => {
    const server = await sharedPostgres();
    await server.exec('recipes', 'delete from catalogue');
    failures = 100;
    await expect(run('follow the catalogue')).rejects.toThrow();
    expect(await stored()).toBe('123');
    failures = 0;
    await run('follow the catalogue');
    expect(await stored()).toBe('1234567');
  });
});

test('the upload of the page reaches the third party', async () => {
  const form = new FormData();
  form.set('cover', new Blob(['png'], { type: 'image/png' }), 'clay.png');
  form.set('caption', 'The first edition');
  const response = await fetch(`${service.url}/books/1/cover`, { method: 'POST', body: form });
  expect([response.status, await response.json()]).toEqual([201, { url: '/covers/1.png' }]);
});

test('the picture of the page is stored and sent', async () => {
  const url = `${service.url}/authors/1/portrait`;
  const put = async (type: string): Promise<number> => {
    const form = new FormData();
    form.set('picture', new Blob(['bytes'], { type }), 'ursula');
    return (await fetch(url, { method: 'PUT', body: form })).status;
  };
  expect((await fetch(url)).status).toBe(404);
  expect([await put('text/html'), await put('image/png')]).toEqual([415, 204]);
  const response = await fetch(url);
  expect([response.headers.get('content-type'), await response.text()]).toEqual(['image/png', 'bytes']);
  expect((await fetch(url, { method: 'PUT', body: new FormData() })).status).toBe(400);
});

test('the form of the page is accepted with its description', async () => {
  const [description] = texts('yaml', 'openapi');
  const operation = texts('yaml', 'operations').find((text) => text.includes('POST /payments/events')) ?? '';
  const { diagnostics, files } = await compile(
    {
      config: {
        path: 'config.yaml',
        text: `specification: "1.0"\noperations:\n${indented(operation)}\ndatasources:\n  shopdb: { type: db, url: jdbc:postgresql://localhost/shop }\n`,
      },
      description: { source: { path: 'openapi.yaml', text: description ?? '' }, read: () => undefined },
    },
    readAssets(repository),
  );
  expect(diagnostics).toEqual([]);
  expect(files?.find(({ path }) => path === 'src/router.ts')?.text).toContain('urlencoded: readUrlencoded');
});

test('the timed operation runs by its name', async () => {
  await expect(run('cancel old orders')).resolves.toBeDefined();
});

/** Runs a timed operation of the built service once. */
function run(operation: string): Promise<unknown> {
  const main = join(folder, 'dist/main.js');
  return promisify(execFile)(process.execPath, [main, 'run', operation], { env: environment });
}
