/** The file that `apikiln build --client` writes, replaces, compares and refuses to replace. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configuration, Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('config.yaml', configuration('GET /a'));
});

afterEach(() => {
  space.remove();
});

const first =
  '// A client of the service. Generated from config.yaml by apikiln build --client. Do not edit.\n';

describe('writes', () => {
  test('a module in a new folder, and nothing the second time', async () => {
    const built = await space.build({ client: 'web/api.ts', quiet: false });
    expect(built).toMatchObject({ status: 0 });
    expect(built.stderr).toContain('web/api.ts: added\n');
    expect(space.read('web/api.ts').startsWith(first)).toBe(true);
    expect(space.read('web/api.ts')).toContain('export function getA(client: Client');
    const again = await space.build({ client: 'web/api.ts' });
    expect(again.stderr).toBe('out: nothing to change\nweb/api.ts: nothing to change\n');
  });

  test('the same service with and without a client', async () => {
    await space.build();
    const before = space.files('out');
    await space.build({ client: 'api.ts' });
    expect(space.files('out')).toEqual(before);
  });

  test('over an earlier client, edited or not', async () => {
    await space.build({ client: 'api.ts' });
    const before = space.read('api.ts');
    space.write('api.ts', `${before}// edited\n`);
    expect((await space.build({ client: 'api.ts' })).stderr).toContain('api.ts: changed\n');
    expect(space.read('api.ts')).toBe(before);
  });

  test('nothing if the configuration has errors', async () => {
    space.write('config.yaml', 'specification: "1.0"\n');
    expect((await space.build({ client: 'api.ts' })).status).toBe(1);
    expect(space.exists('api.ts')).toBe(false);
  });

  test('the change in JSON, with a path relative to the service', async () => {
    const { stdout } = await space.build({ client: 'web/api.ts', format: 'json' });
    const { changes } = JSON.parse(stdout) as { changes: readonly unknown[] };
    expect(changes).toContainEqual({ path: '../web/api.ts', kind: 'added' });
  });
});

describe('--check', () => {
  test('reports a missing and a stale client, and writes nothing', async () => {
    await space.build();
    expect(await space.build({ client: 'api.ts', check: true })).toMatchObject({
      ...{ status: 3, stdout: 'added ../api.ts\n' },
      stderr: 'out differs from the output of a build. Build it again.\n',
    });
    expect(space.exists('api.ts')).toBe(false);
    await space.build({ client: 'api.ts' });
    expect(await space.build({ client: 'api.ts', check: true })).toMatchObject({ status: 0, stdout: '' });
    space.write('config.yaml', configuration('GET /a', 'GET /b'));
    await space.build();
    expect(await space.build({ client: 'api.ts', check: true })).toMatchObject({
      ...{ status: 3, stdout: 'changed ../api.ts\n' },
    });
  });

  test('annotates the client for GitHub', async () => {
    await space.build();
    const { status, stdout } = await space.build({ client: 'api.ts', check: true, format: 'github' });
    expect(status).toBe(3);
    expect(stdout).toContain('file=api.ts');
  });
});

describe('refuses', () => {
  test('to replace a file of others, without writing the service', async () => {
    space.write('api.ts', 'export {};\n');
    const { status, stderr } = await space.build({ client: 'api.ts' });
    expect({ status, stderr }).toMatchObject({ status: 1 });
    expect(stderr).toContain('  ../api.ts (no build wrote it)\n');
    expect([space.files('out'), space.read('api.ts')]).toEqual([{}, 'export {};\n']);
    expect(await space.build({ client: 'api.ts', force: true })).toMatchObject({ status: 0 });
    expect(space.read('api.ts').startsWith(first)).toBe(true);
  });

  test('a link, and a folder even with --force', async () => {
    space.write('other.ts', 'export {};\n');
    symlinkSync(space.path('other.ts'), space.path('api.ts'));
    expect((await space.build({ client: 'api.ts' })).status).toBe(1);
    expect(space.read('other.ts')).toBe('export {};\n');
    mkdirSync(space.path('folder.ts'));
    expect((await space.build({ client: 'folder.ts', force: true })).status).toBe(1);
  });

  test.each([
    ['out/api.ts', 'is in the folder of the service'],
    ['out/src/api.ts', 'is in the folder of the service'],
    ['linked/api.ts', 'is in the folder of the service'],
    ['api.js', 'its name ends with .ts'],
    ['api.d', 'its name ends with .ts'],
  ])('%s', async (client, message) => {
    await space.build();
    symlinkSync(space.path('out/src'), space.path('linked'));
    const { status, stderr } = await space.run('build', '--out', 'out', '--client', client);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
