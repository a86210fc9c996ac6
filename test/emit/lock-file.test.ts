/** package-lock.json of generated services: what npm would write, for the packages tested in this repository. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { repository } from '../helpers/service-fixture.js';
import { folderOf, lockedPackages, type Lock } from '../tasks/locked-packages.mjs';
import { assets } from './compile-text.js';

const own = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lock;

const { fixtures } = await compiledFixtures();

test('templates/packages.json has the packages of this repository: npm run packages', () => {
  expect(assets.packages).toEqual(lockedPackages(own));
});

test('no package manager asks a registry for the runtime', () => {
  const [{ files = [] } = {}] = fixtures;
  const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? '';
  const { name, integrity } = assets.runtime;
  const { dependencies } = JSON.parse(textOf('package.json')) as Record<string, object>;
  expect(dependencies).toMatchObject({ '@apikiln/runtime': `file:vendor/${name}` });
  const { packages } = JSON.parse(textOf('package-lock.json')) as Lock;
  expect(packages['node_modules/@apikiln/runtime']).toMatchObject({
    resolved: `file:vendor/${name}`,
    integrity,
  });
});

describe.each(fixtures)('$id', ({ files = [] }) => {
  test('everything that is needed is locked, with its digest and no address, and nothing else', () => {
    const text = files.find(({ path }) => path === 'package-lock.json')?.text ?? '{}';
    const { packages } = JSON.parse(text) as Lock;
    expect(text).not.toMatch(/https?:\/\/registry|"resolved": "http/);
    const needed = new Set(['', 'node_modules/@apikiln/runtime']);
    const follow = (folder: string, withDevelopment: boolean): void => {
      const entry = packages[folder] ?? {};
      const { dependencies, devDependencies, optionalDependencies, peerDependencies } = entry;
      const tables = { ...dependencies, ...optionalDependencies, ...(withDevelopment && devDependencies) };
      const peers = Object.keys(peerDependencies ?? {}).filter(
        (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
      );
      for (const name of [...Object.keys(tables), ...peers]) {
        const target = folderOf(packages, folder, name);
        expect(target, `${folder} needs ${name}`).toBeDefined();
        if (target === undefined || needed.has(target)) continue;
        needed.add(target);
        follow(target, false);
      }
    };
    follow('', true);
    expect(Object.keys(packages).sort()).toEqual([...needed].sort());
    for (const [folder, { version, integrity }] of Object.entries(packages)) {
      if (!folder.startsWith('node_modules/') || folder.endsWith('@apikiln/runtime')) continue;
      expect({ version, integrity }, folder).toEqual({
        version: own.packages[folder]?.version,
        integrity: own.packages[folder]?.integrity,
      });
    }
  });
});
