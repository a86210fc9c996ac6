/** `build --runtime registry`: the tool's tarball is published to a local registry, from which a service and its image install it. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { buildWhole, expectWhole, prepareWhole } from '../service/whole-service.js';
import { runConfined } from './confined.js';
import { buildImage } from './dockerfile.js';
import { LocalRegistry } from './local-registry.js';
import { npmEnvironment } from './npm-environment.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-registry-'));
let registry: LocalRegistry | undefined;
let service: string;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  registry = await LocalRegistry.start(folder);
  await registry.publishRuntime();
  service = await buildWhole(folder, { runtime: 'registry' });
});

afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('npm ci takes it by the digest of package-lock.json from the registry that .npmrc names, and the image runs', async () => {
  expect(readdirSync(service)).not.toContain('vendor');
  writeFileSync(join(service, '.npmrc'), `@apikiln:registry=${registry?.url ?? ''}\n`);
  const lock = readFileSync(join(service, 'package-lock.json'), 'utf8');
  const image = await buildImage(readFileSync(join(service, 'Dockerfile'), 'utf8'), {
    context: service,
    target: join(folder, 'image'),
    environment: npmEnvironment,
  });
  expect(readdirSync(join(image.root, image.workingDirectory))).not.toContain('.npmrc');
  expect(readFileSync(join(folder, 'image/build/service/package-lock.json'), 'utf8')).toBe(lock);
  const settings = await prepareWhole('service_registry');
  const running = runConfined(image, [...image.entryPoint, ...image.command], {
    ...settings,
    PORT: '0',
    MANAGEMENT_PORT: String(await freePort()),
  });
  try {
    const [, port = ''] = await running.until(/listening on http:\/\/localhost:(\d+)/);
    await expectWhole(`http://127.0.0.1:${port}`);
  } finally {
    running.child.kill('SIGTERM');
  }
  expect(await running.ended, running.printed).toBe(0);
});

test('npm ci refuses a package of other bytes under this version', async () => {
  const lock = readFileSync(join(service, 'package-lock.json'), 'utf8');
  const changed = lock.replace(
    /(@apikiln\/runtime[^}]*?"integrity": "sha512-)(.)/,
    (_, before: string, first: string) => `${before}${first === 'A' ? 'B' : 'A'}`,
  );
  expect(changed).not.toBe(lock);
  writeFileSync(join(service, 'package-lock.json'), changed);
  const again = promisify(execFile)('npm', ['ci'], { cwd: service, env: npmEnvironment });
  await expect(again).rejects.toThrow(/EINTEGRITY/);
});
