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
import { entriesConfig } from '../service/entries.js';
import { npmEnvironment } from './npm-environment.js';

interface Component {
  readonly name: string;
  readonly version: string;
  /** The address of the package: of the runtime the only text with its whole name. */
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly object[];
  /** npm marks what is for development only. */
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

/** What npm lists of a folder with package.json and package-lock.json, the own packages aside. */
async function componentsOf(path: string): Promise<readonly Component[]> {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const options = { cwd: path, env: npmEnvironment, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)('npm', args, options);
  const { components } = JSON.parse(stdout) as { readonly components: readonly Component[] };
  return components.filter(({ purl }) => !purl.startsWith('pkg:npm/%40apikiln/'));
}

/** Compares those that run with the lock file beside. */
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

test('of a service', async () => {
  for (const { path, text } of await filesOf(entriesConfig('postgresql'))) {
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
