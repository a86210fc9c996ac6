/**
 * Later package versions, as required by a security advisory, with each package manager: the runtime loads them, and the next build keeps
 * them.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LocalRegistry } from '../deployment/local-registry.js';
import { repository } from '../helpers/service-fixture.js';
import { fetchManagers, ManagedService, managers, usingRegistry } from './package-managers.js';
import { buildWhole } from './whole-service.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-patched-'));
const names = Object.keys(managers);
let registry: LocalRegistry | undefined;
let tools: string;
let environment: Record<string, string>;

/** The version after the installed one. pg requires an exact version of pg-types, so the later version is out of range. */
const patched = Object.fromEntries(
  ['pg', 'pg-types'].map((name) => {
    const path = join(repository, 'node_modules', name, 'package.json');
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
    return [name, version.replace(/\d+$/, (patch) => String(Number(patch) + 1))];
  }),
);

beforeAll(async () => {
  registry = await LocalRegistry.start(folder);
  for (const [name, version] of Object.entries(patched)) {
    const copy = join(folder, 'published', name);
    cpSync(join(repository, 'node_modules', name), copy, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as object;
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, version, scripts: {} }));
    await registry.publish(copy, 'patched');
  }
  tools = await fetchManagers(join(folder, 'managers'), names);
  environment = usingRegistry(registry.url);
});

afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.each(Object.entries(managers))('%s', async (name, manager) => {
  const place = join(folder, name.replaceAll(/\W/g, ''));
  mkdirSync(place);
  const service = new ManagedService(await buildWhole(place), manager, tools, environment);
  await service.install();
  expect((await service.loaded()).pg).not.toBe(patched['pg']);

  service.edit((manifest) => {
    Object.assign(manifest['dependencies'] as object, { pg: patched['pg'] });
  });
  service.force('pg-types', patched['pg-types'] ?? '');
  service.approve(Object.keys(patched));
  await service.install();
  const expected = { pg: patched['pg'], pgTypes: patched['pg-types'] };
  expect(await service.loaded()).toMatchObject(expected);

  await buildWhole(place);
  await service.installAnew();
  expect(await service.loaded()).toMatchObject(expected);
});
