/** Git tracks every file of a service, whatever the repository around it ignores, and no secret. */
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readManifest } from '../../compiler/generate/write/manifest.js';
import { configuration, Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('config.yaml', configuration('GET /a'));
});

afterEach(() => {
  space.remove();
});

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: space.path('.'), encoding: 'utf8' });
}

test.each([
  ['GitHub’s template for Node.js', '*.tgz\n*.log\nnode_modules/\n.env\n.env.*\n!.env.example\n'],
  ['a folder of packages', 'vendor/\n'],
  ['the content of a folder of packages', '**/vendor/*\n'],
  ['lock files', 'package-lock.json\n'],
])('below a .gitignore with %s', async (_, rules) => {
  space.write('.gitignore', rules);
  expect(await space.build({ out: 'service' })).toMatchObject({ status: 0 });
  git('init', '--quiet');
  git('add', '--all');
  const tracked = git('ls-files', 'service').trim().split('\n');
  const written = [...readManifest(space.read('service/.apikiln.json')).keys()];
  expect(written.filter((path) => path.endsWith('.tgz'))).toHaveLength(1);
  expect(written.filter((path) => !tracked.includes(`service/${path}`))).toEqual([]);
  expect(tracked).not.toContain('service/.env');
});
