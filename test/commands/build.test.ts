/** The files that `apikiln build` writes, replaces, removes, keeps and refuses. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kubernetesExtras } from '../../compiler/generate/emit/service/target.js';
import { hash, readManifest } from '../../compiler/generate/write/manifest.js';
import { withLock } from '../../compiler/tools/commands/shared/folder/lock-folder.js';
import { repository } from '../helpers/service-fixture.js';
import { configuration, Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('config.yaml', configuration('GET /a', 'GET /b'));
});

afterEach(() => {
  space.remove();
});

describe('writes', () => {
  test('a folder that another build writes to only after it', async () => {
    const steps: string[] = [];
    let other: Promise<unknown> | undefined;
    await withLock(space.path('out'), () => {
      other = withLock(space.path('out'), () => steps.push('other'));
      steps.push('first');
    });
    await other;
    expect(steps).toEqual(['first', 'other']);
    await withLock(space.path('out'), () => {
      other = space.build();
    });
    expect(space.files('out')).toEqual({});
    expect(await other).toMatchObject({ status: 0 });
  });

  test('despite the lock of a build that was killed', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    space.write('out/.apikiln.lock', `${pid}\n`);
    expect(await space.build()).toMatchObject({ status: 0 });
    expect(space.exists('out/.apikiln.lock')).toBe(false);
  });

  test('a whole service, makes the folder, and prints the number of files', async () => {
    const { status, stdout, stderr } = await space.build({ out: 'deep/er/out' });
    const files = Object.keys(space.files('deep/er/out'));
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: '',
      stderr: `deep/er/out: ${files.length} added\n`,
    });
    expect(files).toEqual(expect.arrayContaining(['.env', 'package.json', 'src/operations/get-a.ts']));
    expect(files.filter((path) => path.includes('tmp'))).toEqual([]);
  });

  test('into the folder service next to the configuration by default', async () => {
    expect(await space.run('build')).toMatchObject({ status: 0 });
    expect(space.exists('service/src/operations/get-a.ts')).toBe(true);
    space.write('deep/config.yaml', configuration('GET /b'));
    expect(await space.run('build', 'deep/config.yaml')).toMatchObject({ status: 0 });
    expect(space.exists('deep/service/src/operations/get-b.ts')).toBe(true);
    expect(await space.run('build', 'deep/config.yaml', '--check')).toMatchObject({ status: 0 });
  });

  test('nothing the second time, and prints this', async () => {
    await space.build();
    const before = space.files('out');
    expect(await space.build()).toMatchObject({ status: 0, stdout: '', stderr: 'out: nothing to change\n' });
    expect(space.files('out')).toEqual(before);
  });

  test('nothing when the configuration has errors', async () => {
    space.write('config.yaml', 'specification: "1.0"\n');
    expect((await space.build()).status).toBe(1);
    expect(space.exists('out')).toBe(false);
  });

  test('nothing when there are more warnings than allowed', async () => {
    const paths = '{ /a: { get: {} }, /b: { get: {} }, /c: { get: {} } }';
    space.write('openapi.yaml', `openapi: 3.1.0\npaths: ${paths}\n`);
    expect(await space.build({ maxWarnings: 0 })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There are 1 warnings; at most 0 are allowed.') as string,
    });
    expect(space.exists('out')).toBe(false);
    expect((await space.build({ maxWarnings: 1 })).status).toBe(0);
  });

  test('a module less when an operation is removed, and removes nothing else', async () => {
    await space.build();
    space.write('out/src/operations/mine.ts', '// mine\n');
    space.write('config.yaml', configuration('GET /b'));
    const { status, stderr } = await space.build();
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'out: 3 changed, 1 removed\nLeft alone, because no build wrote them: src/operations/mine.ts\n',
    });
    expect(Object.keys(space.files('out/src/operations'))).toEqual(['get-b.ts', 'mine.ts']);
    expect(Object.keys(JSON.parse(space.read('out/.apikiln.json')) as object)).toEqual([
      'note',
      'files',
      'packageJson',
    ]);
  });

  test('a checkout with other line breaks anew only where the text differs', async () => {
    await space.build();
    space.write('out/src/router.ts', space.read('out/src/router.ts').replaceAll('\n', '\r\n'));
    expect((await space.build()).stderr).toBe('out: nothing to change\n');
  });
});

const expressApp = "import express from 'express';\nexport const app = express();\n";

describe('the owner’s files', () => {
  test('src/app.ts is never written, and brings the package that it imports', async () => {
    await space.build();
    expect(space.exists('out/src/app.ts')).toBe(false);
    expect(space.read('out/package.json')).not.toContain('express');
    space.write('out/src/app.ts', expressApp);
    expect((await space.build({ check: true })).stdout).toContain('changed package.json\n');
    expect((await space.build()).status).toBe(0);
    expect((await space.build({ force: true })).status).toBe(0);
    expect(space.read('out/src/app.ts')).toBe(expressApp);
    const { dependencies, devDependencies } = JSON.parse(space.read('out/package.json')) as Record<
      string,
      object
    >;
    expect({ ...dependencies, ...devDependencies }).toMatchObject({
      express: expect.stringMatching(/^5\./) as string,
      '@types/express': expect.stringMatching(/^5\./) as string,
    });
    expect(space.read('out/package-lock.json')).toContain('node_modules/express');
  });

  test('what the owner imports of the runtime, with its packages, and no longer when he does not', async () => {
    const withKnex = [
      "import express, { type Express } from 'express';",
      'import {',
      '  knexOf,',
      "} from '@apikiln/runtime/knex';",
      "import { db } from './datasources.js';",
      'export const app: Express = express();',
      "app.get('/pages', async (_, response) => response.json(await knexOf(db)('page')));\n",
    ].join('\n');
    await space.build();
    expect(space.read('out/package.json')).not.toContain('knex');
    space.write('out/src/app.ts', withKnex);
    expect(await space.build({ check: true })).toMatchObject({ status: 3 });
    expect(await space.build()).toMatchObject({ status: 0 });
    expect(space.read('out/src/app.ts')).toBe(withKnex);
    expect(JSON.parse(space.read('out/package.json'))).toMatchObject({
      dependencies: { knex: expect.any(String) as string },
    });
    expect(JSON.parse(space.read('out/package-lock.json'))).toMatchObject({
      packages: { 'node_modules/knex': { version: expect.any(String) as string } },
    });
    expect(await space.build({ check: true })).toMatchObject({ status: 0 });
    rmSync(space.path('out/src/app.ts'));
    expect(await space.build()).toMatchObject({ status: 0 });
    expect(space.read('out/package-lock.json')).not.toContain('node_modules/knex');
  });

  test('.env is readable by its owner alone, and follows the configuration until somebody edits it', async () => {
    await space.build();
    expect(space.mode('out/.env')).toBe(0o600);
    expect(space.read('out/.env')).toContain('DATASOURCE_NEWSDB_PASSWORD=hunter2\n');
    space.write('config.yaml', configuration('GET /a', 'GET /b').replace('hunter2', 'hunter3'));
    expect((await space.build()).stderr).toBe('out: 1 changed\n');
    expect(space.read('out/.env')).toContain('DATASOURCE_NEWSDB_PASSWORD=hunter3\n');
    expect(space.mode('out/.env')).toBe(0o600);

    space.write('out/.env', space.read('out/.env').replace('hunter3', 'of-production'));
    const edited = space.read('out/.env');
    expect((await space.build({ force: true })).stderr).toBe(
      'out: nothing to change\nout/.env was edited by hand, so the build keeps it; compare it with .env.example.\n',
    );
    expect(space.read('out/.env')).toBe(edited);
  });

  test('an .env that was there before is kept', async () => {
    space.write('out/.env', 'DATASOURCE_NEWSDB_PASSWORD=mine\n');
    expect((await space.build()).status).toBe(0);
    expect(space.read('out/.env')).toBe('DATASOURCE_NEWSDB_PASSWORD=mine\n');
  });

  test('secrets are in .env and nowhere else, and .env is not part of a repository or an image', async () => {
    const { stderr } = await space.build();
    for (const [path, text] of Object.entries(space.files('out'))) {
      if (path !== '.env') expect(text, path).not.toContain('hunter2');
    }
    expect(stderr).not.toContain('hunter2');
    for (const path of ['.gitignore', '.dockerignore'])
      expect(space.read(`out/${path}`).split('\n')).toContain('.env');
  });

  test('files that no build wrote are kept and named', async () => {
    space.write('out/notes.txt', 'mine');
    space.write('out/src/own/page.ts', 'mine');
    space.write('out/node_modules/x/index.js', 'passed over');
    expect((await space.build()).stderr).toContain(
      'Left alone, because no build wrote them: notes.txt, src/own/page.ts\n',
    );
    expect(space.read('out/notes.txt')).toBe('mine');
  });

  test('files of package managers are kept, and are nothing to name', async () => {
    const paths = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', '.pnp.cjs', '.pnp.loader.mjs', '.npmrc'];
    for (const path of paths) space.write(`out/${path}`, 'mine');
    expect((await space.build()).stderr).not.toContain('Left alone');
    expect(paths.map((path) => space.read(`out/${path}`))).toEqual(paths.map(() => 'mine'));
  });

  test('are not removed by an edited list of what the last build wrote', async () => {
    await space.build();
    const owned = [
      'notes.txt',
      '.git/config',
      '.env.production',
      'src/app.ts',
      'src/code/a.ts',
      'kubernetes/settings.yaml',
      'src/own/page.ts',
    ];
    const others = [
      'runtime/node_modules/a/b.ts',
      'vendor/other.tgz',
      'node_modules/a.json',
      'Src/a.ts',
      'config.yaml',
    ];
    const { files } = JSON.parse(space.read('out/.apikiln.json')) as { files: Record<string, string> };
    for (const path of [...owned, ...others]) {
      space.write(`out/${path}`, 'of the owner');
      files[path] = hash('of the owner', path);
    }
    space.write('out/.apikiln.json', JSON.stringify({ files }));
    const { status } = await space.build();
    expect(status).toBe(0);
    for (const path of [...owned, ...others]) expect(space.exists(`out/${path}`), path).toBe(true);
  });

  test('each path of a build may be removed by a later one', async () => {
    await space.build({ target: 'kubernetes', with: [...kubernetesExtras] });
    const { files } = JSON.parse(space.read('out/.apikiln.json')) as { files: object };
    expect([...readManifest(space.read('out/.apikiln.json')).keys()]).toEqual(Object.keys(files));
  });
});

describe('packages that the owner has installed', () => {
  const installed = (): { dependencies: Record<string, string>; scripts: Record<string, string> } =>
    JSON.parse(space.read('out/package.json')) as never;
  const install = (): void => {
    const { dependencies, scripts, ...others } = installed();
    const more = {
      dependencies: { ...dependencies, zod: '^4.0.0' },
      scripts: { ...scripts, lint: 'eslint .', constructor: 'tsc' },
    };
    space.write('out/package.json', JSON.stringify({ ...others, ...more }));
    space.write('out/package-lock.json', '{ "made": "by npm" }\n');
  };

  test('stay in package.json and its lock file, build after build', async () => {
    await space.build();
    const before = installed();
    install();
    for (const operations of [['GET /a'], ['GET /a', 'GET /c']]) {
      space.write('config.yaml', configuration(...operations));
      expect((await space.build()).status).toBe(0);
      expect(installed()).toEqual({
        ...before,
        dependencies: { ...before.dependencies, zod: '^4.0.0' },
        scripts: { ...before.scripts, lint: 'eslint .', constructor: 'tsc' },
      });
      expect(space.read('out/package-lock.json')).toBe('{ "made": "by npm" }\n');
    }
    expect((await space.build()).stderr).toBe('out: nothing to change\n');
  });

  test('what a build writes wins over an edit of it, and a build names each value', async () => {
    await space.build();
    const text = space.read('out/package.json');
    const { dependencies, scripts, ...others } = JSON.parse(text) as {
      dependencies: Record<string, string>;
      scripts: Record<string, string>;
    };
    const edited = {
      ...others,
      scripts: { ...scripts, start: 'node --import ./otel.mjs dist/main.js' },
      dependencies: { ...dependencies, pg: '8.0.0', pino: 'git+https://user:secret@example.com/pino.git' },
    };
    space.write('out/package.json', JSON.stringify(edited));
    expect(await space.build()).toMatchObject({
      status: 0,
      stderr: [
        'out: 1 changed',
        `Put back in package.json: scripts.start "node --import ./otel.mjs dist/main.js" to "${scripts.start ?? ''}"`,
        `Put back in package.json: dependencies.pg "8.0.0" to "${dependencies.pg ?? ''}"`,
        `Put back in package.json: dependencies.pino … to "${dependencies.pino ?? ''}"`,
        'Give options of Node.js in NODE_OPTIONS, and scripts of your own another name.\n',
      ].join('\n'),
    });
    expect(space.read('out/package.json')).toBe(text);
  });

  test('values that differ because a later version of apikiln writes others are not named', async () => {
    await space.build();
    for (const path of ['out/package.json', 'out/.apikiln.json'])
      space.write(path, space.read(path).replace(/"pg": "[^"]*"/, '"pg": "8.0.0"'));
    install();
    expect(await space.build()).toMatchObject({ status: 0, stderr: 'out: 2 changed\n' });
    expect(installed().dependencies).toMatchObject({ zod: '^4.0.0' });
  });

  test('a package that only builds need stays in dependencies if it was moved there', async () => {
    await space.build();
    const text = space.read('out/package.json');
    const { devDependencies, dependencies, ...others } = JSON.parse(text) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const { typescript = '', ...forBuilds } = devDependencies;
    const moved = { ...others, dependencies: { ...dependencies, typescript }, devDependencies: forBuilds };
    space.write('out/package.json', JSON.stringify(moved));
    expect(await space.build()).toMatchObject({ status: 0, stderr: 'out: 1 changed\n' });
    expect(JSON.parse(space.read('out/package.json'))).toEqual(moved);
    space.write('out/package.json', JSON.stringify(moved).replace(typescript, '1.0.0'));
    expect((await space.build()).stderr).toContain(`dependencies.typescript "1.0.0" to "${typescript}"\n`);
    expect(JSON.parse(space.read('out/package.json'))).toEqual(moved);
  });

  test('a byte order mark is no damage', async () => {
    await space.build();
    install();
    const text = space.read('out/package.json');
    for (const path of ['out/package.json', 'out/.apikiln.json'])
      space.write(path, `\ufeff${space.read(path)}`);
    expect(await space.build()).toMatchObject({ status: 0 });
    expect(JSON.parse(space.read('out/package.json'))).toEqual(JSON.parse(text));
  });

  describe('a later version of a package', () => {
    const versionOf = (path: string, name: string): unknown => {
      const { dependencies } = JSON.parse(space.read(path)) as { dependencies: Record<string, string> };
      return dependencies[name];
    };
    const write = (path: string, name: string, version: string): void => {
      const text = space.read(path);
      space.write(path, text.replace(new RegExp(`("${name}": ")[^"]*`), `$1${version}`));
    };

    beforeEach(() => {
      space.write('out/src/app.ts', expressApp);
    });

    test.each([
      ['out/package.json', 'express', '5.99.0'],
      ['out/package.json', 'express', '^5.99.0'],
      ['out/package.json', 'pg', '8.99.0'],
    ])('%s: %s %s stays with its lock file, and a build names it', async (path, name, version) => {
      await space.build();
      const tested = versionOf(path, name);
      write(path, name, version);
      space.write('out/package-lock.json', '{ "made": "by npm" }\n');
      expect(await space.build({ check: true })).toMatchObject({ status: 0, stdout: '' });
      for (const operations of [['GET /a'], ['GET /a', 'GET /c']]) {
        space.write('config.yaml', configuration(...operations));
        const { status, stderr } = await space.build();
        expect(status).toBe(0);
        expect(stderr).toContain(
          `Your later versions stay: ${name} ${version} (tested with ${String(tested)})\n`,
        );
        expect(versionOf(path, name)).toBe(version);
        expect(space.read('out/package-lock.json')).toBe('{ "made": "by npm" }\n');
      }
    });

    test.each([
      ['out/package.json', 'express', '6.0.0'],
      ['out/package.json', 'pg', '9.0.0'],
    ])(
      '%s: %s %s, of another major version, is put back, and a build names it',
      async (path, name, version) => {
        await space.build();
        const tested = versionOf(path, name);
        write(path, name, version);
        const { status, stderr } = await space.build();
        expect(status).toBe(0);
        expect(stderr).toContain(
          `Put back, because another major version may not work with the service: ${name} ${version} to ${String(tested)}\n`,
        );
        expect(versionOf(path, name)).toBe(tested);
      },
    );

    test('gives way to a still later one of a build', async () => {
      await space.build();
      for (const [path, name, version] of [
        ['out/package.json', 'express', '5.0.0'],
        ['out/package.json', 'pg', '8.0.0'],
      ] as const) {
        const tested = versionOf(path, name);
        write(path, name, version);
        write('out/.apikiln.json', name, version);
        expect((await space.build()).stderr).toBe('out: 2 changed\n');
        expect(versionOf(path, name)).toBe(tested);
      }
    });

    test('in the lock file alone, of a package that others bring, stays as long as the service needs the same packages', async () => {
      await space.build();
      const lock = space.read('out/package-lock.json');
      const patched = lock.replace(/("node_modules\/split2": \{\s+"version": ")[^"]*/, '$14.99.0');
      expect(patched).not.toBe(lock);
      space.write('out/package-lock.json', patched);
      space.write('config.yaml', configuration('GET /a', 'GET /c'));
      expect((await space.build()).stderr).not.toContain('package-lock.json');
      expect(space.read('out/package-lock.json')).toBe(patched);
      space.write('out/package-lock.json', patched.replaceAll('"pg": "', '"pg": "8.0.0 || '));
      expect((await space.build()).stderr).toContain(
        'package-lock.json is written anew, without your changes: the service needs other packages.\n',
      );
      expect(space.read('out/package-lock.json')).toBe(lock);
    });
  });

  test('a version of the service that its owner has raised stays until the API description has a later one', async () => {
    const describe = (version: string): void => {
      const paths = 'paths: { /a: { get: { responses: {} } }, /b: { get: { responses: {} } } }';
      space.write('openapi.yaml', `openapi: 3.1.0\ninfo: { title: a, version: '${version}' }\n${paths}\n`);
    };
    for (const [described, version] of [
      ['draft', '1.0.0'],
      ['1.2', '1.2.0'],
    ] as const) {
      describe(described);
      await space.build();
      expect(installed()).toMatchObject({ version });
    }
    space.write('out/package.json', space.read('out/package.json').replace('"1.2.0"', '"1.10.0"'));
    await space.build();
    expect(installed()).toMatchObject({ version: '1.10.0' });
    describe('2.0.0-beta.1');
    await space.build();
    expect(installed()).toMatchObject({ version: '2.0.0-beta.1' });
  });

  test('a package.json that no build wrote is in the way', async () => {
    space.write('out/package.json', '{ "name": "other" }\n');
    expect((await space.build()).stderr).toContain('package.json (no build wrote it)');
    expect(space.read('out/package.json')).toBe('{ "name": "other" }\n');
  });
});

describe('a folder of an earlier version, with a copy of the runtime', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

  /**
   * Makes the folder look like the output of an older version; `service` adds fields to package.json, `runtime` adds packages to the
   * runtime.
   */
  function age(service: object = {}, runtime: object = {}): void {
    const { files, note } = JSON.parse(space.read('out/.apikiln.json')) as {
      files: Record<string, string>;
      note: string;
    };
    const own = JSON.parse(space.read('out/package.json')) as Record<string, object>;
    const { '@apikiln/runtime': _runtime, ...packages } = own.dependencies as Record<string, string>;
    const manifest = JSON.stringify({
      ...own,
      workspaces: ['runtime'],
      engines: { node: '>=20.19', yarn: '>=2' },
      scripts: { build: 'tsc --build' },
      dependencies: { '@apikiln/runtime': 'file:./runtime' },
      resolutions: { '@apikiln/runtime': 'workspace:*' },
    });
    const old: Record<string, string> = {
      'package.json': manifest,
      'package-lock.json': JSON.stringify({ packages: { '': {}, runtime: {} } }),
      'runtime/package.json': JSON.stringify({ name: '@apikiln/runtime', dependencies: packages }),
      'runtime/src/index.ts': '// old\n',
    };
    const kept = Object.entries(files).filter(([path]) => !path.startsWith('vendor/'));
    // Users may raise versions.
    const loose = (old['runtime/package.json'] ?? '').replaceAll(/"\d+\.\d+\.\d+"/g, '""');
    const hashes = Object.entries(old).map(([path, text]) => [path, hash(text)]);
    rmSync(space.path('out/vendor'), { recursive: true });
    for (const [path, text] of Object.entries(old)) space.write(`out/${path}`, text);
    const runtimeHashes = [old['runtime/package.json'], loose].map((text = '') => hash(text));
    const before = {
      ...(Object.fromEntries([...kept, ...hashes]) as Record<string, string>),
      'runtime/package.json': runtimeHashes,
    };
    space.write('out/.apikiln.json', JSON.stringify({ note, files: before }));
    space.write('out/runtime/dist/index.js', '// built\n');
    space.write('out/runtime/node_modules/pg/package.json', '{}');
    space.write('out/package.json', JSON.stringify({ ...(JSON.parse(manifest) as object), ...service }));
    space.write(
      'out/pnpm-workspace.yaml',
      "# Only for pnpm: the runtime is a package inside this service. This file is yours from the first build on.\npackages:\n  - runtime\nallowBuilds:\n  '@scarf/scarf': false\n",
    );
    const runtimePackages = { ...packages, ...runtime };
    const text = JSON.stringify({ name: '@apikiln/runtime', dependencies: runtimePackages });
    space.write('out/runtime/package.json', text);
  }

  test('loses it with what was built of it, gets the package, and its owner reads so', async () => {
    await space.build();
    const fresh = space.files('out');
    age();
    const { status, stderr } = await space.build();
    expect(status).toBe(0);
    expect(stderr).toContain(
      'The runtime is no longer copied into the service: it is the package @apikiln/runtime. Run npm install.\n',
    );
    expect(space.files('out')).toEqual(fresh);
    expect((await space.build()).stderr).toBe('out: nothing to change\n');
  });

  test('keeps packages of its owner, and a later version that was raised in the copy', async () => {
    await space.build();
    age(
      { license: 'MIT', dependencies: { '@apikiln/runtime': 'file:./runtime', zod: '4.0.0' } },
      { pg: '8.99.0' },
    );
    const { status, stderr } = await space.build();
    expect(status).toBe(0);
    expect(stderr).toContain('Your later versions stay: pg 8.99.0 (tested with ');
    const manifest = JSON.parse(space.read('out/package.json')) as object;
    expect(manifest).toMatchObject({
      license: 'MIT',
      engines: { node: '>=20.19' },
      scripts: { build: 'tsc' },
      dependencies: {
        '@apikiln/runtime': expect.stringMatching(/^file:vendor\//) as string,
        pg: '8.99.0',
        zod: '4.0.0',
      },
    });
    expect(Object.keys(manifest)).not.toContain('workspaces');
    expect(Object.keys(manifest)).not.toContain('resolutions');
    expect(manifest).toHaveProperty('engines', { node: '>=20.19' });
    expect(space.read('out/package-lock.json')).toContain('"resolved": "file:vendor/');
  });
});

describe('a folder of a still earlier version, with the runtime in src/runtime', () => {
  test('gets the tarball too', async () => {
    await space.build();
    const { files, ...others } = JSON.parse(space.read('out/.apikiln.json')) as { files: object };
    const kept = Object.entries(files).filter(([path]) => !path.startsWith('vendor/'));
    const old = createHash('sha256').update('// old\n').digest('hex');
    const before = { ...(Object.fromEntries(kept) as object), 'src/runtime/index.ts': old };
    rmSync(space.path('out/vendor'), { recursive: true });
    space.write('out/src/runtime/index.ts', '// old\n');
    space.write('out/.apikiln.json', JSON.stringify({ ...others, files: before }));
    const { status, stderr } = await space.build();
    expect(status).toBe(0);
    expect(stderr).toContain('The runtime is no longer copied into the service');
    expect(space.exists('out/src/runtime/index.ts')).toBe(false);
    expect(space.read('out/package.json')).toContain('"file:vendor/');
    expect(Object.keys(space.files('out/vendor'))).toHaveLength(1);
  });
});

describe('the runtime', () => {
  const tarball = (): string => {
    const [name = ''] = Object.keys(space.files('out/vendor'));
    return name;
  };

  test('is the tarball of this version, byte for byte, and a build replaces another one', async () => {
    await space.build();
    const name = tarball();
    expect(name).toMatch(/^apikiln-runtime-\d+\.\d+\.\d+-[\da-f]{8}\.tgz$/);
    const path = space.path(`out/vendor/${name}`);
    const original = readFileSync(join(repository, 'dist', name));
    expect(readFileSync(path).equals(original)).toBe(true);
    const manifest = JSON.parse(space.read('out/.apikiln.json')) as { files: Record<string, string> };
    expect(manifest.files[`vendor/${name}`]).toBe(createHash('sha256').update(original).digest('hex'));
    writeFileSync(path, Buffer.concat([original, Buffer.from([0])]));
    expect(await space.build({ check: true })).toMatchObject({
      status: 3,
      stdout: `changed vendor/${name} (edited after the build wrote it)\n`,
    });
    expect((await space.build({ force: true })).status).toBe(0);
    expect(readFileSync(path).equals(original)).toBe(true);
    rmSync(path);
    expect(await space.build({ check: true })).toMatchObject({ status: 3, stdout: `added vendor/${name}\n` });
  });

  test('of an earlier version goes, in the lock file of its owner too', async () => {
    await space.build();
    const name = tarball();
    const old = name.replace(/-[\da-f]{8}\./, '-00000000.');
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    const { files } = JSON.parse(space.read('out/.apikiln.json')) as { files: Record<string, string> };
    const [manifest, lock] = ['package.json', 'package-lock.json'].map((path) =>
      space.read(`out/${path}`).replaceAll(name, old),
    );
    renameSync(space.path(`out/vendor/${name}`), space.path(`out/vendor/${old}`));
    const { [`vendor/${name}`]: digest = '', ...others } = files;
    const before = { ...others, [`vendor/${old}`]: digest, 'package.json': hash(manifest ?? '') };
    space.write('out/package.json', manifest ?? '');
    const patched = (lock ?? '').replace(/("node_modules\/split2": \{\s+"version": ")[^"]*/, '$14.99.0');
    space.write('out/package-lock.json', patched);
    space.write('out/.apikiln.json', JSON.stringify({ files: before }));
    const { status, stderr } = await space.build();
    expect(status).toBe(0);
    expect(stderr).toBe('out: 1 added, 3 changed, 1 removed\n');
    expect(tarball()).toBe(name);
    expect(space.read('out/package-lock.json')).toBe(patched.replaceAll(old, name));
  });

  test('comes from a registry where a build says so, and in later builds of the folder', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'runtime/package.json'), 'utf8')) as {
      version: string;
    };
    for (const options of [{ runtime: 'registry' as const }, {}]) {
      expect(await space.build(options)).toMatchObject({ status: 0 });
      expect(space.exists('out/vendor')).toBe(false);
      expect(JSON.parse(space.read('out/package.json'))).toMatchObject({
        dependencies: { '@apikiln/runtime': version },
      });
      expect(space.read('out/Dockerfile')).not.toContain('vendor');
    }
    expect(await space.build({ runtime: 'vendor' })).toMatchObject({ status: 0 });
    expect(tarball()).not.toBe('');
    expect(space.read('out/Dockerfile')).toContain('COPY vendor ./vendor\n');
  });
});

describe('refuses', () => {
  test('to replace a file that no build wrote, and writes nothing', async () => {
    space.write('out/package.json', '{ "name": "mine" }\n');
    expect(await space.build()).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'Nothing is written, because in out these files are in the way:\n' +
        '  package.json (no build wrote it)\n' +
        'Move them away, choose another folder, or write over them with --force.\n',
    });
    expect(space.files('out')).toEqual({ 'package.json': '{ "name": "mine" }\n' });
    expect((await space.build({ force: true })).status).toBe(0);
    expect(space.read('out/package.json')).toContain('"dependencies"');
  });

  test('many files, of which it names twenty', async () => {
    const operations = Array.from({ length: 30 }, (_, index) => `GET /a${index}`);
    space.write('config.yaml', configuration(...operations));
    await space.build();
    const written = Object.keys(space.files('out')).filter(
      (path) => path !== '.apikiln.json' && path !== '.env',
    );
    space.remove();
    space = new Workspace();
    space.write('config.yaml', configuration(...operations));
    for (const path of written) space.write(`out/${path}`, 'mine');
    const { status, stderr } = await space.build();
    const lines = stderr.split('\n');
    expect(written.length).toBeGreaterThan(30);
    expect(status).toBe(1);
    expect(lines.filter((line) => line.endsWith('(no build wrote it)'))).toHaveLength(20);
    expect(lines.slice(21, 22)).toEqual([expect.stringMatching(/^ {2}and \d+ more$/)]);
  });

  test('a file that it may not read, and names it', async () => {
    await space.build();
    chmodSync(space.folder, 0o755);
    chmodSync(space.path('out/.env'), 0o644);
    chmodSync(space.path('out/src/router.ts'), 0);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(await space.build()).toMatchObject({
        status: 4,
        stderr: 'out/src/router.ts cannot be written: permission is denied.\n',
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test('to replace a file that was edited, and writes nothing', async () => {
    await space.build();
    space.write('out/src/router.ts', '// edited\n');
    space.write('config.yaml', configuration('GET /c'));
    const before = space.files('out');
    const { status, stderr } = await space.build();
    expect(status).toBe(1);
    expect(stderr).toContain('  src/router.ts (edited after the build wrote it)\n');
    expect(space.files('out')).toEqual(before);
    expect((await space.build({ force: true })).status).toBe(0);
    expect(space.read('out/src/router.ts')).toContain('/c');
  });

  test('to replace a package.json that cannot be read: the packages in it would be lost', async () => {
    await space.build();
    const ours = space.read('out/package.json');
    const conflict = `<<<<<<< ours\n    "zod": "4.0.0",\n=======\n    "zod": "4.1.0",\n>>>>>>> theirs\n`;
    const damaged = ours.replace('  "devDependencies"', `${conflict}  "devDependencies"`);
    space.write('out/package.json', damaged);
    const { status, stderr } = await space.build();
    expect(status).toBe(1);
    expect(stderr).toContain('  package.json (not JSON, so your packages in it would be lost: correct it)\n');
    expect(space.read('out/package.json')).toBe(damaged);
    expect((await space.build({ check: true })).status).toBe(3);
    expect((await space.build({ force: true })).status).toBe(0);
    expect(space.read('out/package.json')).toBe(ours);
    // A lock file belongs to npm, so an invalid one is written again.
    space.write('out/package-lock.json', '<<<<<<<');
    expect((await space.build()).stderr).toContain('package-lock.json is written anew');
  });

  test('to replace a linked package.json: the packages in its target would be lost', async () => {
    await space.build();
    const text = space.read('out/package.json').replace('"pg"', '"zod": "4.0.0",\n    "pg"');
    space.write('shared.json', text);
    rmSync(space.path('out/package.json'));
    symlinkSync(space.path('shared.json'), space.path('out/package.json'));
    expect(await space.build()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('  package.json (edited after the build wrote it)\n') as string,
    });
    expect(space.files('out')['package.json']).toBe('no file');
    expect(space.read('shared.json')).toBe(text);
    expect(await space.build({ force: true })).toMatchObject({ status: 0 });
    expect(space.read('shared.json')).toBe(text);
  });

  test('to remove a module that was edited', async () => {
    await space.build();
    space.write('out/src/operations/get-a.ts', '// edited\n');
    space.write('config.yaml', configuration('GET /b'));
    expect((await space.build()).stderr).toContain(
      '  src/operations/get-a.ts (edited after the build wrote it)\n',
    );
    expect((await space.build({ force: true })).status).toBe(0);
    expect(space.read('out/src/operations/get-a.ts')).toBe('// edited\n');
    expect((await space.build()).stderr).toContain('no build wrote them: src/operations/get-a.ts');
  });

  test('a folder where a file must go, also with --force', async () => {
    mkdirSync(space.path('out/tsconfig.json'), { recursive: true });
    for (const force of [false, true]) {
      expect(await space.build({ force })).toEqual({
        status: 1,
        stdout: '',
        stderr:
          'Nothing is written, because in out these files are in the way:\n' +
          '  tsconfig.json (a folder or a link is in the way)\n' +
          'Move them away, or choose another folder.\n',
      });
    }
    expect(space.files('out')).toEqual({});
  });

  test.each([
    ['.', '.', 'service'],
    ['./', './', './/service'],
  ])('the folder of the configuration, written %s', async (out, shown, example) => {
    expect(await space.build({ out })).toMatchObject({
      status: 2,
      stderr: `${shown} is the folder of the configuration. The service needs a separate folder, for example --out ${example}\n`,
    });
    expect(Object.keys(space.files())).toEqual(['config.yaml']);
  });

  test('the folder of the configuration also through a link', async () => {
    symlinkSync(space.folder, space.path('link'));
    expect((await space.build({ out: 'link' })).status).toBe(2);
  });

  test('a folder that is a file', async () => {
    space.write('out', 'mine');
    expect(await space.build()).toMatchObject({
      status: 4,
      stderr: 'out/.apikiln.json cannot be written: a part of the path is a file, not a folder.\n',
    });
    expect(space.read('out')).toBe('mine');
  });

  test('a folder that it may not write to', async () => {
    mkdirSync(space.path('closed'));
    chmodSync(space.folder, 0o755);
    chmodSync(space.path('closed'), 0o555);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(await space.build({ out: 'closed' })).toMatchObject({
        status: 4,
        stderr: 'closed/.apikiln.tmp cannot be written: permission is denied.\n',
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    expect(space.files('closed')).toEqual({});
  });
});

describe('--check', () => {
  test('annotates the files that differ on GitHub, at most ten', async () => {
    const args = ['build', '--out', './100%, out', '--check', '--format', 'github'];
    const first = (await space.run(...args)).stdout.trimEnd().split('\n');
    expect(first).toHaveLength(10);
    expect(first[9]).toMatch(/^::error title=drift::\d+ more files differ from the output of a build\.$/);
    await space.run('build', '--out', '100%, out');
    expect(await space.run(...args)).toEqual({ status: 0, stdout: '', stderr: '' });
    space.write('100%, out/package.json', '{ "name": "other" }');
    space.write('config.yaml', configuration('GET /a', 'GET /c'));
    const { status, stdout } = await space.run(...args);
    expect(status).toBe(3);
    const drift = (file: string, text: string): string =>
      `::error file=100%25%2C out/${file},title=drift::${text}. Build the service again.`;
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        drift('src/operations/get-c.ts', 'The file is missing: a build would add it'),
        drift('src/operations/get-b.ts', 'A build would remove the file'),
        drift('src/router.ts', 'The file differs from the output of a build'),
      ]),
    );
  });

  test('writes nothing, prints what a build would change, and exits with 3', async () => {
    await space.build();
    space.write('config.yaml', configuration('GET /a', 'GET /c'));
    space.write('out/Dockerfile', '# edited\n');
    const before = space.files('out');
    expect(await space.build({ check: true })).toEqual({
      status: 3,
      stdout: [
        'changed .apikiln.json',
        'changed Dockerfile (edited after the build wrote it)',
        'changed README.md',
        'removed src/operations/get-b.ts',
        'added src/operations/get-c.ts',
        'changed src/router.ts\n',
      ].join('\n'),
      stderr: 'out differs from the output of a build. Build it again.\n',
    });
    expect(space.files('out')).toEqual(before);
  });

  test('exits with 0 if there is nothing, also without .env: it is not part of a repository', async () => {
    await space.build();
    space.write('out/.env', 'A=edited\n');
    expect(await space.build({ check: true })).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('names files in the way that a build would neither write nor remove', async () => {
    await space.build();
    space.write('config.yaml', configuration('GET /a'));
    space.write('out/src/operations/get-b.ts', '// edited\n');
    expect((await space.build({ check: true })).stdout).toContain(
      'in the way src/operations/get-b.ts (edited after the build wrote it)\n',
    );
  });

  test('makes no folder', async () => {
    const { status, stdout } = await space.build({ check: true });
    expect(status).toBe(3);
    expect(stdout).toContain('added src/main.ts\n');
    expect(space.exists('out')).toBe(false);
  });

  test('as JSON is one document', async () => {
    await space.build();
    space.write('out/Dockerfile', '# edited\n');
    const { status, stdout } = await space.build({ check: true, format: 'json' });
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toEqual({
      diagnostics: [],
      changes: [{ path: 'Dockerfile', kind: 'changed' }],
      conflicts: [{ path: 'Dockerfile', reason: 'edited' }],
    });
  });
});

describe('--name', () => {
  test('is the name of package, image and manifests, and later builds keep it', async () => {
    const options = { target: 'kubernetes', name: 'shop' } as const;
    expect((await space.build(options)).status).toBe(0);
    const files = space.files('out');
    expect(JSON.parse(files['package.json'] ?? '')).toMatchObject({ name: 'shop' });
    expect(JSON.parse(files['package-lock.json'] ?? '')).toMatchObject({
      name: 'shop',
      packages: { '': { name: 'shop' } },
    });
    expect(files['README.md']).toMatch(/^# shop\n/);
    expect(files['README.md']).toContain('docker build -t shop .');
    expect(files['kubernetes/base/deployment.yaml']).toContain('image: shop\n');
    expect(files['kubernetes/kustomization.yaml']).toContain('- name: shop\n');
    // Two services in one namespace must not share objects or labels.
    const manifests = Object.entries(files).filter(([path]) => /^kubernetes\/.*\.yaml$/.test(path));
    for (const [path, text] of manifests)
      for (const [, name = ''] of text.matchAll(
        /^ *(?:- )?(?:name|app\.kubernetes\.io\/name|image): (.+)$/gm,
      ))
        expect([path, name]).not.toEqual([path, expect.stringMatching(/^service\b/)]);
    expect(await space.build({ check: true })).toMatchObject({ status: 0 });
    await space.build({ name: 'orders' });
    expect(space.files('out')['kubernetes/base/service.yaml']).toContain('app.kubernetes.io/name: orders');
  });

  test.each(['Shop', 'a_b', '-a', 'a-', '', 'x'.repeat(28), 'a b'])('%j is wrong use', async (name) => {
    const { status, stderr } = await space.build({ name });
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('for example shop') as unknown,
    });
  });
});

describe('--target kubernetes', () => {
  test('adds manifests, which later builds keep until another target is named', async () => {
    await space.build();
    expect(space.exists('out/kubernetes')).toBe(false);
    await space.build({ target: 'kubernetes' });
    expect(space.exists('out/kubernetes/base/deployment.yaml')).toBe(true);
    expect(await space.build({ check: true })).toMatchObject({ status: 0 });
    expect((await space.build()).stderr).toBe('out: nothing to change\n');
    expect(await space.build({ check: true, target: 'docker' })).toMatchObject({ status: 3 });
    expect((await space.build({ target: 'docker' })).status).toBe(0);
    expect(space.exists('out/kubernetes/base')).toBe(false);
    expect(space.exists('out/kubernetes/settings.yaml')).toBe(true);
    expect(await space.build({ check: true })).toMatchObject({ status: 0 });
  });

  test('files next to base are written once, and do not contain secrets', async () => {
    await space.build({ target: 'kubernetes' });
    space.write('out/kubernetes/settings.yaml', '# mine\n');
    space.write('config.yaml', configuration('GET /c'));
    expect((await space.build()).status).toBe(0);
    expect(space.read('out/kubernetes/settings.yaml')).toBe('# mine\n');
    for (const [path, text] of Object.entries(space.files('out/kubernetes')))
      expect(text, path).not.toContain('hunter2');
  });

  test('--with adds objects, which later builds keep until others are named, or none', async () => {
    const objects = (): string[] =>
      ['ingress', 'network-policy', 'pod-monitor'].filter((name) => {
        const isThere = space.exists(`out/kubernetes/base/${name}.yaml`);
        expect(space.read('out/kubernetes/base/kustomization.yaml').includes(`- ${name}.yaml`)).toBe(isThere);
        return isThere;
      });
    const run = (...options: string[]) => space.run('build', '--out', 'out', ...options);
    expect(await run('--target', 'kubernetes')).toMatchObject({ status: 0 });
    expect(objects()).toEqual([]);
    expect(await run('--with', 'pod-monitor, ingress')).toMatchObject({ status: 0 });
    expect(objects()).toEqual(['ingress', 'pod-monitor']);
    expect(await run('--check')).toMatchObject({ status: 0 });
    expect((await run()).stderr).toBe('out: nothing to change\n');
    expect(await run('--check', '--with', 'none')).toMatchObject({ status: 3 });
    expect(await run('--with', 'network-policy')).toMatchObject({ status: 0 });
    expect(objects()).toEqual(['network-policy']);
    expect(await run('--with', 'none')).toMatchObject({ status: 0 });
    expect(objects()).toEqual([]);
    expect((await run()).stderr).toBe('out: nothing to change\n');
  });

  test('--with is refused where nothing is for Kubernetes, and so are names that it does not know', async () => {
    expect(await space.run('build', '--out', 'out', '--with', 'ingress')).toEqual({
      status: 2,
      stdout: '',
      stderr: '--with is for --target kubernetes.\n',
    });
    for (const names of ['ingres', 'ingress,none', 'ingress,', ''])
      expect(
        await space.run('build', '--out', 'out', '--target', 'kubernetes', '--with', names),
        names,
      ).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('is not one of ingress, network-policy, pod-monitor.') as string,
      });
    expect(space.exists('out')).toBe(false);
  });

  test('another target is wrong use', async () => {
    expect(await space.run('build', '--out', 'out', '--target', 'moon')).toMatchObject({ status: 2 });
  });
});
