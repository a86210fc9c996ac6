/** `npm test -- --changed [<commit>]`: adds the test files that import files changed since a commit to the quick ones. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './prepare.mjs';

/**
 * The test files that have changed or import a changed file, directly or through other files of `test`. Nearly every test imports the whole
 * compiler through one of its modules, so chains of imports end at the first compiler module.
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

/** Changed files relative to the repository, including untracked ones. */
function changedSince(commit) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  const tracked = git('diff', '--name-only', '--end-of-options', commit);
  return new Set([...tracked, ...git('ls-files', '--others', '--exclude-standard')].filter(Boolean));
}

/** Returns a function that lists the imports of a file in `test`, as parsed by TypeScript. */
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
