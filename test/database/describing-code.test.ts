/** Cached database results depend on the compiler version: another version asks the database again. */
import { execFile } from 'node:child_process';
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeIn } from '../../compiler/analyze/database/disk-cache.js';
import { configuration, Workspace } from '../commands/workspace.js';
import { repository } from '../helpers/service-fixture.js';
import { builtTool } from '../helpers/shared-servers.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});

afterEach(() => {
  space.remove();
});

test('a changed, new or removed file of code is other code, a file next to it is not', () => {
  const folder = space.path('database');
  cpSync(join(repository, 'compiler/analyze/database'), folder, { recursive: true });
  const first = codeIn(folder);
  expect(first).toBe(codeIn(join(repository, 'compiler/analyze/database')));
  space.write('database/postgres.tar.gz', 'packed');
  expect(codeIn(folder)).toBe(first);
  const other = space
    .read('database/describe-postgres.ts')
    .replace('index < text.length', 'index <= text.length');
  space.write('database/describe-postgres.ts', other);
  const second = codeIn(folder);
  space.write('database/more.ts', '');
  const third = codeIn(folder);
  rmSync(space.path('database/open-schemas.ts'));
  expect(new Set([first, second, third, codeIn(folder)]).size).toBe(4);
});

test('the built compiler keeps what it has described, and after a change describes it once more', async () => {
  const built = dirname(await builtTool());
  const copied = space.path('package/dist/compiler');
  mkdirSync(copied, { recursive: true });
  for (const name of readdirSync(built)) copyFileSync(join(built, name), join(copied, name));
  for (const name of ['node_modules', 'runtime', 'templates', 'package.json'])
    symlinkSync(join(repository, name), space.path('package', name));
  space.write('config.yaml', configuration('GET /a').replace("SELECT 'GET /a'", 'SELECT a FROM news'));
  space.write('schema.sql', 'CREATE TABLE news (a int)');
  const kept = async (): Promise<number> => {
    const env = { ...process.env, XDG_CACHE_HOME: space.path('cache') };
    await promisify(execFile)(process.execPath, ['--liftoff-only', join(copied, 'cli.js'), 'check'], {
      cwd: space.folder,
      env,
    });
    return readdirSync(space.path('cache/apikiln/schemas')).length;
  };
  expect([await kept(), await kept()]).toEqual([1, 1]);
  const chunk = readdirSync(copied).find((name) => name.startsWith('embedded-postgres')) ?? '';
  appendFileSync(join(copied, chunk), '\n// Another description.\n');
  expect(await kept()).toBe(2);
});
