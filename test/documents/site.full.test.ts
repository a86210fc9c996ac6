/**
 * The site, built in a temporary folder with its own packages, in a real browser: the playground compiles, explains mistakes, and runs
 * services with the responses that Node sends. Every internal link of the documents is checked by the build.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageRequest, PageResponse, Project } from '../../docs/playground/messages.js';
import { npmEnvironment } from '../deployment/npm-environment.js';
import { startBrowser } from '../helpers/browser.js';
import { compareResponse, contentOf, filled } from '../helpers/play-request.js';
import {
  repository,
  serviceFixtures,
  type FixtureRequest,
  type ServiceFixture,
} from '../helpers/service-fixture.js';
import { pagesBelow } from './code-blocks.js';

let folder = '';
let server: Server;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'site-'));
  copyRepository(folder);
  npm('ci', '--prefix', 'docs', '--no-audit', '--no-fund', '--ignore-scripts');
  npm('run', 'build', '--prefix', 'docs');
  const { serveSite } = (await import(pathToFileURL(join(folder, 'docs/site/serve.mjs')).href)) as {
    readonly serveSite: (folder: string, port: number) => Promise<Server>;
  };
  server = await serveSite(join(folder, 'docs/dist/site'), 0);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Copies the files that the build of the site reads, without packages and earlier builds. */
function copyRepository(target: string): void {
  const isBuilt = (path: string): boolean => /\/docs\/(?:node_modules|dist)$|\/expected[^/]*$/.test(path);
  for (const name of [
    'compiler',
    'docs',
    'runtime',
    'templates',
    'fixtures/services',
    '.github',
    'dist/compiler',
  ])
    cpSync(join(repository, name), join(target, name), { recursive: true, filter: (path) => !isBuilt(path) });
  for (const name of ['package.json', 'CHANGELOG.md', 'dist/runtime.json'])
    cpSync(join(repository, name), join(target, name));
  symlinkSync(join(repository, 'node_modules'), join(target, 'node_modules'));
  mkdirSync(join(target, 'docs/dist'), { recursive: true });
}

function npm(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: folder,
    env: npmEnvironment,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stdout}${stderr}`);
}

function urlOf(path: string): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
}

async function open(path: string, run: (page: Page) => Promise<void>, dark = false): Promise<void> {
  const context = await browser.newContext({ colorScheme: dark ? 'dark' : 'light' });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  try {
    await page.goto(urlOf(path));
    await run(page);
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}

/** The text of the diagnostics, when the compiler and its database have read the newest sources. */
async function diagnosticsOf(page: Page): Promise<string> {
  await page.locator('#status[data-state=whole]').waitFor({ timeout: 120_000 });
  return page.locator('#diagnostics').innerText();
}

/** Replaces a text of the open editor, as somebody who searches and types. */
async function replaceInEditor(page: Page, old: string, text: string): Promise<void> {
  const editor = page.locator('#source .cm-content');
  await editor.click();
  await page.keyboard.press('Control+f');
  const search = page.locator('.cm-search input[name=search]');
  await search.fill(old);
  await search.dispatchEvent('change');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.insertText(text);
}

async function responseOf(page: Page): Promise<{ readonly status: string; readonly body: string }> {
  await page.locator('#send').click();
  await page
    .locator('#response-status:is([data-state=done], [data-state=failed])')
    .waitFor({ timeout: 120_000 });
  return {
    status: await page.locator('#response-status').innerText(),
    body: await page.locator('#response-body').innerText(),
  };
}

/** The lines of the shown trace, without times. */
async function traceOf(page: Page): Promise<string[]> {
  const lines = await page.locator('#trace .trace-line').allInnerTexts();
  return lines.map((line) => line.replaceAll(/\s+/g, ' ').replace(/(?: ·)? [\d.]+ ms$/, ''));
}

describe('the playground', () => {
  test('names a mistake where it is, until it is mended, and sends requests to the service', async () => {
    await open('', async (page) => {
      expect(await diagnosticsOf(page)).toBe('');
      const first = await responseOf(page);
      expect(first.status).toMatch(/^200 /);
      expect(JSON.parse(first.body)).toMatchObject({ id: 1, title: 'Kiln lit' });

      await replaceInEditor(page, 'VALUE(news, $.title)', 'VALUE(news, $.titel)');
      await expect.poll(() => page.locator('#diagnostics').innerText()).toContain('[unknown-column]');
      await expect.poll(() => page.locator('#source .cm-lintRange-error').count()).toBeGreaterThan(0);
      expect((await responseOf(page)).status).toContain('Fix them');

      await replaceInEditor(page, 'VALUE(news, $.titel)', 'UPPER(VALUE(news, $.title))');
      await expect.poll(() => page.locator('#diagnostics').innerText()).toContain('UPPER');
      await replaceInEditor(page, 'UPPER(VALUE(news, $.title))', 'LOWER(VALUE(news, $.title))');
      await expect.poll(() => page.locator('#diagnostics').innerText()).toBe('');
      expect(JSON.parse((await responseOf(page)).body)).toMatchObject({ id: 1, title: 'kiln lit' });

      const other = await page.context().newPage();
      await other.goto(page.url());
      await diagnosticsOf(other);
      expect(JSON.parse((await responseOf(other)).body)).toMatchObject({ id: 1, title: 'kiln lit' });
    });
  });

  test('shows the trace of the call below its response', async () => {
    await open('#news', async (page) => {
      await diagnosticsOf(page);
      await responseOf(page);
      await expect
        .poll(() => traceOf(page))
        .toEqual([
          'operation GET /news/{id} 200',
          'SQL news newsdb · 1 row',
          'exception news SIZE(VALUE(news, $)) == INTEGER(0) not fired',
          'SQL comments newsdb · 2 rows',
          'response ok chosen default',
        ]);
      expect(await page.locator('#response-headers').innerText()).not.toMatch(/x-trace/i);
      await page.locator('#url').fill('/nothing');
      expect((await responseOf(page)).status).toMatch(/^404 /);
      expect(await traceOf(page)).toEqual([]);
    });
  });

  test('follows the cursor with the generated file, and keys choose a file and send', async () => {
    await open('#news', async (page) => {
      await diagnosticsOf(page);
      expect(await page.locator('#file').inputValue()).toBe('src/operations/get-news.ts');
      await page.locator('#source .cm-line', { hasText: 'POST /news' }).click();
      expect(await page.locator('#file').inputValue()).toBe('src/operations/post-news.ts');
      await page.keyboard.press('Control+Enter');
      await page.locator('#response-status[data-state=done]').waitFor({ timeout: 120_000 });
      await page.getByRole('tab', { name: 'config.yaml' }).press('ArrowLeft');
      await page.locator('#source .cm-content[aria-label=".env"]').waitFor();
      await page.getByRole('tab', { name: '.env' }).press('ArrowRight');
      await page.locator('#source .cm-content[aria-label="config.yaml"]').click();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      expect(await page.locator('#source .cm-content:focus').count()).toBe(0);
    });
  });

  test('asks PostgreSQL about changed statements, and begins with a new database for a changed seed', async () => {
    await open('#news', async (page) => {
      expect(await diagnosticsOf(page)).toBe('');
      await replaceInEditor(page, 'SELECT id, title, body', 'SELECT id, titel, body');
      await expect.poll(() => page.locator('#diagnostics').innerText()).toContain('[sql-refused]');
      await replaceInEditor(page, 'SELECT id, titel, body', 'SELECT id, title, body');
      await expect.poll(() => page.locator('#diagnostics').innerText()).toBe('');
      await page.getByRole('tab', { name: 'seed.sql' }).click();
      await replaceInEditor(page, 'Kiln lit', 'Kiln cold');
      expect((await responseOf(page)).body).toContain('Kiln cold');
    });
  });

  test('has examples whose first requests succeed, and whose limits refuse', async () => {
    await open('', async (page) => {
      const options = await page.evaluate<string[]>(
        "Array.from(document.querySelectorAll('#example option'), ({ value }) => value)",
      );
      const statuses: Record<string, string> = {};
      for (const name of options.filter((one) => one !== '')) {
        await page.locator('#example').selectOption(name);
        statuses[name] = (await responseOf(page)).status.slice(0, 3);
        expect(await diagnosticsOf(page), name).toBe('');
        if (name !== 'limits') continue;
        await responseOf(page);
        expect((await responseOf(page)).status).toMatch(/^429 /);
      }
      expect(statuses).toEqual({
        ...{ first: '200', news: '200', 'news-b': '200', filters: '200', lists: '200', pages: '200' },
        ...{ limits: '401', accounts: '201' },
      });
    });
  });

  test('works offline after the first load', async () => {
    await open('#news-b', async (page) => {
      await diagnosticsOf(page);
      await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
      await page.context().setOffline(true);
      await page.reload();
      expect(await diagnosticsOf(page)).toBe('');
      expect((await responseOf(page)).status).toMatch(/^200 /);
      // A part of the runtime that was not loaded before.
      await page.locator('#example').selectOption('accounts');
      expect((await responseOf(page)).status).toMatch(/^201 /);
    });
  });

  test('completes names and explains functions with the functions of the language server', async () => {
    await open('#news', async (page) => {
      await diagnosticsOf(page);
      await replaceInEditor(page, 'VALUE(news, $.title)', 'VALUE(');
      await page.keyboard.press('Control+Space');
      await page.locator('.cm-tooltip-autocomplete li', { hasText: /^news/ }).click();
      await expect.poll(() => page.locator('#source .cm-content').innerText()).toContain('title: VALUE(news');
      await page
        .locator('#source .cm-line span', { hasText: /^fulfillments$/ })
        .first()
        .hover();
      await page.locator('.cm-tooltip-hover', { hasText: 'field of' }).waitFor();
    });
  });

  test('ignores a state that is none, and shows the page dark', async () => {
    await open(
      '#eyJub25zZW5zZSI6MX0',
      async (page) => {
        expect(await diagnosticsOf(page)).toBe('');
        expect(await page.locator('#example').inputValue()).toBe('first');
      },
      true,
    );
  });
});

/** The names of axe's violated rules, and the first element of each. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: join(folder, 'docs/node_modules/axe-core/axe.min.js') });
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: Axe };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${String(nodes[0]?.target)}`);
  });
}

interface Axe {
  run(): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly target: unknown }[];
    }[];
  }>;
}

describe.each([false, true])('for people with assistive technology, dark: %s', (isDark) => {
  test('the playground, with diagnostics, a response and a trace', async () => {
    await open(
      '#news',
      async (page) => {
        await diagnosticsOf(page);
        await responseOf(page);
        await replaceInEditor(page, 'VALUE(news, $.title)', 'VALUE(news, $.titel)');
        await expect.poll(() => page.locator('#diagnostics').innerText()).toContain('[unknown-column]');
        expect(await violationsOf(page)).toEqual([]);
        await page.setViewportSize({ width: 390, height: 844 });
        expect(await violationsOf(page)).toEqual([]);
      },
      isDark,
    );
  });

  test.each(['documents.html', 'guide.html', 'recipes/upsert.html'])('%s', async (path) => {
    await open(
      path,
      async (page) => {
        await page.locator('.VPNavBarSearch button[title=Search]').waitFor();
        expect(await violationsOf(page)).toEqual([]);
      },
      isDark,
    );
  });
});

describe('the documents', () => {
  test('link each example to the playground, with its tables and its first request', async () => {
    await open('recipes/upsert.html', async (page) => {
      await page.getByRole('link', { name: 'Open in the playground' }).first().click();
      expect(await diagnosticsOf(page)).toBe('');
      expect(await page.locator('#example').inputValue()).toBe('');
      const { status, body } = await responseOf(page);
      expect(status).toMatch(/^201 /);
      expect(JSON.parse(body)).toEqual({ stars: 4 });
    });
    await open('explanations/expressions.html', async (page) => {
      await page.getByRole('link', { name: 'Open in the playground' }).first().click();
      expect(await diagnosticsOf(page)).not.toBe('');
    });
  });

  test('have recipes that open in the playground without errors', async () => {
    const { fragmentsOf } = (await import(pathToFileURL(join(folder, 'docs/site/examples.mjs')).href)) as {
      readonly fragmentsOf: (source: string) => readonly (string | undefined)[];
    };
    const fragments = ['docs/guide.md', 'docs/accounts.md', ...pagesBelow('docs/recipes')].flatMap((source) =>
      fragmentsOf(source).flatMap((fragment) => (fragment === undefined ? [] : [{ source, fragment }])),
    );
    expect(fragments.length).toBeGreaterThan(40);
    await open('', async (page) => {
      await diagnosticsOf(page);
      const errors: string[] = [];
      for (const { source, fragment } of fragments) {
        await page.evaluate(
          `document.getElementById('status').dataset.state = 'old'; location.hash = '${fragment}'`,
        );
        await diagnosticsOf(page);
        const found = await page.locator('#diagnostics .error').allInnerTexts();
        errors.push(...found.map((one) => `${source}: ${one}`));
      }
      expect(errors).toEqual([]);
    });
  });

  test('and the playground have the appearance that was chosen on one of them', async () => {
    await open('guide.html', async (page) => {
      await page.locator('.VPNavBarAppearance button').click();
      await page.goto(urlOf(''));
      await expect.poll(() => page.locator('html').getAttribute('style')).toContain('dark');
    });
  });

  test('have a menu of versions if there are several', async () => {
    await open('guide.html', async (page) => {
      expect(await page.locator('.VPNavBar .version').innerText()).toBe('0.1.0');
      await page.route('**/versions.json', (route) => route.fulfill({ json: ['0.2.0', '0.1.0'] }));
      await page.reload();
      await page.locator('.VPNavBar select.version').selectOption('0.2.0');
      await page.waitForURL(urlOf(''));
    });
  });

  test('have a search, and buttons that copy', async () => {
    await open('guide.html', async (page) => {
      await page.locator('.VPNavBarSearch button').click();
      await page.locator('#localsearch-input').fill('optimistic locking');
      await page.locator('.VPLocalSearchBox .result').first().waitFor();
      await page.keyboard.press('Escape');
      expect(await page.locator('button.copy').count()).toBeGreaterThan(5);
      expect(await page.locator('.edit-link-button').getAttribute('href')).toContain('docs/guide.md');
    });
  });
});

/** Services that need nothing but PostgreSQL and what the configuration says, and no credentials that tests create. */
function isAlone({
  config,
  database,
  app,
  middleware,
  code,
  requests,
  timeZones,
  ...fixture
}: ServiceFixture): boolean {
  const needsOthers = /^include:|type: (?:rest|smtp|custom|jwt|signature)|triggers:|mysql|encryption/m.test(
    config,
  );
  const isPlain = ({ parts, until, authentication, receives }: FixtureRequest): boolean =>
    [parts, until, authentication, receives].every((one) => one === undefined);
  return (
    database === 'postgresql' &&
    !needsOthers &&
    [app, middleware, fixture.api].every((one) => one === undefined) &&
    [code, fixture.thirdParty].every(({ length }) => length === 0) &&
    timeZones.length <= 1 &&
    // Another port, other processes, and other files of the API description.
    !('MANAGEMENT_PORT' in fixture.environment) &&
    !/\$ref['"]?: *['"]?[^'"#\s]/.test(fixture.description?.source.text ?? '') &&
    fixture.schema !== '' &&
    requests.every(isPlain)
  );
}

const alone = serviceFixtures().filter(isAlone);

test('many services are played', () => {
  expect(alone.length).toBeGreaterThan(15);
});

test.each(alone)(
  '$name responds as on Node',
  async ({ config, description, schema, seed, environment, requests }) => {
    const project: Project = {
      'config.yaml': config,
      'openapi.yaml': description?.source.text ?? '',
      'schema.sql': schema,
      // The time zone of the tests' servers.
      'seed.sql': `SET TimeZone = 'Asia/Kathmandu';\n${seed}`,
      '.env': Object.entries(environment)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
    };
    await open('', async (page) => {
      await page.evaluate(player);
      await page.evaluate(startService, project);
      const kept = new Map<string, string>();
      for (const written of requests) {
        if (written.only === 'mariadb') continue;
        const request = filled(written, kept);
        const [method = '', url = ''] = request.request.split(' ');
        const sent: PageRequest = {
          method,
          url,
          headers: {
            ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
            ...request.header,
          },
          ...(contentOf(request) === undefined ? {} : { body: contentOf(request) }),
        };
        const { status, headers, body } = await page.evaluate(sendToService, sent);
        compareResponse(written, { status, headers: receivedHeaders(headers), text: body }, kept);
      }
    });
  },
);

/** Headers as Node's client shows them: repeated ones are joined. */
function receivedHeaders(headers: PageResponse['headers']): IncomingHttpHeaders {
  const received: Record<string, string | string[]> = {};
  for (const [written, value] of headers) {
    const name = written.toLowerCase();
    const before = received[name];
    if (name === 'set-cookie') received[name] = [before ?? [], value].flat();
    else received[name] = before === undefined ? value : `${String(before)}, ${value}`;
  }
  return received;
}

/** An answer of one of the workers. */
interface Answer {
  readonly kind: string;
  readonly isWhole?: boolean;
  readonly files?: unknown;
  readonly message?: string;
  readonly diagnostics?: unknown;
  readonly response?: PageResponse;
}

/** The global `ask` of the page: sends a message to a worker, and returns the first answer of a kind. */
type Ask = (worker: 'compiler' | 'service', message: unknown, kind: string) => Promise<Answer>;

/** Defines `ask` in the page. */
const player = `
  const workers = {};
  globalThis.ask = (name, message, kind) => new Promise((resolve, reject) => {
    const worker = (workers[name] ??= new Worker('playground/' + name + '-worker.js', { type: 'module' }));
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }) => {
      if (data.kind === 'failed') reject(new Error(data.message));
      else if (data.kind === kind && data.isWhole !== false) resolve(data);
    };
    worker.postMessage(message);
  });`;

/** In the page: compiles the project and starts its service. */
async function startService(project: Project): Promise<void> {
  const { ask } = globalThis as unknown as { readonly ask: Ask };
  const { files, diagnostics } = await ask('compiler', { kind: 'check', id: 1, project }, 'checked');
  if (files === undefined) throw new Error(JSON.stringify(diagnostics));
  await ask('service', { kind: 'start', id: 1, files, project }, 'started');
}

/** In the page: the response of the service that `startService` has started. */
async function sendToService(request: PageRequest): Promise<PageResponse> {
  const { ask } = globalThis as unknown as { readonly ask: Ask };
  const { response } = await ask('service', { kind: 'request', id: 2, request }, 'responded');
  if (response === undefined) throw new Error('no response');
  return response;
}
