/** `npm test -- --changed [<commit>]`: the test files that import what was changed since a commit, in addition to the quick ones. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './prepare.mjs';

/**
 * The test files that are changed, or that import a changed file: themselves, or through other files of `test`. Nearly every test imports
 * the whole compiler through one of its modules, so a chain of imports ends at the first module of it.
 */
export async function testsOfChanges(commit = 'HEAD') {
  const changed = changedSince(commit);
  const importsOf = await reader();
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'));
  const imports = new Map(files.map((path) => [path, importsOf(path)]));
  const reached = new Set([...changed]);
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const [path, imported] of imports) if (imported.some((one) => reached.has(one))) reached.add(path);
  }
  return [...reached].filter((path) => path.endsWith('.test.ts') && existsSync(join(root, path))).sort();
}

/** Also those that git does not know yet. From the root of the repository. */
function changedSince(commit) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  const tracked = git('diff', '--name-only', '--end-of-options', commit);
  return new Set([...tracked, ...git('ls-files', '--others', '--exclude-standard')].filter(Boolean));
}

/** Returns the files that a file of `test` imports, as TypeScript reads them. */
async function reader() {
  const { ts } = await import('ts-morph');
  return (path) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), 'utf8'), true, true);
    return importedFiles
      .filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => relative(root, join(root, dirname(path), fileName)).replaceAll('\\', '/'))
      .map((name) => name.replace(/\.js$/, '.ts'));
  };
}
