/** The overlay of `apikiln dev` in a real browser: it appears on an error, shows the lines of the error, and disappears after the fix. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../helpers/browser.js';
import { Workspace } from '../commands/workspace.js';
import { DevProcess } from './dev-process.js';

const space = new Workspace();
let browser: Browser;
let dev: DevProcess;

beforeAll(async () => {
  await space.run('init');
  browser = await startBrowser();
  dev = await DevProcess.start(space);
  await dev.until(/The service runs at/);
});
afterAll(async () => {
  await browser.close();
  await dev.stop();
  space.remove();
});

/** The screen position of a text; its beginning if it is not visible. Runs in the browser. */
const leftOf = `(node, text) => {
  const range = document.createRange();
  range.setStart(node.firstChild, Math.max(0, node.firstChild.data.indexOf(text)));
  range.collapse(true);
  return range.getBoundingClientRect().left;
}`;

const screens = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const operation = '#operations-default-get_tasks';

describe.each(Object.entries(screens))('on a %s', (_name, viewport) => {
  test('an error is shown with its lines, and removed when it is fixed', async () => {
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(120_000);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${dev.url}/docs-ui`);
    await page.waitForSelector(operation);
    const overlay = page.locator('apikiln-overlay section');
    expect(await overlay.count()).toBe(0);
    await page.evaluate('window.isSamePage = true');

    const config = space.read('config.yaml');
    await dev.save(
      space,
      'config.yaml',
      // A line wider than a phone's screen.
      config.replace('VALUE(count, $.total)', `VALUE(${' '.repeat(50)}cnt, $.total)`),
      /keeps running/,
    );
    await overlay.waitFor();
    expect(await overlay.locator('h1').textContent()).toBe('1 error');
    const text = await overlay.innerText();
    expect(text).toContain("Unknown fulfillment 'cnt'. [unknown-fulfillment]");
    expect(text).toMatch(/total: VALUE\( +cnt, \$\.total\)/);
    expect(text).toMatch(/\^\^\^/);
    expect(text).toContain("Write one of the fulfillments of this operation: 'tasks', 'count'");
    const left = (name: string): Promise<unknown> =>
      page.evaluate(
        `(${leftOf})(document.querySelector('apikiln-overlay').shadowRoot.querySelector('pre ${name}'), '^^^')`,
      );
    const [caret, head] = [await left('span'), await left('b')];
    expect(caret).toBeGreaterThan(0);
    expect(caret).toBeLessThan(viewport.width - 40);
    // The head keeps its position.
    expect(head).toBeGreaterThan(0);
    // The line with the error is wider than a phone's screen: the line scrolls, but the page does not.
    expect(
      await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    ).toBe(false);
    if (process.env.SCREENSHOTS !== undefined)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/overlay-${viewport.width}.png` });

    await dev.save(space, 'config.yaml', config);
    await overlay.waitFor({ state: 'detached' });
    expect(await page.evaluate('window.isSamePage')).toBe(true);

    const description = space.read('openapi.yaml');
    await dev.save(space, 'openapi.yaml', description.replace('title: Tasks', 'title: Other tasks'));
    await page.waitForSelector('.info .title:has-text("Other tasks")');
    await dev.save(space, 'openapi.yaml', description);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

const nightly = `
  close old tasks:
    triggers:
      - { name: nightly, cron: 0 0 3 * * *, timezone: Europe/Berlin }
    fulfillments:
      - name: closed
        type: UPDATE
        datasource: tasksdb
        instructions:
          - query: UPDATE task SET done = true WHERE title = 'Change an operation'
        exceptions:
          - { if: SIZE(PARAM(never)) > INTEGER(0), statuscode: 500, message: Never }
`;

describe.each(Object.entries(screens))('a timer on a %s', (_name, viewport) => {
  test('runs immediately by its button, which is removed with its operation', async () => {
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(120_000);
    await page.goto(`${dev.url}/docs-ui`);
    await page.waitForSelector(operation);
    const timers = page.locator('apikiln-timers');
    expect(await timers.count()).toBe(0);
    const config = space.read('config.yaml');
    await dev.save(space, 'config.yaml', config.replace('operations:\n', `operations:${nightly}`));
    await timers.locator('button').waitFor();
    expect(await timers.locator('div').innerText()).toContain('nightly (0 0 3 * * *, Europe/Berlin)');
    const isDone = async (): Promise<unknown> =>
      ((await (await fetch(`${dev.url}/tasks/2`)).json()) as { done: unknown }).done;
    expect(await isDone()).toBe(false);
    const from = dev.printed.length;
    await timers.locator('button').click();
    await timers.getByText(/ran in \d+ ms/).waitFor();
    expect(await isDone()).toBe(true);
    expect(await dev.until(/ran close old tasks .*\n.*\n/, from)).toContain(
      'closed: UPDATE task SET done = true',
    );
    expect(
      await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    ).toBe(false);
    if (process.env.SCREENSHOTS !== undefined) {
      await timers.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/timers-${viewport.width}.png` });
    }
    await dev.save(space, 'config.yaml', config);
    await timers.waitFor({ state: 'detached' });
    const seed = space.read('seed.sql');
    await dev.save(space, 'seed.sql', `${seed}\n`);
    await page.close();
  });
});

test('a timer is run by a request of the page alone', async () => {
  const config = space.read('config.yaml');
  const failing = nightly.replace('SIZE(PARAM(never)) > INTEGER(0)', 'PARAM(never) == NULL()');
  await dev.save(space, 'config.yaml', config.replace('operations:\n', `operations:${failing}`));
  const run = async (name: string, method: string, headers: Record<string, string>): Promise<unknown> => {
    const target = `${dev.url}/docs-ui/apikiln-dev/run?operation=${encodeURIComponent(name)}`;
    const response = await fetch(target, { method, headers });
    return [response.status, ((await response.json()) as { succeeded?: boolean }).succeeded];
  };
  const ours = { 'X-Apikiln-Dev': 'run' };
  const from = dev.printed.length;
  expect(await run('close old tasks', 'POST', ours)).toEqual([200, false]);
  await dev.until(/timed operation: an exception fired/, from);
  expect(await run('close old tasks', 'POST', {})).toEqual([403, undefined]);
  expect(await run('close old tasks', 'GET', ours)).toEqual([403, undefined]);
  expect(await run('GET /tasks', 'POST', ours)).toEqual([404, undefined]);
  await dev.save(space, 'config.yaml', config);
  expect(await run('close old tasks', 'POST', ours)).toEqual([404, undefined]);
});

test('what build writes has nothing of it', async () => {
  await space.run('build', '--out', 'out');
  for (const [path, text] of Object.entries(space.files('out')))
    expect(text.includes('apikiln-dev'), path).toBe(false);
});
