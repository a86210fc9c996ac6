/** The Dockerfile of a service, executed step by step without a container engine; its command runs as the image's user. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesOf } from '../emit/compile-text.js';
import { freePort } from '../helpers/free-port.js';
import { writeFiles } from '../helpers/write-files.js';
import { entriesConfig } from '../service/entries.js';
import { ask, prepare, sharedServer } from '../service/services.js';
import { npmEnvironment } from './npm-environment.js';
import { runConfined } from './confined.js';
import { buildImage, type Image } from './dockerfile.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-docker-'));
const context = join(folder, 'service');
let image: Image;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  const files = await filesOf(entriesConfig('postgresql'));
  writeFiles(context, files);
  const dockerfile = files.find(({ path }) => path === 'Dockerfile')?.text ?? '';
  image = await buildImage(dockerfile, {
    context,
    target: join(folder, 'image'),
    environment: { ...npmEnvironment, npm_config_prefer_offline: 'true', npm_config_audit: 'false' },
  });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('the image holds what runs, and neither sources nor settings nor what only builds need', () => {
  expect(readdirSync(join(image.root, image.workingDirectory)).sort()).toEqual([
    'dist',
    'node_modules',
    'package.json',
  ]);
  const packages = readdirSync(join(image.root, image.workingDirectory, 'node_modules'));
  expect(packages).toContain('pg');
  expect(packages).not.toContain('typescript');
  expect([image.user, image.ports]).toEqual(['1000:1000', ['8080']]);
});

test('its command responds as a user who may write nothing, is healthy, and ends with 0 when it is asked to', async () => {
  const variables = await prepare(await sharedServer.postgresql(), 'postgresql', 'deployment_docker');
  const management = { MANAGEMENT_PORT: String(await freePort()) };
  const running = runConfined(image, [...image.entryPoint, ...image.command], {
    ...variables,
    ...management,
    PORT: '0',
  });
  try {
    const [, port = ''] = await running.until(/listening on http:\/\/localhost:(\d+)/);
    const url = `http://127.0.0.1:${port}`;
    expect((await ask(url, 'POST', '/entries', { tag: 'a', amount: 1 })).status).toBe(201);
    expect((await ask(url, 'GET', '/entries/a')).body).toEqual({ tag: 'a', amount: 1 });
    const check = runConfined(image, image.healthCheck, management);
    expect(await check.ended).toBe(0);
  } finally {
    running.child.kill('SIGTERM');
  }
  expect(await running.ended).toBe(0);
  expect(await runConfined(image, image.healthCheck, management).ended).toBe(1);
});

test('with package-lock.json the image has exactly those packages', async () => {
  const lock = join(context, 'package-lock.json');
  writeFileSync(lock, '{ "lockfileVersion": 3, "packages": { "": {} } }\n');
  const { text = '' } =
    (await filesOf(entriesConfig('postgresql'))).find(({ path }) => path === 'Dockerfile') ?? {};
  const again = buildImage(text, { context, target: join(folder, 'locked'), environment: npmEnvironment });
  await expect(again).rejects.toThrow(
    /npm ci.*can only install packages when your package.json and package-lock.json/s,
  );
});
