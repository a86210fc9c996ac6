/** The recipe of a page with an admin table: built, with its package installed, and used in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startBrowser } from '../helpers/browser.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { RunningService } from '../helpers/running-service.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { installRecipe, type InstalledRecipe } from './installed-recipe.js';
import { sendPageRequest } from './page-request.js';
import { bodyOf, createRecipeDatabase, recipeFolder, shownIn } from './recipe-folder.js';

const recipe = recipeFolder('admin-table-page');
const database = 'recipe_admin_table_page';
let installed: InstalledRecipe;
let server: AttachedServer;
let service: RunningService;
let browser: Browser;
let page: Page;
/** Uncaught exceptions of the page. */
const thrown: string[] = [];

beforeAll(async () => {
  installed = await installRecipe(recipe);
  server = await sharedPostgres();
  await createRecipeDatabase(server, database, recipe);
  service = await RunningService.start(installed.service, {
    ADMIN_PASSWORD: 'clay',
    DATASOURCE_SHOPDB_URL: server.jdbcUrl(database),
    SHOP_USER: server.user,
    SHOP_PASSWORD: server.password,
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await service.stop();
  installed.remove();
});

/** 33 books more than those of the recipe, whose prices are above 13. */
const more = String.raw`
delete from book where id > 3;
insert into book (title, price, added)
  select 'Book ' || n, 20 + n % 7 + n / 100.0, date '2026-01-01' + n from generate_series(1, 26) as n;
insert into book (title, price, added) values
  ('<script>document.title = "executed"</script>', 14, '2026-04-01'),
  ('<img src=x onerror="document.title = 1">', 15, '2026-04-02'),
  ('</td></tr><script>document.title = 2</script>', 16, '2026-04-03'),
  ('50% off', 17, '2026-04-04'),
  ('100 % clay', 18, '2026-04-05'),
  ('a_b & c=d+e', 19, '2026-04-06'),
  ('back\slash', 20, '2026-04-07')`;

beforeEach(async () => {
  await server.exec(database, more);
  const context = await browser.newContext({ httpCredentials: { username: 'admin', password: 'clay' } });
  page = await context.newPage();
  page.on('pageerror', ({ message }) => thrown.push(message));
  await page.goto(`${service.url}/admin/books.html`);
  await expectRows('order by title, id limit 10');
});

afterEach(async () => {
  expect(thrown.splice(0)).toEqual([]);
  expect(await page.title()).toBe('Books');
  await page.context().close();
});

/** Waits until the page shows the rows of this statement, in this order. */
async function expectRows(rest: string): Promise<void> {
  const rows = await server.exec(
    database,
    `select title, price::float8::text as price, added::text as added from book ${rest}`,
  );
  await expect
    .poll(() => page.locator('tbody td').allTextContents(), { timeout: 30_000 })
    .toEqual(rows.flatMap(({ title, price, added }) => [title, price, added]));
}

/** The number of the shown page, the text next to it, and which buttons are enabled. */
async function pager(): Promise<unknown> {
  return {
    page: await page.getByLabel('Page', { exact: true }).inputValue(),
    count: await page.locator('#count').textContent(),
    previous: await page.getByRole('button', { name: 'Previous' }).isEnabled(),
    next: await page.getByRole('button', { name: 'Next' }).isEnabled(),
  };
}

/** Writes into the filter of a column, and applies it with Enter. */
async function filter(column: string, comparison: string, value: string): Promise<void> {
  await page.getByLabel(`Comparison of ${column}`).selectOption(comparison);
  await page.getByLabel(`Filter of ${column}`).fill(value);
  await page.getByLabel(`Filter of ${column}`).press('Enter');
}

test.each(recipe.exchanges)('%s has the response of the page', async (_, request, response) => {
  expect(await bodyOf(await sendPageRequest(service.url, request))).toEqual(shownIn(response));
});

test('the page is open, and the rows are not', async () => {
  expect((await fetch(`${service.url}/admin/books.html`)).status).toBe(200);
  expect((await fetch(`${service.url}/books`)).status).toBe(401);
});

test('buttons, a number and a size choose the page', async () => {
  expect(await pager()).toEqual({ page: '1', count: 'Books: 36, pages: 4', previous: false, next: true });
  await page.getByRole('button', { name: 'Next' }).click();
  await expectRows('order by title, id limit 10 offset 10');
  expect(await pager()).toMatchObject({ page: '2', previous: true, next: true });
  const number = page.getByLabel('Page', { exact: true });
  await number.fill('99');
  await number.press('Enter');
  await expectRows('order by title, id limit 10 offset 30');
  expect(await pager()).toMatchObject({ page: '4', previous: true, next: false });
  await page.getByRole('button', { name: 'Previous' }).click();
  await expectRows('order by title, id limit 10 offset 20');
  await page.getByLabel('Rows per page').selectOption('25');
  // The first row of the page before is the 21st: it is on the first page.
  await expectRows('order by title, id limit 25');
  expect(await pager()).toEqual({ page: '1', count: 'Books: 36, pages: 2', previous: false, next: true });
});

test('headers sort by keyboard, and keep the focus', async () => {
  await page.getByRole('button', { name: 'Next' }).click();
  await expectRows('order by title, id limit 10 offset 10');
  await page.getByRole('button', { name: 'Title' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expectRows('order by price, id limit 10');
  const sorted = async (): Promise<(string | null)[]> =>
    Promise.all((await page.locator('th').all()).map((cell) => cell.getAttribute('aria-sort')));
  expect(await sorted()).toEqual(['none', 'ascending', 'none']);
  await page.keyboard.press('Enter');
  await expectRows('order by price desc, id limit 10');
  expect(await sorted()).toEqual(['none', 'descending', 'none']);
  expect(await page.locator('th button:focus').allTextContents()).toEqual(['Price']);
});

test.each(['%', '_', '\\', '<SCRIPT>', '&', '=d+', '"'])(
  'the filter %s compares characters',
  async (text) => {
    await filter('Title', 'contains', text);
    const quoted = `'${text}'`;
    await expectRows(`where strpos(lower(title), lower(${quoted})) > 0 order by title, id limit 10`);
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(0);
    expect(await page.locator('tbody').locator('script, img').count()).toBe(0);
  },
);

test('filters are combined with pages, and return to the first page', async () => {
  await page.getByRole('button', { name: 'Next' }).click();
  await expectRows('order by title, id limit 10 offset 10');
  await filter('Title', 'startsWith', 'book');
  await expectRows("where title like 'Book%' order by title, id limit 10");
  expect(await pager()).toMatchObject({ page: '1', count: 'Books: 26, pages: 3' });
  await filter('Price', 'gte', '24.05');
  await expectRows("where title like 'Book%' and price >= 24.05 order by title, id limit 10");
  await page.getByLabel('Filter of Added').fill('2026-01-20');
  await page.getByLabel('Filter of Added').press('Enter');
  await expectRows(
    "where title like 'Book%' and price >= 24.05 and added >= '2026-01-20' order by title, id limit 10",
  );
  for (const column of ['Title', 'Price', 'Added']) {
    await page.getByLabel(`Filter of ${column}`).fill('');
    await page.getByLabel(`Filter of ${column}`).press('Enter');
  }
  await expectRows('order by title, id limit 10');
  await filter('Title', 'eq', 'nowhere');
  await expectRows('where false');
  expect(await pager()).toEqual({ page: '1', count: 'Books: 0, pages: 1', previous: false, next: false });
});

test('after others have deleted the rows of the next page, the last page is shown', async () => {
  await page.getByRole('button', { name: 'Next' }).click();
  await expectRows('order by title, id limit 10 offset 10');
  await server.exec(database, "delete from book where title like 'Book%'");
  await page.getByRole('button', { name: 'Next' }).click();
  await expectRows('order by title, id limit 10');
  expect(await pager()).toEqual({ page: '1', count: 'Books: 10, pages: 1', previous: false, next: false });
});

test('the message of a refused request is shown as text', async () => {
  await page.route('**/books?*', (route) =>
    route.fulfill({ status: 400, json: { message: '<b>The page is too late</b>' } }),
  );
  await page.getByRole('button', { name: 'Next' }).click();
  await expect
    .poll(() => page.getByRole('alert').textContent(), { timeout: 30_000 })
    .toBe('<b>The page is too late</b>');
  await page.unroute('**/books?*');
  await page.getByRole('button', { name: 'Next' }).click();
  await expectRows('order by title, id limit 10 offset 20');
  expect(await page.getByRole('alert').textContent()).toBe('');
});
