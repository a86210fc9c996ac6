/** The log-in of the test page under `apikiln dev`, in a real browser: each type of credentials, and who gets none. */
import { execFile } from 'node:child_process';
import { createServer, request, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Workspace } from '../commands/workspace.js';
import { startBrowser } from '../helpers/browser.js';
import { DevProcess } from './dev-process.js';

const caller = 'responses: [{ name: ok, default: true, statuscode: 200, schema: { caller: CALLER() } }]';
const config = `specification: '1.0'
operations:
  find:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { sub: PARAM(key) } }]
  GET /me:
    authentications: [users, staff, partners, queried, rows]
    ${caller}
  GET /notes:
    authentications: [{ name: users, scopes: [notes] }]
    ${caller}
  POST /session:
    authentications: [session]
    ${caller}
  POST /hook:
    authentications: [hooks]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { body: 'BODY()', caller: CALLER() } }]
authentications:
  users: { type: jwt, issuer: 'https://id.example', audience: notes, key: '\${TOKEN_KEY}' }
  session: { type: jwt, issuer: 'https://id.example', audience: notes, key: '\${SESSION_KEY}', cookie: session }
  staff: { type: basicauth, user: grace, password: '\${STAFF_PASSWORD}' }
  partners: { type: apikey, header: X-Api-Key, keys: { acme: '\${ACME}', globex: 'sha256:${'0'.repeat(64)}' } }
  queried: { type: apikey, query: api_key, keys: { initech: 'sha256:${'1'.repeat(64)}' } }
  rows: { type: apikey, header: X-Row-Key, operation: find }
  hooks: { type: signature, scheme: github, secrets: ['\${HOOK_SECRET}'] }
`;
const description = `openapi: 3.1.0
info: { title: Callers, version: '1' }
paths:
  /me: { get: { responses: { '200': { description: ok } } } }
  /notes: { get: { responses: { '200': { description: ok } } } }
  /session: { post: { responses: { '200': { description: ok } } } }
  /hook:
    post:
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '200': { description: ok } }
`;
const hostile = '<img src=x onerror="document.title = 1">';
const tests = `tests:
  - name: ada reads
    request: GET /notes
    authentication: users
    claims: { sub: ada, tenant: 1, scope: notes }
  - name: ada reads again
    request: GET /notes
    authentication: users
    claims: { sub: ada, tenant: 1, scope: notes }
  - { name: unknown, request: GET /me, authentication: users, claims: { sub: nobody }, response: { statuscode: 401 } }
  - { name: expired, request: GET /me, authentication: users, claims: { sub: old, exp: 1 } }
  - { name: markup, request: GET /me, authentication: users, claims: { sub: '${hostile}' } }
  - { name: a row, request: GET /me, authentication: rows, key: '${'r'.repeat(40)}' }
`;
const acme = 'acme'.repeat(10);
const allowed = 'https://allowed.example';

const space = new Workspace();
let dev: DevProcess;
let browser: Browser;

beforeAll(async () => {
  space.write('config.yaml', config);
  space.write('openapi.yaml', description);
  space.write('config.test.yaml', tests);
  const environment = { ACME: acme, CORS_ORIGIN: allowed };
  [dev, browser] = await Promise.all([DevProcess.start(space, { environment }), startBrowser()]);
  await dev.until(/The service runs at/);
});
afterAll(async () => {
  await browser.close();
  await dev.stop();
  space.remove();
});

const me = '#operations-default-get_me';
const notes = '#operations-default-get_notes';
const session = '#operations-default-post_session';
const hook = '#operations-default-post_hook';

describe.each([
  ['a desktop', { width: 1280, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
])('on %s', (_, viewport) => {
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeEach(async () => {
    complaints = [];
    context = await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    page.setDefaultTimeout(120_000);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${dev.url}/docs-ui`);
    await page.getByLabel('Log in as').waitFor();
    await page.waitForSelector(me);
  });
  afterEach(async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    // Browsers report refused requests themselves; Swagger UI reports the links that it has made.
    expect(complaints.filter((text) => !/status of 4\d\d|escaping deep link/.test(text))).toEqual([]);
    await context.close();
  });

  test('the list has the callers of the tests, accounts, keys and signatures; markup is shown as text', async () => {
    const groups = await page
      .getByLabel('Log in as')
      .evaluate((select) =>
        [...(select as unknown as { children: Iterable<Group> }).children].map(({ label, children }) => [
          label,
          ...[...children].map(({ textContent }) => textContent),
        ]),
      );
    expect(groups).toEqual([
      ['users', 'ada · tenant 1 · scope notes', hostile, 'other claims …'],
      ['session', 'claims …'],
      ['staff', 'grace'],
      ['partners', 'acme', 'globex'],
      ['queried', 'initech'],
      ['rows', "the key of the test 'a row'"],
      ['hooks', 'signed requests'],
    ]);
    await logIn(page, hostile);
    expect(await callerOf(page, me)).toMatchObject({ sub: hostile, authentication: 'users' });
    expect(await page.title()).toBe('Callers');
  });

  test('a caller of the tests: for each request, after a reload, and until the log-out, without a stored token', async () => {
    expect((await execute(page, me)).status).toBe(401);
    await logIn(page, 'ada · tenant 1 · scope notes');
    await page.getByText('Logged in as ada · tenant 1 · scope notes (users)').waitFor();
    const claims = { sub: 'ada', tenant: 1, scope: 'notes', authentication: 'users' };
    expect(await callerOf(page, me)).toMatchObject(claims);
    expect(await callerOf(page, notes)).toMatchObject(claims);
    await page.reload();
    await page.getByText('Logged in as ada').waitFor();
    await page.waitForSelector(me);
    expect(await callerOf(page, me)).toMatchObject(claims);
    const kept = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])';
    expect(await page.evaluate(kept)).toMatch(/^\[\{"apikiln-login":"[^]*ada[^]*\},\{\},""\]$/);
    expect(await page.evaluate(kept)).not.toContain('eyJ');
    // Another tab has another caller.
    const other = await context.newPage();
    await other.goto(`${dev.url}/docs-ui`);
    await other.getByLabel('Log in as').waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Log out' }).click();
    expect((await execute(page, me)).status).toBe(401);
    await page.reload();
    await page.getByLabel('Log in as').waitFor();
    expect(dev.printed).not.toContain('eyJ');
  });

  test('other claims, with the keyboard alone', async () => {
    await page.getByLabel('Log in as').focus();
    await page.getByLabel('Log in as').selectOption('other claims …');
    await page.keyboard.press('Tab');
    await page.keyboard.type('hopper');
    await page.keyboard.press('Tab');
    await page.keyboard.type('notes  other');
    await page.keyboard.press('Tab');
    await page.keyboard.type('[1]');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Other claims are a JSON object').waitFor();
    if (process.env['SCREENSHOTS'] !== undefined)
      await page.screenshot({ path: `${process.env['SCREENSHOTS']}/login-${viewport.width}.png` });
    await page.getByLabel('Other claims').fill('{"tenant": "acme"}');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Logged in as hopper · notes · other (users)').waitFor();
    expect(await callerOf(page, notes)).toMatchObject({
      sub: 'hopper',
      scope: 'notes other',
      tenant: 'acme',
    });
    // The button that has replaced the form.
    await page.getByRole('button', { name: 'Log out' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Log in as').waitFor();
  });

  test('each type of credentials', async () => {
    const callers = [
      ['grace', me, { authentication: 'staff', sub: 'grace' }],
      ['acme', me, { authentication: 'partners', sub: 'acme' }],
      ['globex', me, { authentication: 'partners', sub: 'globex' }],
      ['initech', me, { authentication: 'queried', sub: 'initech' }],
      ["the key of the test 'a row'", me, { authentication: 'rows' }],
      ['claims …', session, { authentication: 'session', sub: 'test' }],
      ['signed requests', hook, { authentication: 'hooks' }],
    ] as const;
    for (const [label, operation, expected] of callers) {
      await logIn(page, label);
      expect(await callerOf(page, operation), label).toMatchObject(expected);
      expect(dev.printed).not.toMatch(/api_key=[^…]/);
      await page.getByRole('button', { name: 'Log out' }).click();
    }
  });

  test('a webhook: each body is signed as it is sent, and copied as a command that a shell runs', async () => {
    await logIn(page, 'signed requests');
    await open(page, hook);
    for (const [body, part] of [
      [`{"it's": "$HOME \`id\`", "ü": "\\\\n"}`, '$HOME'],
      ['{"@file": 1}', '@file'],
    ] as const) {
      await page.fill(`${hook} textarea`, body);
      const sent = await execute(page, hook);
      expect(sent).toMatchObject({ status: 200, body: { body: JSON.parse(body) as unknown } });
      await page.evaluate(`document.querySelector('${hook} details.request').open = true`);
      await page.click(`${hook} .apikiln-copy`);
      // The text of an earlier request may still be there.
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain(part);
      await page.locator(hook).getByText('Copied.').waitFor();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(command).toMatch(/^curl -g -X 'POST'/);
      expect(command).toMatch(/X-Hub-Signature-256: sha256=/i);
      expect(command).not.toMatch(/x-trace/i);
      const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`]);
      expect(JSON.parse(stdout)).toMatchObject({ body: JSON.parse(body) as unknown });
    }
  });

  test('a cookie and a key of the query are copied, too', async () => {
    for (const [label, operation, part] of [
      ['claims …', session, "-H 'cookie: session="],
      ['initech', me, '?api_key='],
    ] as const) {
      await logIn(page, label);
      await callerOf(page, operation);
      await page.evaluate(`document.querySelector('${operation} details.request').open = true`);
      await page.click(`${operation} .apikiln-copy`);
      await page.locator(operation).getByText('Copied.').waitFor();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(command).toContain(part);
      const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`]);
      expect(JSON.parse(stdout)).toHaveProperty('caller.authentication');
      await page.getByRole('button', { name: 'Log out' }).click();
    }
  });
});

interface Group {
  readonly label: string;
  readonly children: Iterable<{ readonly textContent: string }>;
}

test('after a change of the tests, the page knows the new callers; a removed caller is logged out', async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`${dev.url}/docs-ui`);
  await logIn(page, 'ada · tenant 1 · scope notes');
  space.write('config.test.yaml', tests.replaceAll('sub: ada', 'sub: eve'));
  await dev.save(space, 'config.yaml', `${config}\n# saved`);
  await page.getByText('ada · tenant 1 · scope notes (users) is no longer available.').waitFor();
  await logIn(page, 'eve · tenant 1 · scope notes');
  expect(await callerOf(page, me)).toMatchObject({ sub: 'eve' });
  space.write('config.test.yaml', tests);
  await dev.save(space, 'config.yaml', config);
  await page.close();
});

interface Received {
  readonly status: number | undefined;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

const question = JSON.stringify({ authentication: 'users', claims: {} });

function ask(path: string, method: string, headers: OutgoingHttpHeaders): Promise<Received> {
  const { port } = new URL(dev.url);
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: `/docs-ui/apikiln-dev/login/${path}`, method, headers };
    const outgoing = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, text });
      });
    });
    outgoing.on('error', reject).end(method === 'POST' ? question : undefined);
  });
}

const script = { 'content-type': 'application/json', 'x-apikiln-dev': 'login' };

test('only the page gets credentials: other origins, hosts, methods and programs are refused', async () => {
  const { host } = new URL(dev.url);
  const origin = `http://${host}`;
  const page = { ...script, host, origin, 'sec-fetch-site': 'same-origin' };
  expect(await ask('credentials', 'POST', page)).toMatchObject({
    status: 200,
    text: expect.stringContaining('Bearer eyJ') as string,
  });
  const { 'sec-fetch-site': _, ...older } = page;
  expect(await ask('credentials', 'POST', older)).toMatchObject({ status: 200 });
  const refused: [string, OutgoingHttpHeaders][] = [
    ['POST', { ...page, origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }],
    ['POST', { ...older, origin: 'https://attacker.example' }],
    ['POST', { ...page, origin: `http://evil.${host}`, 'sec-fetch-site': 'same-site' }],
    ['POST', { ...older, origin: allowed }],
    ['POST', { ...page, origin: allowed, 'sec-fetch-site': 'cross-site' }],
    ['POST', { ...older, origin: 'null' }],
    ['POST', { ...page, host: 'attacker.example', origin: 'http://attacker.example' }],
    ['POST', { ...page, host: `attacker.example:${new URL(dev.url).port}` }],
    ['POST', { ...script, host }],
    ['POST', { ...page, 'content-type': 'text/plain' }],
    ['POST', { ...page, 'x-apikiln-dev': 'run' }],
    ['GET', page],
    [
      'OPTIONS',
      {
        host,
        origin: allowed,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-apikiln-dev',
      },
    ],
  ];
  for (const [method, headers] of refused)
    for (const path of ['callers', 'credentials', 'curl']) {
      const { status, headers: received, text } = await ask(path, method, headers);
      expect({ method, headers, path, status }).toEqual({ method, headers, path, status: 403 });
      expect(text).not.toContain('eyJ');
      expect(received['access-control-allow-origin']).toBeUndefined();
    }
  expect((await ask('other', 'POST', page)).status).toBe(404);
});

test('a page of another site gets nothing in a real browser', async () => {
  const site: Server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<title>other</title>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const target = `${dev.url}/docs-ui/apikiln-dev/login/credentials`;
    const outcome = (options: string): Promise<unknown> =>
      page.evaluate(
        `fetch('${target}', { method: 'POST', body: '{"authentication":"users"}', ${options} }).then((one) => [one.type, one.status], () => 'refused')`,
      );
    const headers = JSON.stringify(script);
    expect(await outcome(`headers: ${headers}`)).toBe('refused');
    expect(await outcome('')).toBe('refused');
    expect(await outcome("mode: 'no-cors'")).toEqual(['opaque', 0]);
  } finally {
    await page.close();
    site.close().closeAllConnections();
  }
});

async function logIn(page: Page, label: string): Promise<void> {
  await page.getByLabel('Log in as').selectOption(label);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText('Logged in as').waitFor();
}

async function open(page: Page, operation: string): Promise<void> {
  if (await page.isVisible(`${operation} .execute`)) return;
  await page.click(`${operation} .opblock-summary-control`);
  await page.waitForSelector(`${operation} .execute`);
}

/** Sends a request from the page, and waits for its response. */
async function execute(page: Page, operation: string): Promise<{ status: number; body: unknown }> {
  await open(page, operation);
  const [, method = '', path = ''] = /-(get|post)_(\w+)$/.exec(operation) ?? [];
  const received = page.waitForResponse(
    (response) =>
      new URL(response.url()).pathname === `/${path}` && response.request().method() === method.toUpperCase(),
  );
  await page.click(`${operation} .execute`);
  const response = await received;
  const body: unknown = await response.json();
  await page.waitForSelector(`${operation} .live-responses-table`);
  return { status: response.status(), body };
}

async function callerOf(page: Page, operation: string): Promise<unknown> {
  const { status, body } = await execute(page, operation);
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as { readonly caller: unknown }).caller;
}
