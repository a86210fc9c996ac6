/**
 * The advice in CONTRIBUTING.md for adding a function to the language is right: if only the expression tree has the new function, exactly
 * the listed files stop compiling; after all of them are changed, the compiler compiles.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { compilerErrors } from '../helpers/type-check.js';

const tree = 'compiler/read/expression/ast.ts';

/** `TODAY()`: an additional kind of expression. */
function withKind(text: string): string {
  return text.replace(
    'export type Expression =',
    "export interface Today extends Node {\n  readonly kind: 'today';\n}\n\nexport type Expression =\n  | Today",
  );
}

/** The text of a listed file after adding the new kind of expression, which is treated like null. */
function touched(text: string): string {
  const rule =
    "today: { TODAY: { form: 'TODAY()', read: (given) => (given.end() ? { kind: 'today' } : undefined) } },";
  const facts = "today: { parts: [], type: 'unknown', from: 'other', inSyntaxB: false },";
  return text
    .replaceAll("case 'null':\n", "case 'today':\n    case 'null':\n")
    .replace('  null: { parts: ', `  ${facts}\n  null: { parts: `)
    .replace('  null: { NULL: ', `  ${rule}\n  null: { NULL: `);
}

/** The files listed before the first semicolon of that advice, as paths. */
function namedFiles(): string[] {
  const text = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8');
  const list = /^- \*\*a function or operator\*\*: ([^;]+)/m.exec(text)?.[1] ?? '';
  return [...list.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path = '']) => `compiler/${path}`);
}

/** The files with type errors in a copy of the compiler that contains these changed files. */
function filesWithErrors(changed: ReadonlyMap<string, string>): string[] {
  mkdirSync(join(repository, 'dist/test'), { recursive: true });
  const copy = mkdtempSync(join(repository, 'dist/test/new-function-'));
  try {
    for (const folder of ['compiler', 'runtime'])
      cpSync(join(repository, folder), join(copy, folder), { recursive: true });
    for (const [path, text] of changed) writeFileSync(join(copy, path), text);
    const project = { extends: join(repository, 'tsconfig.json'), include: ['compiler'] };
    writeFileSync(
      join(copy, 'tsconfig.json'),
      JSON.stringify({ ...project, compilerOptions: { rootDir: '.' } }),
    );
    const errors = compilerErrors(copy, join(copy, 'tsconfig.json'));
    return [...new Set(errors.map((text) => text.replace(/:.*/s, '')))].sort();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const named = namedFiles();
const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');
const added: [string, string] = [tree, withKind(textOf(tree))];

test('the list of CONTRIBUTING.md begins with the tree', () => {
  expect(named[0]).toBe(tree);
  expect(added[1]).not.toBe(textOf(tree));
});

test('a function that is in the tree alone does not compile in any other file that the list names', () => {
  expect(filesWithErrors(new Map([added]))).toEqual(named.slice(1).sort());
});

test('the compiler compiles when all of them are touched', () => {
  const others = named.slice(1).map((path): [string, string] => [path, touched(textOf(path))]);
  expect(others.filter(([path, text]) => text === textOf(path))).toEqual([]);
  expect(filesWithErrors(new Map([added, ...others]))).toEqual([]);
});
