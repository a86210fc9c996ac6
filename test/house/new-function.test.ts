/**
 * "To add X, touch Y" of CONTRIBUTING.md is true for a function of the language: with it in the tree of expressions and
 * nowhere else, each of the files that the table names stops compiling; with all of them touched, the compiler compiles.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { sourcesBelow } from './sources.js';

const tree = 'compiler/expression/ast.ts';

/** `NOW()`: a kind of expression beside the others. */
function withKind(text: string): string {
  return text.replace(
    'export type Expression =',
    "export interface Now extends Node {\n  readonly kind: 'now';\n}\n\nexport type Expression =\n  | Now",
  );
}

/** What to write in the other files: where something is said of null, the same is said of it. */
function touched(text: string): string {
  const rule =
    "now: { NOW: { form: 'NOW()', read: (given) => (given.end() ? { kind: 'now' } : undefined) } },";
  return text
    .replaceAll("case 'null':\n", "case 'now':\n    case 'null':\n")
    .replace('  null: { NULL: ', `  ${rule}\n  null: { NULL: `);
}

/** The files that the table names for it before its first colon, as paths. */
function namedFiles(): string[] {
  const table = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8');
  const cell = /^\| a function or operator +\| ([^:|]+)/m.exec(table)?.[1] ?? '';
  return [...cell.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path = '']) => `compiler/${path}`);
}

/** The files that are as they are, for the second look. */
const parsed = new Map<string, ts.SourceFile>();

/** The files with a mistake when these are written in the place of those that are there; only files that tell kinds apart are looked at. */
function filesWithMistakes(changed: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(join(repository, 'tsconfig.json'), (path) =>
    ts.sys.readFile(path),
  ) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
  const host = ts.createCompilerHost(options);
  const pathOf = (path: string): string => join(repository, path).replaceAll('\\', '/');
  const texts = new Map([...changed].map(([path, text]) => [pathOf(path), text]));
  const read = host.readFile.bind(host);
  host.readFile = (path) => texts.get(path) ?? read(path);
  host.getSourceFile = (path, version) => {
    const known = texts.has(path) ? undefined : parsed.get(path);
    if (known !== undefined) return known;
    const text = host.readFile(path);
    const file = text === undefined ? undefined : ts.createSourceFile(path, text, version);
    if (file !== undefined && !texts.has(path)) parsed.set(path, file);
    return file;
  };
  const sources = sourcesBelow('compiler').filter(({ text }) => /\bswitch \(|\bRecord</.test(text));
  const program = ts.createProgram(
    sources.map(({ path }) => pathOf(path)),
    { ...options, noEmit: true, incremental: false },
    host,
  );
  return sources.flatMap(({ path }) => {
    const file = program.getSourceFile(pathOf(path));
    return program.getSemanticDiagnostics(file).length > 0 ? [path] : [];
  });
}

const named = namedFiles();
const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');
const added: [string, string] = [tree, withKind(textOf(tree))];

test('the table of CONTRIBUTING.md begins with the tree', () => {
  expect(named[0]).toBe(tree);
  expect(added[1]).not.toBe(textOf(tree));
});

test('a function that stands in the tree alone does not compile in any other file that the table names', () => {
  expect(filesWithMistakes(new Map([added]))).toEqual(named.slice(1).sort());
}, 300_000);

test('the compiler compiles when all of them are touched', () => {
  const others = named.slice(1).map((path): [string, string] => [path, touched(textOf(path))]);
  expect(others.filter(([path, text]) => text === textOf(path))).toEqual([]);
  expect(filesWithMistakes(new Map([added, ...others]))).toEqual([]);
}, 300_000);
