/** The bill of materials of a service, and of the tool: `npm sbom` lists each package that runs there, with its digest and its licence. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesOf } from '../emit/compile-text.js';
import { repository } from '../helpers/service-fixture.js';
import { undeclaredLicences } from '../project/licences.js';
import { npmEnvironment } from './npm-environment.js';

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly object[];
}

interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-sbom-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What npm lists of a folder with package.json and package-lock.json. */
async function componentsOf(path: string): Promise<readonly Component[]> {
  const args = ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx'];
  const { stdout } = await promisify(execFile)('npm', args, {
    cwd: path,
    env: npmEnvironment,
    maxBuffer: 2 ** 26,
  });
  return (JSON.parse(stdout) as { readonly components: readonly Component[] }).components;
}

/** Compares them with the lock file beside. */
async function expectWhole(path: string): Promise<void> {
  const { packages } = JSON.parse(readFileSync(join(path, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const wanted = Object.entries(packages).flatMap(([at, { version, dev, devOptional }]) =>
    !at.startsWith('node_modules/') || dev === true || devOptional === true || version === undefined
      ? []
      : [`${at.replace(/^.*node_modules\//, '')}@${version}`],
  );
  const found = (await componentsOf(path)).filter(({ name }) => name !== 'runtime');
  const named = found.map(({ name, version }) => `${name}@${version}`);
  expect([...new Set(named)].filter((name) => !name.startsWith('@apikiln/')).sort()).toEqual(
    [...new Set(wanted)].sort(),
  );
  const incomplete = found.filter(
    ({ name, hashes = [], licenses = [] }) =>
      !name.startsWith('@apikiln/') &&
      (hashes.every(({ alg }) => alg !== 'SHA-512') ||
        (licenses.length === 0 && !undeclaredLicences.has(name))),
  );
  expect(incomplete.map(({ name }) => name)).toEqual([]);
}

test('of a service', async () => {
  const config = readFileSync(join(repository, 'fixtures/services/integrations/config.yaml'), 'utf8');
  for (const { path, text } of await filesOf(config)) {
    if (!/^(?:runtime\/)?package(?:-lock)?\.json$/.test(path)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await expectWhole(folder);
});

test('of the tool', async () => {
  const path = join(folder, 'tool');
  mkdirSync(path);
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(repository, name), join(path, name));
  await expectWhole(path);
});
