/** A message with unmarked parameters, or with a mark of the wrong type, does not compile. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { compilerErrors } from '../helpers/type-check.js';

const imports = `import { error } from '${join(repository, 'compiler/read/diagnostics/catalogue/entry-messages.js')}';
import { words } from '${join(repository, 'compiler/read/diagnostics/marks.js')}';
`;

/** Each entry is on a separate line, starting at line 3. */
const entries = {
  right:
    "error({ found: words('a', 'b'), name: 'text' }, (p: { found: 'a' | 'b'; name: string; count: number }) => ({ message: `${p.found}${p.name}${p.count}` }))",
  'a mark is missing':
    "error({ name: 'text' }, (p: { found: 'a' | 'b'; name: string }) => ({ message: p.found + p.name }))",
  'all marks are missing': 'error((p: { name: string }) => ({ message: p.name }))',
  'a word is missing': "error({ found: words('a') }, (p: { found: 'a' | 'b' }) => ({ message: p.found }))",
  'a word is too many':
    "error({ found: words('a', 'b', 'c') }, (p: { found: 'a' | 'b' }) => ({ message: p.found }))",
  'words are marked as text': "error({ found: 'text' }, (p: { found: 'a' | 'b' }) => ({ message: p.found }))",
  'text is marked as words': "error({ name: words('a') }, (p: { name: string }) => ({ message: p.name }))",
  'a suggestion is always there':
    "error({ name: 'suggestion' }, (p: { name: string }) => ({ message: p.name }))",
};

test('only the marks of its parameters compile', () => {
  mkdirSync(join(repository, 'dist/test'), { recursive: true });
  const folder = mkdtempSync(join(repository, 'dist/test/marks-'));
  try {
    const lines = Object.values(entries).map((entry, index) => `export const entry${index} = ${entry};\n`);
    writeFileSync(join(folder, 'entries.ts'), imports + lines.join(''));
    const project = { extends: join(repository, 'tsconfig.json'), include: [], files: ['entries.ts'] };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ ...project, compilerOptions: { rootDir: repository } }),
    );
    const errors = compilerErrors(folder, join(folder, 'tsconfig.json'));
    const wrong = new Set(errors.map((text) => Number(/entries\.ts:(\d+)/.exec(text)?.[1]) - 3));
    expect(Object.keys(entries).filter((_, index) => wrong.has(index))).toEqual(
      Object.keys(entries).filter((name) => name !== 'right'),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
