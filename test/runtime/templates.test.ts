/** The templates with the runtime's sources make a service that compiles under their own strict settings, and runs. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emitMain } from '../../compiler/emit/main.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'service-'));
const source = join(folder, 'src');

const modules = {
  'datasources.ts': 'export const datasources: [] = [];\n',
  'router.ts': [
    "import { createRouter } from './runtime/http/router.js';",
    "import { getNews } from './operations/get-news.js';",
    "export const router = createRouter([{ method: 'GET', path: '/news/{id}', handler: getNews }]);",
    '',
  ].join('\n'),
  'operations/get-news.ts': [
    "import { equal, every, fail, get, reply, size, type Call, type Reply, type Row } from '../runtime/index.js';",
    'export function getNews(call: Call): Reply {',
    "  const news: Row[] = [{ id: '5', title: 'one' }];",
    "  if (!equal(call.param('id'), get(news, 'id')) || size(news) <= 0) throw fail(404, 'No such news');",
    "  return reply(200, { title: news[0]?.title ?? null, ids: get(news, every, 'id') });",
    '}',
    '',
  ].join('\n'),
};

beforeAll(() => {
  mkdirSync(join(source, 'operations'), { recursive: true });
  cpSync(join(root, 'runtime'), join(source, 'runtime'), {
    recursive: true,
    filter: (path) => !/\/(?:sql|trace|test-page)$/.test(path),
  });
  copyFileSync(join(root, 'templates/app.ts'), join(source, 'app.ts'));
  writeFileSync(
    join(source, 'main.ts'),
    emitMain({ configName: 'config.yaml', authentications: false, schedule: false, testPage: false }),
  );
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(source, name), text);
  copyFileSync(join(root, 'templates/tsconfig.json'), join(folder, 'tsconfig.json'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('it compiles, starts, answers and stops', async () => {
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
    stdio: 'inherit',
  });
  writeFileSync(join(folder, '.env'), 'PORT=0\nHOST=127.0.0.1\n');

  const service = spawn(process.execPath, [join(folder, 'dist/main.js')], { env: {} });
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  const url = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line.toString())?.[1] ?? '';

  expect(await (await fetch(`${url}/news/5`)).json()).toEqual({ title: 'one', ids: ['5'] });
  expect((await fetch(`${url}/news/6`)).status).toBe(404);
  const missing = await fetch(`${url}/nothing`);
  expect([missing.status, await missing.text(), missing.headers.get('x-powered-by')]).toEqual([
    404,
    '{"message":"Not Found"}',
    null,
  ]);

  service.kill('SIGTERM');
  expect(await once(service, 'close')).toEqual([0, null]);
});
