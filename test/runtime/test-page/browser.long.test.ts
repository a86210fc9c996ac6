/**
 * The test page in a real browser: opening it, entering credentials, trying operations, and viewing responses and traces, on a desktop and
 * on a phone.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBrowser } from '../../helpers/browser.js';
import { clerk, startBookshop, startWithTestPage, type Bookshop } from './bookshop.js';

let shop: Bookshop;
let browser: Browser;

beforeAll(async () => {
  [shop, browser] = await Promise.all([startBookshop('browser', 'postgresql'), startBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await shop.stop();
});

const screens = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
};

const [books, book, orders] = [
  '#operations-books-get_books',
  '#operations-books-get_books__id_',
  '#operations-orders-post_orders',
];

describe.each(Object.entries(screens))('on a %s', (_name, viewport) => {
  let page: Page;
  let complaints: string[];
  let origins: Set<string>;

  beforeEach(async () => {
    [complaints, origins] = [[], new Set()];
    page = await browser.newPage({ viewport });
    page.setDefaultTimeout(120_000);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
    });
    await page.goto(`${shop.service.url}/docs-ui`);
    await page.waitForSelector(books);
  });

  afterEach(async () => {
    expect(await isWide(page), 'something is wider than the screen').toBe(false);
    expect([...origins], 'requests to other hosts').toEqual([shop.service.url]);
    await page.close();
  });

  test('the page shows the description, and reports no errors', async () => {
    expect(await page.textContent('.info .title')).toContain('Bookshop');
    expect(await page.title()).toBe('Bookshop');
    expect(await page.isVisible('.servers')).toBe(false);
    for (const operation of [books, book, orders]) expect(await page.isVisible(operation)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('it is dark where the system is, also while it is open', async () => {
    const colors =
      "['body', '.info .title'].map((one) => getComputedStyle(document.querySelector(one))[one === 'body' ? 'backgroundColor' : 'color'])";
    const light = await page.evaluate(colors);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.evaluate(colors)).not.toEqual(light);
    if (process.env['SCREENSHOTS'] !== undefined) {
      await open(page, books);
      await execute(page, books);
      await page.screenshot({
        path: `${process.env['SCREENSHOTS']}/page-${viewport.width}.png`,
        fullPage: true,
      });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => page.evaluate(colors)).toEqual(light);
  });

  test('an open operation: response and trace', async () => {
    await open(page, books);
    await page.fill(`${books} input[placeholder=author]`, 'Ada');
    await execute(page, books);
    expect(await status(page, books)).toBe('200');
    expect(await page.textContent(`${books} .live-responses-table .highlight-code`)).toContain('The Kiln');
    expect(await page.textContent(`${books} .trace pre`)).toBe(
      'SELECT id, title, price\nFROM book\nWHERE author = $1\nORDER BY id',
    );
    const lines = await page.locator(`${books} .trace-line`).allInnerTexts();
    const logged = lines.map((line) => line.replaceAll(/\s+/g, ' ').replaceAll(/[\d.]+ ms/g, 'T'));
    const round = [
      'SQL stock shop · 1 row · T',
      'loopbreak stock SIZE(VALUE(stock, $)) == INTEGER(0) loop continues',
    ];
    expect(logged).toEqual([
      'operation GET /books 200 · T',
      'instruction books PARAM(author) != NULL() chosen',
      'SQL books shop · 2 rows · T',
      'loop book 2 iterations',
      ...[...round, ...round],
      'response none SIZE(VALUE(books, $)) == INTEGER(0) not chosen',
      'response ok chosen default',
    ]);
    expect(await page.textContent(`${books} .trace`)).not.toContain('Ada');
    expect(complaints).toEqual([]);
  });

  test('what is neither response nor trace is folded until it is asked for', async () => {
    await open(page, books);
    const documented = `${books} .responses-inner > .responses-table`;
    await page.waitForSelector(documented, { state: 'visible' });
    await execute(page, books);
    const parts = {
      Request: [`${books} .curl-command pre`, `${books} .request-url pre`],
      'Response headers': [`${books} .headerline`],
      'Documented responses': [documented],
    };
    for (const [title, contents] of Object.entries(parts)) {
      for (const content of contents) expect(await page.isVisible(content), content).toBe(false);
      await page.click(`${books} .folding > summary:text-is("${title}")`);
      for (const content of contents) expect(await page.isVisible(content), content).toBe(true);
      await page.click(`${books} .folding > summary:text-is("${title}")`);
      for (const content of contents) expect(await page.isVisible(content), content).toBe(false);
    }
    expect(await page.isVisible(`${books} .live-responses-table .highlight-code`)).toBe(true);
  });

  test('credentials: refused without, accepted with them, forgotten with the page', async () => {
    await open(page, book);
    await page.fill(`${book} input[placeholder=id]`, '1');
    await execute(page, book);
    expect(await status(page, book)).toBe('401');
    expect(await page.textContent(`${book} .trace`)).toContain('No operation ran');

    await enterCredentials(page);
    await page.click(`${book} .execute`);
    await page.waitForSelector(`${book} .trace-steps`);
    expect(await status(page, book)).toBe('200');
    expect(await page.textContent(`${book} .trace`)).toContain('skipped');
    // Browsers report a refused call themselves.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);

    await page.reload();
    await page.waitForSelector(book);
    expect(await page.isVisible('.authorize.unlocked')).toBe(true);
    const kept = 'localStorage.length + sessionStorage.length + document.cookie.length';
    expect(await page.evaluate(kept)).toBe(0);
  });

  test('a body, a loop with references, and the exception that ends it', async () => {
    await enterCredentials(page);
    await open(page, orders);
    await page.fill(`${orders} textarea`, JSON.stringify({ lines: [{ book: 3, amount: 100 }] }));
    await execute(page, orders);
    expect(await status(page, orders)).toBe('409');
    const trace = (await page.innerText(`${orders} .trace`)).replaceAll(/\s+/g, ' ');
    expect(trace).toMatch(
      /iteration 1 reference taken take from stock .*exception left VALUE\(left, \$\.amount\) < INTEGER\(0\) fired/,
    );
  });
});

test('CSV and NDJSON are shown as they are, and bytes are a file', async () => {
  const service = await startWithTestPage('responses');
  const page = await browser.newPage();
  try {
    page.setDefaultTimeout(120_000);
    await page.goto(`${service.url}/docs-ui`);
    const body = async (path: string): Promise<string> => {
      const operation = `.opblock:has([data-path="${path}"])`;
      await open(page, operation);
      for (const field of await page.locator(`${operation} .parameters textarea`).all())
        await field.fill('YWJj');
      await execute(page, operation);
      const shown = `${operation} .live-responses-table :is(.highlight-code code, a[download])`;
      return page.locator(shown).innerText();
    };
    expect(await body('/orders.csv')).toMatch(/^id,name,note,price\r?\n1,Desk,plain,120\.5\r?\n/);
    expect(await body('/orders.ndjson')).toMatch(/^\{"id":1,"name":"Desk"\}\n\{"id":2,/);
    expect(await body('/bytes')).toBe('Download file');
    expect(await page.getAttribute('a[download]', 'download')).toBe('data.bin');
  } finally {
    await page.close();
    await service.stop();
  }
});

async function open(page: Page, operation: string): Promise<void> {
  await page.click(`${operation} .opblock-summary-control`);
  await page.waitForSelector(`${operation} .execute`);
}

async function execute(page: Page, operation: string): Promise<void> {
  await page.click(`${operation} .execute`);
  await page.waitForSelector(`${operation} .trace-steps, ${operation} .trace-note:has-text("No operation")`);
}

async function status(page: Page, operation: string): Promise<string> {
  const text = await page.textContent(`${operation} .live-responses-table .response .response-col_status`);
  return text?.match(/\d+/)?.[0] ?? '';
}

async function enterCredentials(page: Page): Promise<void> {
  await page.click('.btn.authorize');
  expect(await isWide(page), 'the dialog is wider than the screen').toBe(false);
  await page.fill('#auth-basic-username', clerk.user);
  await page.fill('#auth-basic-password', clerk.password);
  await page.click('.auth-btn-wrapper .authorize');
  await page.click('.auth-btn-wrapper .btn-done');
}

function isWide(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > innerWidth');
}
