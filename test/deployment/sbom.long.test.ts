/** The bill of materials of a service and of the tool: `npm sbom` lists each installed package with its hash and licence. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesOf } from '../emit/compile-text.js';
import { repository } from '../helpers/service-fixture.js';
import { writeFiles } from '../helpers/write-files.js';
import { undeclaredLicences } from '../project/licences.js';
import { entriesConfig } from '../service/entries.js';
import { npmEnvironment } from './npm-environment.js';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly object[];
  /** npm marks development-only packages. */
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-sbom-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The components listed by npm for a folder with package.json and package-lock.json. */
async function componentsOf(path: string): Promise<readonly Component[]> {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const options = { cwd: path, env: npmEnvironment, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)('npm', args, options);
  return (JSON.parse(stdout) as { readonly components: readonly Component[] }).components;
}

/** Compares the installed packages with the lock file. */
async function expectWhole(path: string): Promise<void> {
  const { packages } = JSON.parse(readFileSync(join(path, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const wanted = Object.entries(packages).flatMap(([at, { version, dev }]) =>
    !at.startsWith('node_modules/') || dev === true || version === undefined
      ? []
      : [`${at.replace(/^.*node_modules\//, '')}@${version}`],
  );
  const found = (await componentsOf(path)).filter(({ properties = [] }) =>
    properties.every(({ name }) => name !== 'cdx:npm:package:development'),
  );
  const named = new Set(found.map(({ name, version }) => `${name}@${version}`));
  expect([...named].sort()).toEqual([...new Set(wanted)].sort());
  const incomplete = found.filter(
    ({ name, hashes = [], licenses = [] }) =>
      hashes.every(({ alg }) => alg !== 'SHA-512') ||
      (licenses.length === 0 && !undeclaredLicences.has(name)),
  );
  expect(incomplete.map(({ name }) => name)).toEqual([]);
}

test('of a service, its runtime included', async () => {
  const files = await filesOf(entriesConfig('postgresql'));
  writeFiles(
    folder,
    files.filter(({ path }) => /^package(?:-lock)?\.json$/.test(path)),
  );
  await expectWhole(folder);
  expect((await componentsOf(folder)).map(({ name }) => name)).toContain('@apikiln/runtime');
});

test('of the tool', async () => {
  const path = join(folder, 'tool');
  mkdirSync(path);
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(repository, name), join(path, name));
  await expectWhole(path);
});
