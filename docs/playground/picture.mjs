/** `npm run picture --prefix docs`: the picture of the built playground in the README, taken in Chromium, which must be in PATH. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '../../node_modules/playwright-core/index.mjs';
import { serveSite } from '../site/serve.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const server = await serveSite(join(repository, 'docs/dist/site'), 0);
const browser = await chromium.launch({
  executablePath: execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.waitForSelector('#status[data-state=whole]');
// The first response waits for its statement to be prepared.
for (let index = 0; index < 2; index += 1) {
  await page.click('#send');
  await page.waitForSelector('#response-status[data-state=done]');
}
await page.screenshot({ path: join(repository, '.github/playground.png') });
await browser.close();
server.close();
