/**
 * The three packages of a release, published to a local registry: a new user creates a service with `npm create apikiln`, runs and changes it,
 * builds it and its image, and compiles in a program.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDocument } from '../documents/code-blocks.js';
import { freePort } from '../helpers/free-port.js';
import { repository } from '../helpers/service-fixture.js';
import { runConfined } from './confined.js';
import { buildImage } from './dockerfile.js';
import { LocalRegistry } from './local-registry.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-release-'));
const user = join(folder, 'My shop');
const packed = join(repository, 'dist/release');
let registry: LocalRegistry | undefined;
let environment: Record<string, string>;

async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const options = { cwd, env: environment, maxBuffer: 2 ** 26 };
  const { stdout, stderr } = await promisify(execFile)(program, args, options);
  return stdout + stderr;
}

/** The digests of the tarballs. */
function digests(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(packed).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(packed, name)))
        .digest('hex'),
    ]),
  );
}

async function pack(place: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const env = { ...environment, ...place };
  await promisify(execFile)('npm', ['run', 'release:pack'], { cwd: repository, env, maxBuffer: 2 ** 26 });
  return digests();
}

beforeAll(async () => {
  chmodSync(folder, 0o755);
  registry = await LocalRegistry.start(folder);
  // A cache of its own, because other tests may publish other bytes under the same version.
  environment = { ...registry.environment, npm_config_cache: join(folder, 'cache') };
});

afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

test('the tarballs have the same bytes in every time zone, with every locale, with a new PostgreSQL, and of two builds at the same time', async () => {
  const first = await pack({ TZ: 'UTC' });
  expect(Object.keys(first).map((name) => name.replace(/-\d.*$/, ''))).toEqual([
    'apikiln',
    'apikiln-runtime',
    'create-apikiln',
  ]);
  rmSync(join(repository, 'dist/postgres.json'));
  const atOnce = [
    pack({ TZ: 'Pacific/Apia', LC_ALL: 'tr_TR.UTF-8' }),
    promisify(execFile)('npm', ['run', 'build'], { cwd: repository }),
  ];
  await Promise.all(atOnce);
  expect(digests()).toEqual(first);
});

test('the tool is small: the tarball has less than 5.5 MB', () => {
  const [tool = ''] = readdirSync(packed).filter((name) => /^apikiln-\d/.test(name));
  expect(statSync(join(packed, tool)).size).toBeLessThan(5_500_000);
});

test('npm create, test, dev with a change, build, and the service', async () => {
  for (const name of ['apikiln-runtime', 'apikiln', 'create-apikiln']) {
    const [file = ''] = readdirSync(packed).filter(
      (one) => one.startsWith(`${name}-`) && /-\d/.exec(one)?.index === name.length,
    );
    await registry?.publish(join(packed, file));
  }
  const args = [join(repository, 'test/tasks/smoke.mjs'), '--create', user];
  expect(await run(folder, process.execPath, ...args)).toContain('The smoke run has passed.');
  const manifest = JSON.parse(readFileSync(join(user, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).toMatchObject({ name: 'my-shop', private: true });
  expect(Object.keys(manifest['devDependencies'] ?? {})).toEqual(['apikiln']);
});

test('npm create says in a sentence why a folder cannot be made', async () => {
  writeFileSync(join(folder, 'taken'), '');
  for (const path of ['taken', 'taken/below']) {
    const problem: unknown = await run(folder, 'npm', 'create', '--yes', 'apikiln', path).catch(
      (error: unknown) => error,
    );
    expect(problem).toMatchObject({
      stderr: expect.stringMatching(/^The service cannot be created: .*mkdir '.*taken/m) as string,
    });
    expect((problem as { readonly stderr: string }).stderr).not.toContain('    at ');
  }
});

test('npm create never overwrites a file, and passes options to init', async () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'package.json'), '{ "name": "mine", "version": "3.0.0" }\n');
  const create = (...args: string[]) => run(other, 'npm', 'create', '--yes', 'apikiln', '--', ...args);
  expect(await create('--syntax', 'b')).toContain('config.yaml: written');
  expect(JSON.parse(readFileSync(join(other, 'package.json'), 'utf8'))).toMatchObject({
    name: 'mine',
    version: '3.0.0',
  });
  expect(readFileSync(join(other, 'config.yaml'), 'utf8')).toContain(':[param.id]');
  await expect(create()).rejects.toMatchObject({
    stderr: expect.stringContaining('Nothing was written') as unknown,
  });
  expect(await create('--help')).toContain('npm create apikiln shop -- --syntax b');
});

test('the image of the service is built from its Dockerfile, and is healthy', async () => {
  const service = join(user, 'service');
  for (const name of ['node_modules', 'dist']) rmSync(join(service, name), { recursive: true });
  const image = await buildImage(readFileSync(join(service, 'Dockerfile'), 'utf8'), {
    context: service,
    target: join(folder, 'image'),
    environment,
  });
  const management = { MANAGEMENT_PORT: String(await freePort()) };
  const settings = {
    ...management,
    PORT: '0',
    // A service starts without its database, and is alive, but not ready.
    DATASOURCE_TASKSDB_URL: 'jdbc:postgresql://127.0.0.1:1/tasks',
    DATASOURCE_TASKSDB_USER: 'tasks',
    DATASOURCE_TASKSDB_PASSWORD: 'tasks',
  };
  const running = runConfined(image, [...image.entryPoint, ...image.command], settings);
  try {
    await running.until(/listening on/);
    expect(await runConfined(image, image.healthCheck, management).ended).toBe(0);
  } finally {
    running.child.kill('SIGTERM');
  }
  expect(await running.ended, running.printed).toBe(0);
});

test('the example of the library compiles with its declarations, and writes a service', async () => {
  const { blocks } = readDocument('docs/reference/library.md');
  const [example] = blocks.filter(({ language }) => language === 'ts');
  const own = join(user, 'library');
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(own, 'example.ts'), example?.text ?? '');
  const wrong = `${example?.text ?? ''}\nawait compile(config, { target: 'mars' });\n`;
  writeFileSync(join(own, 'wrong.ts'), wrong);
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const types = ['--typeRoots', join(repository, 'node_modules/@types')];
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const check = (file: string) => run(own, process.execPath, tsc, ...options, ...types, file);
  await check('example.ts');
  await expect(check('wrong.ts')).rejects.toMatchObject({
    stdout: expect.stringContaining(`'"mars"'`) as unknown,
  });
  await run(own, process.execPath, 'example.js');
  expect(readdirSync(join(own, 'service/src/operations'))).toEqual(['get-news-by-id.ts']);
});
