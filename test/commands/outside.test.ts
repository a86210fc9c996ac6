/** Files outside the service's folder are never written, removed or treated as the service's, even with an edited manifest or links. */
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hash } from '../../compiler/generate/write/manifest.js';
import { configuration, Workspace } from './workspace.js';

let space: Workspace;
const treasure = 'treasure\n';

beforeEach(async () => {
  space = new Workspace();
  space.write('config.yaml', configuration('GET /a', 'GET /b'));
  space.write('outside/treasure.txt', treasure);
  await space.build();
});

afterEach(() => {
  expect(space.read('outside/treasure.txt')).toBe(treasure);
  expect(Object.keys(space.files('outside')).filter((path) => path.endsWith('.ts'))).toEqual([]);
  space.remove();
});

/** Adds entries to the manifest, as an attacker could. */
function editManifest(entries: object): void {
  const manifest = JSON.parse(space.read('out/.apikiln.json')) as { files: object };
  space.write('out/.apikiln.json', JSON.stringify({ ...manifest, files: { ...manifest.files, ...entries } }));
}

describe('a manifest that somebody edited', () => {
  test.each([
    '../outside/treasure.txt',
    'src/../../outside/treasure.txt',
    './../outside/treasure.txt',
    '..\\outside\\treasure.txt',
    'src\\..\\..\\outside\\treasure.txt',
    '../../../../../../../../etc/passwd',
    '/etc/passwd',
    'C:/outside/treasure.txt',
    '',
    '.',
    '..',
    './',
    'src/',
    'src//router.ts',
    '\0',
  ])('removes nothing at %j', async (path) => {
    editManifest({
      [path]: hash(treasure, path),
      [space.path('outside/treasure.txt')]: hash(treasure, path),
    });
    expect(await space.build()).toMatchObject({ status: 0, stderr: 'out: 1 changed\n' });
    expect((await space.build()).stderr).toBe('out: nothing to change\n');
  });

  test.each([
    '',
    'null',
    '[]',
    '{',
    '{"files":null}',
    '{"files":[1]}',
    '{"files":{"a":1,"b":[2],"c":{}}}',
    '\0',
  ])('that reads %j makes builds careful, and is written anew', async (text) => {
    space.write('out/.apikiln.json', text);
    expect(await space.build()).toMatchObject({ status: 0, stderr: 'out: 1 changed\n' });
    space.write('out/.apikiln.json', text);
    space.write('config.yaml', configuration('GET /a'));
    const { status, stderr } = await space.build();
    expect(status).toBe(1);
    expect(stderr).toContain('src/router.ts (no build wrote it)');
  });
});

describe('links', () => {
  test('a folder that is a link to elsewhere is in the way, also with --force', async () => {
    mkdirSync(space.path('outside/operations'));
    renameSync(space.path('out/src/operations'), space.path('kept'));
    symlinkSync(space.path('outside/operations'), space.path('out/src/operations'));
    for (const force of [false, true]) {
      const { status, stderr } = await space.build({ force });
      expect(status).toBe(1);
      expect(stderr).toContain('src/operations/get-a.ts (a folder or a link is in the way)');
    }
    expect(Object.keys(space.files('outside'))).toEqual(['treasure.txt']);
  });

  test('written files are not removed through a link', async () => {
    renameSync(space.path('out/src/operations'), space.path('outside/operations'));
    symlinkSync(space.path('outside/operations'), space.path('out/src/operations'));
    editManifest({ 'src/operations/../../../outside/treasure.txt': hash(treasure, '') });
    space.write('outside/operations/get-b.ts', treasure);
    editManifest({ 'src/operations/get-b.ts': hash(treasure, '') });
    space.write('config.yaml', configuration('GET /a'));
    await space.build({ force: true });
    expect(space.read('outside/operations/get-b.ts')).toBe(treasure);
    renameSync(space.path('outside/operations'), space.path('kept'));
  });

  test('a link instead of a file is replaced itself, and only with --force', async () => {
    space.write('config.yaml', configuration('GET /c'));
    for (const path of ['src/router.ts', 'src/operations/get-c.ts']) {
      if (space.exists(`out/${path}`)) renameSync(space.path('out', path), space.path('kept'));
      symlinkSync(space.path('outside/treasure.txt'), space.path('out', path));
    }
    const refused = await space.build();
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('  src/router.ts (edited after the build wrote it)\n');
    expect(refused.stderr).toContain('  src/operations/get-c.ts (no build wrote it)\n');
    expect((await space.build({ force: true })).status).toBe(0);
    expect(space.read('out/src/router.ts')).toContain('/c');
  });

  test('an .env that is a link is its owner’s', async () => {
    renameSync(space.path('out/.env'), space.path('kept'));
    symlinkSync(space.path('outside/treasure.txt'), space.path('out/.env'));
    const { status, stderr } = await space.build({ force: true });
    expect(status).toBe(0);
    expect(stderr).toContain('out/.env was edited by hand');
  });

  test('the file through which texts are written follows no link', async () => {
    symlinkSync(space.path('outside/treasure.txt'), space.path('out/.apikiln.tmp'));
    space.write('config.yaml', configuration('GET /c'));
    expect((await space.build()).status).toBe(0);
    expect(space.exists('out/.apikiln.tmp')).toBe(false);
  });

  test('the folder itself may be a link: its owner named it', async () => {
    renameSync(space.path('out'), space.path('real'));
    symlinkSync(space.path('real'), space.path('out'));
    space.write('config.yaml', configuration('GET /c'));
    expect((await space.build()).status).toBe(0);
    expect(space.exists('real/src/operations/get-c.ts')).toBe(true);
  });
});
