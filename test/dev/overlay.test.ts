/** The overlay of `apikiln dev` in a real browser: it comes with a mistake, shows its lines, and goes when it is corrected. */
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

const screens = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const operation = '#operations-default-get_tasks';

describe.each(Object.entries(screens))('on a %s', (_name, viewport) => {
  test('a mistake is shown with its lines, and gone when it is corrected', async () => {
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(60_000);
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
      config.replace('VALUE(count, $.total)', 'VALUE(cnt, $.total)'),
      /keeps running/,
    );
    await overlay.waitFor();
    expect(await overlay.locator('h1').textContent()).toBe('1 error');
    const text = await overlay.innerText();
    expect(text).toContain("Unknown fulfillment 'cnt'. [unknown-fulfillment]");
    expect(text).toContain('total: VALUE(cnt, $.total)');
    expect(text).toMatch(/\^\^\^/);
    expect(text).toContain("The fulfillments of this operation are 'tasks', 'count'");
    // The line with the mistake is longer than a phone is wide: it is scrolled by itself, and the page is not.
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

test('what build writes has nothing of it', async () => {
  await space.run('build', '--out', 'out');
  for (const [path, text] of Object.entries(space.files('out')))
    expect(text.includes('apikiln-dev'), path).toBe(false);
});
