/** All packages installed by the tool and by generated services may be used and redistributed freely. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { permissive, undeclaredLicences } from './licences.js';

interface Package {
  readonly license?: string;
  readonly dev?: boolean;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(repository, path), 'utf8'));
}

const { packages: own } = readJson('package-lock.json') as { readonly packages: Record<string, Package> };
const tool = Object.fromEntries(
  Object.entries(own).filter(([path, { dev }]) => path.startsWith('node_modules/') && dev !== true),
);
const service = readJson('templates/packages.json') as Record<string, Package>;

describe.each([
  { name: 'the tool', packages: tool },
  { name: 'a service', packages: service },
])('what $name installs', ({ packages }) => {
  test('has a permissive licence', () => {
    expect(Object.keys(packages).length).toBeGreaterThan(20);
    const others = Object.entries(packages).flatMap(([path, { license }]) => {
      const name = path.replace(/^.*node_modules\//, '');
      const licence = license ?? undeclaredLicences.get(name) ?? 'none';
      return permissive.has(licence) ? [] : [`${name}: ${licence}`];
    });
    expect(others).toEqual([]);
  });
});

test.each([...undeclaredLicences])('%s has the licence that is noted here: %s', (name, licence) => {
  const { licenses = [] } = readJson(`node_modules/${name}/package.json`) as {
    readonly licenses?: readonly { readonly type: string }[];
  };
  expect(licenses.map(({ type }) => type)).toEqual([licence]);
});
