/** Test coverage of a configuration: counted in the running service, printed, exported for programs, and shown in a real browser. */
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Workspace } from '../commands/workspace.js';
import type { Outcome } from '../commands/workspace.js';
import { startBrowser } from '../helpers/browser.js';
import { fixtureSpace } from './workspace-tests.js';

const tests = `tests:
  - name: a list
    request: GET /news
  - name: one that is there
    request: GET /news/1
  - name: one that is not
    request: GET /news/9
    response: { statuscode: 404 }
`;

let space: Workspace;
let outcome: Outcome;

beforeAll(async () => {
  space = fixtureSpace('news');
  space.write('config.test.yaml', tests);
  // The page escapes special characters in the configuration.
  space.write(
    'config.yaml',
    space
      .read('config.yaml')
      .replace('# A news service', '# <img src=x onerror=alert(1)> A news service')
      .replace('${DB_PASSWORD:news}', 'hunter2'),
  );
  outcome = await space.run(
    ...['test', '--coverage', '--coverage-lcov', 'lcov.info', '--coverage-html', 'coverage.html'],
    ...['--coverage-threshold', '50'],
  );
});

afterAll(() => {
  space.remove();
});

test('the page is named', () => {
  expect(outcome.stderr).toContain('coverage.html: written\n');
});

test('is printed for each operation, with the lines that nothing has reached', () => {
  expect(outcome.stdout.replace(/^[^]*?(?=Coverage)/, '').replace(/\n\d+ tests.*\n$/, ''))
    .toMatchInlineSnapshot(`
    "Coverage                      all  steps  conditions  responses  not reached in lines
    GET /news                  66.6 %    2/3         1/2        1/1  11
    POST /news                  0.0 %    0/2         0/4        0/1  33, 39, 42, 45, 53
    GET /news/{id}            100.0 %    2/2         2/2        1/1
    PUT /news/{id}              0.0 %    0/1         0/2        0/1  97, 106, 110
    DELETE /news/{id}           0.0 %    0/2         0/2        0/1  120, 125, 131, 135
    POST /news/{id}/comments    0.0 %    0/1           –        0/1  141, 152
    all operations             31.0 %   4/11        3/12        2/6"
  `);
});

test('fails below the threshold', () => {
  expect(outcome.status).toBe(1);
  expect(outcome.stderr).toContain('--coverage-threshold asks for 50 %.');
});

test('is an lcov file', () => {
  const lcov = space.read('lcov.info');
  expect(lcov).toMatch(/^TN:\nSF:config\.yaml\n/);
  const line = (text: string): number =>
    space
      .read('config.yaml')
      .split('\n')
      .findIndex((one) => one.includes(text)) + 1;
  // The condition of the first instruction never held, and the second instruction ran once.
  expect(lcov).toMatch(new RegExp(`^BRDA:${line('if: PARAM(q) != NULL()')},\\d+,0,0$`, 'm'));
  expect(lcov).toMatch(new RegExp(`^BRDA:${line('if: PARAM(q) != NULL()')},\\d+,1,1$`, 'm'));
  expect(lcov).toMatch(new RegExp(`^DA:${line('SELECT id, title, created FROM news ORDER BY id')},1$`, 'm'));
  expect(lcov).toContain('end_of_record\n');
});

test('is a page without secrets', () => {
  expect(space.read('config.yaml')).toContain('password: hunter2');
  expect(space.read('coverage.html')).toContain('password: *******');
  expect(space.read('coverage.html')).not.toContain('hunter2');
});

describe('in a browser', () => {
  test.each([
    ['a phone', 390, 'light'],
    ['a desk', 1280, 'dark'],
  ] as const)('on %s', async (_, width, colorScheme) => {
    const browser = await startBrowser();
    try {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith('file:')) problems.push(request.url());
      });
      await page.goto(pathToFileURL(space.path('coverage.html')).href);
      expect(await page.title()).toBe('Coverage of config.yaml');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.locator('.operations li').count()).toBe(6);
      expect(await page.locator('.row.is-part .note').nth(1).textContent()).toBe(
        'if of instruction 1 of news: true never, false once',
      );
      await page.locator('.operations a', { hasText: 'GET /news/{id}' }).click();
      expect(await page.locator('.row:target .note').textContent()).toBe('fulfillment news: 2 times');
      const rows = await page.locator('.row:visible').count();
      await page.locator('#missing').check();
      expect(await page.locator('.row.is-hit:visible').count()).toBeLessThanOrEqual(1);
      expect(await page.locator('.row.is-miss:visible').count()).toBeGreaterThan(0);
      await page.locator('#missing').uncheck();
      expect(await page.locator('.row:visible').count()).toBe(rows);
      await page.locator('summary').click();
      expect(await page.locator('.row:visible').count()).toBe(0);
      await page.locator('summary').click();
      if (process.env['SCREENSHOTS'] !== undefined)
        await page.screenshot({ path: `${process.env['SCREENSHOTS']}/coverage-${width}.png` });
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
