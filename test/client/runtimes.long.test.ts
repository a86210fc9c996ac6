/** The same calls through clients in Node, Bun, Deno and a page of another origin in Chromium. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { startBrowser } from '../helpers/browser.js';
import { fetchTools } from '../helpers/fetched-tool.js';
import { runFixture, type FixtureRun } from '../helpers/fixture-run.js';
import { translateServices } from '../helpers/service-build.js';
import { databasesOf, inputOf, withOwnFiles } from '../helpers/service-fixture.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { clientOf, javaScript } from './client-module.js';
import { callAll, type Clients } from './runtime-calls.js';

const services = ['saas', 'exports', 'files'];
const { fixtures } = await compiledFixtures((all) =>
  all.filter(({ name, database }) => services.includes(name) && database === 'postgresql'),
);

let folder: string;
let pages: Server;
let browser: Browser;
const runs = new Map<string, FixtureRun>();

/** A page that loads the modules, as a front end does. */
const page = `<!doctype html><script type="module">
import { callAll } from '/runtime-calls.mjs';
${services.map((name) => `import * as ${name} from '/${name}.mjs';`).join('\n')}
window.callAll = (urls) => callAll({ ${services.join(', ')} }, urls);
</script>`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-clients-'));
  const calls = readFileSync(new URL('runtime-calls.ts', import.meta.url), 'utf8');
  mkdirSync(join(folder, 'typescript'));
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, `${name}.mjs`), javaScript(text));
    writeFileSync(join(folder, 'typescript', `${name}.ts`), text);
  };
  write('runtime-calls', calls.replace(/^import type .*\n/m, 'type LooseClient = any;\n'));
  pages = createServer((request, response) => {
    const path = request.url ?? '/';
    const isModule = path.endsWith('.mjs');
    response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? readFileSync(join(folder, path.slice(1))) : page);
  });
  await new Promise<void>((resolve) => pages.listen(0, resolve));
  for (const { id, fixture, files = [] } of fixtures) {
    write(fixture.name, (await clientOf(inputOf(fixture), databasesOf(fixture))).text);
    const built = translateServices(`runtimes-${id}`, [{ name: id, files: withOwnFiles(files, fixture) }]);
    const environment = { ...fixture.environment, CORS_ORIGIN: originOf(pages) };
    const run = await runFixture(
      `runtimes-${id}`,
      { ...fixture, environment },
      files,
      built.get(id) ?? '',
      'UTC',
    );
    runs.set(fixture.name, run);
  }
  const postgres = await sharedPostgres();
  await postgres.exec(
    'fixture_runtimes_saas_postgresql',
    `INSERT INTO api_key (tenant, name, scopes, hash) VALUES ('kiln', 'test', '{invoices:write}',
     encode(sha256('kiln-writes-0123456789-0123456789-01'), 'hex'))`,
  );
  const orders = `INSERT INTO orders (id, name, price) VALUES (901, 'é', 1), (902, E'two\\nlines', 2)`;
  await postgres.exec('fixture_runtimes_exports_postgresql', orders);
  browser = await startBrowser();
}, 300_000);

afterAll(async () => {
  await browser.close();
  pages.close();
  for (const run of runs.values()) {
    await run.service.stop();
    await run.thirdParty.stop();
    await run.credentials.stop();
  }
  rmSync(folder, { recursive: true, force: true });
});

function originOf(server: Server): string {
  return `http://localhost:${String((server.address() as AddressInfo).port)}`;
}

function urls(): Record<string, string> {
  return Object.fromEntries([...runs].map(([name, run]) => [name, run.service.url]));
}

async function expected(): Promise<unknown> {
  const clients: Record<string, unknown> = {};
  for (const name of services) clients[name] = (await import(join(folder, `${name}.mjs`))) as unknown;
  return JSON.parse(JSON.stringify(await callAll(clients as unknown as Clients, urls())));
}

/** A program that prints the result. */
function program(modules: string): string {
  return `import { callAll } from '${modules.replace('NAME', 'runtime-calls')}';
${services.map((name) => `import * as ${name} from '${modules.replace('NAME', name)}';`).join('\n')}
console.log(JSON.stringify(await callAll({ ${services.join(', ')} }, ${JSON.stringify(urls())})));`;
}

test('Node', async () => {
  expect(await expected()).toMatchObject({
    numbers: [['K-1'], ['K-2'], ['K-3']],
    missing: [404, false, 'invoice_missing'],
    changed: [412, false],
    invoice: [{ id: 2, number: 'K-2', customer: 'Grace', amount: 80.5, state: 'open' }, true],
    csv: ['\ufeffnumber,customer,amount,state,created', 'K-1,Ada,120,paid,2026-01-05'],
    failed: 'FailedResponse',
    aborted: 'AbortError',
    stored: [201, { name: 'café.png', type: 'image/png', size: 4, title: 'café.png!' }],
    read: [200, 'image/png', [0, 255, 13, 10]],
    repeated: [3, 3, 1, 3, 1],
  });
});

test.each([
  ['Bun', '@oven/bun-linux-x64', '1.4.4', 'bin/bun', ['run']],
  ['Deno', '@deno/linux-x64-glibc', '2.9.6', 'deno', ['run', '--allow-net', '--no-check']],
])('%s, which runs TypeScript', { timeout: 300_000 }, async (name, tool, version, path, words) => {
  const tools = await fetchTools(join(folder, 'tools', name), { [tool]: version });
  const file = join(folder, 'typescript', `${name}.ts`);
  writeFileSync(file, program('./NAME.ts'));
  const args = [...words, file];
  const { stdout } = await promisify(execFile)(join(tools, tool, path), args, { cwd: folder });
  expect(JSON.parse(stdout)).toEqual(await expected());
});

test('Chromium, from another origin', async () => {
  const tab = await browser.newPage();
  await tab.goto(originOf(pages));
  await tab.waitForFunction('window.callAll !== undefined');
  const result = await tab.evaluate(`window.callAll(${JSON.stringify(urls())}).then(JSON.stringify)`);
  expect(JSON.parse(String(result))).toEqual(await expected());
  await tab.close();
});
