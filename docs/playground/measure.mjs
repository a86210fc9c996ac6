/**
 * `npm run measure --prefix docs`: bytes (compressed) and milliseconds of the built playground in Chromium, which must be in PATH: until
 * the first diagnostics, until those of PostgreSQL, until the first response, and from a key to diagnostics for the service `saas`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { chromium } from '../../node_modules/playwright-core/index.mjs';
import { serveSite } from '../site/serve.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const keys = 50;

const server = await serveSite(join(repository, 'docs/dist/site'), 0);
const browser = await chromium.launch({
  executablePath: execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
/** The bytes of each response, with the time of its request. The cache of the browser needs no response. */
const responses = [];
server.prependListener('request', (_, response) => {
  const time = Date.now();
  const end = response.end.bind(response);
  response.end = (bytes) => {
    responses.push({ time, bytes: bytes?.length ?? 0 });
    return end(bytes);
  };
});
await page.addInitScript(noteFirst);
const url = `http://127.0.0.1:${server.address().port}/`;

const start = Date.now();
await page.goto(url);
await report('first diagnostics', '#status[data-state]');
await report('diagnostics of PostgreSQL', '#status[data-state=whole]');
await page.click('#send');
await report('first response', '#response-status[data-state=done]');

await page.goto('about:blank');
await page.goto(`${url}#${stateOf('saas')}`);
await page.waitForSelector('#status[data-state=whole]');
console.log(`key to diagnostics, saas, median of ${keys}: ${await keyTimes('message: ', 'quick')} ms`);
console.log(`key in a statement to those of PostgreSQL, saas: ${await keyTimes('SELECT ', 'whole')} ms`);
await browser.close();
server.close();

async function report(what, selector) {
  await page.waitForSelector(selector);
  const end = await page.evaluate((name) => globalThis.firsts[name], selector);
  const bytes = responses.filter(({ time }) => time < end).reduce((sum, one) => sum + one.bytes, 0);
  console.log(`${what}: ${(bytes / 1000).toFixed(0)} kB, ${(end - start).toFixed(0)} ms`);
}

/** In the page: `firsts` has the time at which each selector first matched. */
function noteFirst() {
  const { document, MutationObserver } = globalThis;
  const selectors = ['#status[data-state]', '#status[data-state=whole]', '#response-status[data-state=done]'];
  globalThis.firsts = {};
  new MutationObserver(() => {
    for (const one of selectors)
      if (document.querySelector(one) !== null) globalThis.firsts[one] ??= Date.now();
  }).observe(document, { attributes: true, childList: true, subtree: true });
}

/** The state of the page with the sources of a fixture. */
function stateOf(name) {
  const read = (file) => readFileSync(join(repository, 'fixtures/services', name, file), 'utf8');
  const files = ['config.yaml', 'openapi.yaml', 'schema.sql', 'seed.sql'];
  const changed = Object.fromEntries(files.map((file) => [file, read(file)]));
  return deflateRawSync(JSON.stringify({ example: 'news', changed })).toString('base64url');
}

/** Types keys after a text of the editor. Returns the median milliseconds until diagnostics in a state. */
async function keyTimes(text, state) {
  await page.locator('#source .cm-content').click();
  await page.keyboard.press('Control+f');
  const search = page.locator('.cm-search input[name=search]');
  await search.fill(text);
  await search.dispatchEvent('change');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowRight');
  const times = [];
  for (let index = 0; index < keys; index += 1) {
    await page.evaluate(waitForState, state);
    await page.keyboard.press(state === 'whole' ? '1' : 'x');
    times.push(await page.evaluate('measured'));
    await page.waitForSelector('#status[data-state=whole]');
  }
  return times.sort((one, other) => one - other)[keys / 2].toFixed(0);
}

/** In the page: `measured` becomes the time from the next key until the state. */
function waitForState(state) {
  const { document, performance: clock, MutationObserver } = globalThis;
  const status = document.getElementById('status');
  let begin = 0;
  document.addEventListener('keydown', () => (begin = clock.now()), { capture: true, once: true });
  delete status.dataset.state;
  globalThis.measured = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (begin === 0 || status.dataset.state !== state) return;
      observer.disconnect();
      resolve(clock.now() - begin);
    });
    observer.observe(status, { attributes: true });
  });
}
