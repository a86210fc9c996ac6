/** How files look, and that none of them is dead. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAssets } from '../../compiler/generate/assets.js';
import {
  developmentVersions,
  packageVersions,
  typePackages,
} from '../../compiler/generate/emit/service/package-json.js';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { repository } from '../helpers/service-fixture.js';
import { filesBelow, sourcesBelow } from './sources.js';

const product = [...sourcesBelow('compiler'), ...sourcesBelow('runtime')];

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
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const lock = readJson('package-lock.json') as { packages: Record<string, { version: string }> };
  const generated = Object.assign(
    {},
    packageVersions,
    developmentVersions,
    ...Object.values(typePackages),
  ) as Record<string, string>;

  test.each(Object.entries(generated))('%s %s of a service is what the tests run with', (name, version) => {
    expect({ ...manifest.dependencies, ...manifest.devDependencies }[name]).toBe(version);
    expect(lock.packages[`node_modules/${name}`]?.version).toBe(version);
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
  test('every template and every file of the runtime is in some service of the fixtures', async () => {
    const { fixtures, templates: asked } = await compiledFixtures();
    const paths = new Set(fixtures.flatMap(({ files = [] }) => files.map(({ path }) => path)));
    // Only services that `apikiln test` runs have its part, and only those whose owners import it have knex.
    const runtime = [...readAssets(repository).runtime.keys()].filter(
      (path) => !/^(?:testing|knex)\//.test(path),
    );
    expect(runtime.filter((path) => !paths.has(`runtime/src/${path}`))).toEqual([]);
    // The tool explains codes of diagnostics, editors read the schema, and other commands have templates of their own.
    const templates = filesBelow('templates')
      .map((path) => path.replace(/^templates\//, ''))
      .filter((path) => !/^(?:explanations|starter|dev)\//.test(path) && !path.endsWith('.schema.json'));
    // The lock files are made of it, whatever the service.
    expect([...asked, 'packages.json'].sort()).toEqual(templates.sort());
  });

  test('a service has only the database that it uses', async () => {
    for (const { fixture, files = [] } of (await compiledFixtures()).fixtures) {
      const { database } = fixture;
      const all = files.map(({ path, text }) => `${path}\n${text}`).join('\n');
      const [own, other] = database === 'postgresql' ? ['pg', 'mysql2'] : ['mysql2', 'pg'];
      if (fixture.config.includes('type: db')) expect(all).toContain(`"${own}": "`);
      expect(all).not.toContain(`"${other}": "`);
      expect(all).not.toMatch(new RegExp(`from '${other}(?:/promise)?'`));
    }
  });

  test('a service has no part of the runtime that its configuration does not name', async () => {
    const named: Readonly<Record<string, RegExp>> = {
      'sql/datasource': /type: db/,
      'postgres/postgres': /type: db/,
      'mysql/mysql': /type: db/,
      'rest/rest': /type: rest/,
      'outbox/outbox': /outbox:/,
      'jwt/jwt': /type: jwt/,
      'apikey/api-key': /type: apikey/,
      'basicauth/basic-auth': /type: basicauth/,
      'schedule/schedule': /triggers:/,
    };
    const absent = new Set<string>();
    for (const { fixture, files = [] } of (await compiledFixtures()).fixtures) {
      // Operations of included files use what they name.
      if (/^include:/m.test(fixture.config)) continue;
      const present = new Set(files.map(({ path }) => path));
      const has = (part: string): boolean => present.has(`runtime/src/${part}.ts`);
      expect(has(fixture.database === 'postgresql' ? 'mysql/mysql' : 'postgres/postgres')).toBe(false);
      for (const [part, words] of Object.entries(named)) {
        if (words.test(fixture.config)) continue;
        expect(has(part), `${fixture.name}: ${part}`).toBe(false);
        absent.add(part);
      }
      const code = files.filter(({ path }) => path.startsWith('src/')).map(({ text }) => text);
      const hasUploads = code.some((text) => text.includes('readForm'));
      expect(has('uploads/read-form'), fixture.name).toBe(hasUploads);
      if (!hasUploads) absent.add('uploads/read-form');
    }
    expect([...absent].sort()).toEqual([...Object.keys(named), 'uploads/read-form'].sort());
  });

  test('a service has what compiles patterns only if its description has some', async () => {
    const found = (await compiledFixtures()).fixtures.map(({ files = [] }) => {
      const paths = files.map(({ path }) => path);
      const own = files.filter(({ path }) => path.startsWith('src/'));
      return [
        own.some(({ text }) => /\bcompilePatterns?\(/.test(text)),
        paths.includes('runtime/src/validate/linear-pattern.ts'),
      ].join(' ');
    });
    expect([...new Set(found)].sort()).toEqual(['false false', 'true true']);
  });

  test('a service has code that only settings use where its configuration names it', async () => {
    const partOf = {
      workers: 'workers/workers',
      management: 'management/observe',
      cors: 'http/cors',
      compression: 'http/compression',
      servers: 'sql/several-servers',
    };
    const found = (await compiledFixtures()).fixtures.map(({ fixture, files = [] }) => {
      const named = /^ +features: \[(.*)\]$/m.exec(fixture.config)?.[1]?.split(', ') ?? [];
      // The probes of Kubernetes ask the management port.
      if (files.some(({ path }) => path.startsWith('kubernetes/'))) named.push('management');
      const parts = Object.entries(partOf).filter(([, path]) =>
        files.some((file) => file.path === `runtime/src/${path}.ts`),
      );
      return { named, parts: parts.map(([feature]) => feature) };
    });
    for (const { named, parts } of found) expect(parts.sort()).toEqual(named.sort());
    expect(found.filter(({ named }) => named.length > 0)).not.toEqual([]);
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
