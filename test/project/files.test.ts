/** Rules about the form of files, and a check for unused files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, packageOf } from '../../compiler/generate/emit/module/imports.js';
import { packagesOfParts } from '../../compiler/generate/emit/service/runtime-parts.js';
import {
  developmentVersions,
  packageVersions,
  typePackages,
} from '../../compiler/generate/emit/service/package-json.js';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { runtimePaths } from '../helpers/type-check.js';
import { repository } from '../helpers/service-fixture.js';
import { filesBelow, sourcesBelow } from './sources.js';

const product = [...sourcesBelow('compiler'), ...sourcesBelow('runtime')];

const runtimeManifest = readJson('runtime/package.json') as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, unknown>>;
};

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(repository, path), 'utf8'));
}

describe('a source file', () => {
  test('begins with one doc comment of what it is for', () => {
    const others = [...product, ...sourcesBelow('test'), ...sourcesBelow('templates')].filter(
      ({ text }) => !/^(?:#!.*\n)?\/\*\*[^]*?\*\/\n/.test(text),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  test('has a descriptive name', () => {
    const empty = /^(?:utils?|helpers?|commons?|types?|misc|shared)\.ts$/;
    expect(product.filter(({ path }) => empty.test(basename(path))).map(({ path }) => path)).toEqual([]);
  });

  test('suppresses nothing and leaves nothing to do', () => {
    const words = /@ts-|eslint-disable|prettier-ignore|\bTODO\b|\bFIXME\b|\bas any\b/;
    expect(product.filter(({ text }) => words.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('of the compiler creates no report to discard it: attempts have a Trial, what is for later a Recording', () => {
    const makers = sourcesBelow('compiler').filter(({ text }) => /\bnew Report\(/.test(text));
    expect(makers.map(({ path }) => path)).toEqual([
      'compiler/analyze/describe/read-generated.ts',
      'compiler/compile.ts',
      'compiler/tools/commands/init/init-description.ts',
      'compiler/tools/commands/init/init-third-party.ts',
      'compiler/tools/describe.ts',
      'compiler/tools/init/as-meant.ts',
      'compiler/tools/testing/read/read-stub-file.ts',
      'compiler/tools/testing/read/read-tests.ts',
    ]);
  });

  test('of the tests skips nothing and runs nothing alone', () => {
    const marks = /\b(?:test|describe|it)(?:\.\w+)*\.(?:only|skip|todo|fails)\b/;
    const tests = sourcesBelow('test').filter(({ path }) => !path.startsWith('test/project/'));
    expect(tests.filter(({ text }) => marks.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('versions', () => {
  const manifest = readJson('package.json') as Record<
    'dependencies' | 'devDependencies' | 'optionalDependencies',
    Record<string, string>
  >;
  const lock = readJson('package-lock.json') as { packages: Record<string, { version: string }> };
  const peers = Object.keys(runtimeManifest.peerDependencies);
  const generated = Object.assign(
    packageVersions([...peers, 'express']),
    developmentVersions,
    ...Object.values(typePackages),
  ) as Record<string, string>;

  test('the packages have one version, and the runtime accepts newer minor versions of its packages', () => {
    const versions = ['package.json', 'runtime/package.json', 'compiler/tools/create/package.json'].map(
      (path) => (readJson(path) as { version: string }).version,
    );
    expect(new Set(versions).size).toBe(1);
    for (const [name, range] of Object.entries(runtimeManifest.peerDependencies))
      expect(range).toBe(`^${generated[name] ?? ''}`);
    const { peerDependenciesMeta } = runtimeManifest;
    expect(Object.keys(peerDependenciesMeta)).toEqual(peers.filter((name) => name !== 'pino'));
  });

  test.each(Object.entries(generated))('%s %s of a service is what the tests run with', (name, version) => {
    expect({ ...manifest.dependencies, ...manifest.devDependencies }[name]).toBe(version);
    expect(lock.packages[`node_modules/${name}`]?.version).toBe(version);
  });

  test('the tool has the native parts of the formatter that it contains', () => {
    const { optionalDependencies } = readJson('node_modules/oxfmt/package.json') as {
      readonly optionalDependencies: Record<string, string>;
    };
    expect(manifest.optionalDependencies).toEqual(optionalDependencies);
  });

  test('are exact', () => {
    for (const version of Object.values({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...generated,
    }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(?:-beta\.\d+)?$/);
  });
});

describe('nothing is dead', () => {
  test('every part of the runtime is in some service of the fixtures', async () => {
    const { fixtures } = await compiledFixtures();
    const imported = fixtures.flatMap(({ files = [] }) =>
      files.filter(({ path }) => path.startsWith('src/')).flatMap(({ text }) => partsIn(text)),
    );
    // Only services run by `apikiln test` load the testing parts, and only services whose user code imports it load knex.
    const others = ['./knex', './tested-smtp', './testing', './package.json'];
    expect([...new Set([...imported, ...others])].sort()).toEqual(
      Object.keys(runtimeManifest.exports).sort(),
    );
  });

  test('every file of the runtime is reached from its exports', () => {
    const reached = new Set(Object.values(runtimePaths).flatMap(([path = '']) => reachedFrom(path)));
    const all = filesBelow('runtime').filter((path) => path.endsWith('.ts'));
    expect(all.filter((path) => !reached.has(path))).toEqual([]);
  });

  test('each part of the runtime loads the packages that services with it have', () => {
    const loaded = Object.entries(runtimePaths).map(([name, [path = '']]) => {
      const packages = reachedFrom(path, loadedIn).flatMap((file) => packagesIn(readFileSync(file, 'utf8')));
      return [name.slice('@apikiln/runtime/'.length) || '.', [...new Set(packages)].sort()] as const;
    });
    const own = (packages: readonly string[]): readonly string[] =>
      packages.filter((name) => name !== 'pino');
    for (const [part, packages] of loaded) expect(own(packages), part).toEqual(packagesOfParts[part] ?? []);
    expect(Object.keys(packagesOfParts).filter((part) => !(`./${part}` in runtimeManifest.exports))).toEqual(
      [],
    );
  });

  test('every template is in some service of the fixtures', async () => {
    const { templates: asked } = await compiledFixtures();
    // The tool explains codes of diagnostics, editors read the schema, and clients and other commands have separate templates.
    const templates = filesBelow('templates')
      .map((path) => path.replace(/^templates\//, ''))
      .filter(
        (path) =>
          !/^(?:client|explanations|starter|login|dev)\//.test(path) && !path.endsWith('.schema.json'),
      );
    // Lock files are generated from it for every service.
    expect([...asked, 'packages.json'].sort()).toEqual(templates.sort());
  });

  test('a service has only the database that it uses', async () => {
    for (const { fixture, files = [] } of (await compiledFixtures()).fixtures) {
      const { database } = fixture;
      // The lock file includes the runtime's peer dependencies.
      const read = files.filter(({ path }) => path !== 'package-lock.json');
      const all = read.map(({ path, text }) => `${path}\n${text}`).join('\n');
      const [own, other] = database === 'postgresql' ? ['pg', 'mysql2'] : ['mysql2', 'pg'];
      if (fixture.config.includes('type: db')) expect(all).toContain(`"${own}": "`);
      expect(all).not.toContain(`"${other}": "`);
      expect(all).not.toMatch(new RegExp(`from '${other}(?:/promise)?'`));
    }
  });

  test('a service imports no part of the runtime that its configuration does not name', async () => {
    const named: Readonly<Record<string, RegExp>> = {
      './postgres': /type: db/,
      './mysql': /type: db/,
      './rest': /type: rest/,
      './outbox': /outbox:/,
      './smtp': /type: smtp/,
      './jwt': /type: jwt/,
      './apikey': /type: apikey/,
      './basicauth': /type: basicauth/,
      './schedule': /triggers:/,
    };
    const absent = new Set<string>();
    for (const { fixture, files = [] } of (await compiledFixtures()).fixtures) {
      // Operations in included files may use parts that the main file does not name.
      if (/^include:/m.test(fixture.config)) continue;
      const parts = files.filter(({ path }) => path.startsWith('src/')).flatMap(({ text }) => partsIn(text));
      expect(parts).not.toContain(fixture.database === 'postgresql' ? './mysql' : './postgres');
      for (const [part, words] of Object.entries(named)) {
        if (words.test(fixture.config)) continue;
        expect(parts, fixture.name).not.toContain(part);
        absent.add(part);
      }
    }
    expect([...absent].sort()).toEqual(Object.keys(named).sort());
  });
});

describe('CONTRIBUTING.md is a map that is true', () => {
  const text = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8');
  const folders = ['compiler', 'runtime'].flatMap((folder) => [
    folder,
    ...readdirSync(join(repository, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${folder}/${entry.name}`),
  ]);

  test.each(folders)('it names %s', (folder) => {
    expect(text).toMatch(new RegExp(`\`${folder}/?\``));
  });

  const named = [...text.matchAll(/`([\w./-]+(?:\.ts|\.mjs|\.md|\.sql|\.yaml|\/))`/g)].map(
    (match) => match[1] ?? '',
  );
  const all = ['compiler', 'runtime', 'test', 'templates', 'fixtures'].flatMap(filesBelow);

  test.each([...new Set(named)])('it is there: %s', (path) => {
    const isThere = existsSync(join(repository, path)) || all.some((file) => file.includes(`/${path}`));
    expect(isThere, path).toBe(true);
  });
});

/** The exports of the runtime imported by a generated module, as named in the runtime's package.json. */
function partsIn(text: string): string[] {
  return importsOf(text).flatMap((name) =>
    packageOf(name) === '@apikiln/runtime' ? [`.${name.slice('@apikiln/runtime'.length)}`] : [],
  );
}

/** A module without type imports, which do not load anything. */
function loadedIn(text: string): string {
  return text.replaceAll(/^(?:import|export) type [^;]*;$/gm, '');
}

/** The packages loaded by a module of the runtime. */
function packagesIn(text: string): string[] {
  return importsOf(loadedIn(text)).flatMap((name) => packageOf(name) ?? []);
}

/** The file and all files reachable through imports; `read` removes text that must be ignored. */
function reachedFrom(path: string, read = (text: string): string => text): string[] {
  const found = new Set([relative(repository, path)]);
  for (const file of found)
    for (const target of importsOf(read(readFileSync(file, 'utf8'))))
      if (target.startsWith('.')) found.add(join(dirname(file), target.replace(/\.js$/, '.ts')));
  return [...found];
}
