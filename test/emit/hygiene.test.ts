/** The code generated for the fixtures meets a reviewer's standards: no suppressed warnings, nothing unused, formatted. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';
import { ts } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { isArchive } from '../../compiler/generate/write/archive.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { repository } from '../helpers/service-fixture.js';

/**
 * Most files belong to the runtime and are the same in every service, so each one is examined only in the first service that contains it.
 */
const seen = new Set<string>();
function isFirst({ path, text }: GeneratedFile): boolean {
  const count = seen.size;
  return seen.add(`${path}\n${text}`).size > count;
}

const outputs = (await compiledFixtures()).fixtures.map(({ id, files = [] }) => ({
  id,
  files: files.filter((file) => file.path !== '.env' && isFirst(file)),
}));

function forbidden(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isForbidden = node.kind === ts.SyntaxKind.AnyKeyword || ts.isNonNullExpression(node);
    if (isForbidden) found.push(node.parent.getText());
    node.forEachChild(visit);
  };
  ts.createSourceFile('module.ts', text, ts.ScriptTarget.ES2023, true).forEachChild(visit);
  return found;
}

describe.each(outputs)('$id', ({ files }) => {
  const modules = files.filter(({ path }) => path.endsWith('.ts'));

  test('suppresses nothing', () => {
    for (const { path, text } of modules) {
      expect(text, path).not.toMatch(/@ts-|eslint|prettier-ignore|istanbul|v8 ignore/);
    }
  });

  test('has no `any` and no non-null assertion', () => {
    for (const { path, text } of modules) expect(forbidden(text), path).toEqual([]);
  });

  test('imports nothing that it does not use, nothing twice, and in order', () => {
    for (const { path, text } of modules) {
      const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
      const imports = source.statements.filter(ts.isImportDeclaration);
      const specifiers = imports.map(({ moduleSpecifier }) => moduleSpecifier.getText());
      expect(new Set(specifiers).size, path).toBe(specifiers.length);
      const body = text.slice(imports.at(-1)?.end ?? 0);
      for (const { importClause } of imports) {
        const bindings = importClause?.namedBindings;
        const names = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [];
        for (const { name } of names)
          expect(body, `${path}: ${name.text}`).toMatch(new RegExp(`\\b${name.text}\\b`));
      }
    }
  });

  test('is formatted: formatting it again changes nothing', async () => {
    // Some services contain only modules, because other files have already been examined.
    expect(modules.length).toBeGreaterThan(0);
    for (const { path, text } of files.filter((file) => /\.(?:json|md)$/.test(file.path))) {
      if (path === 'package-lock.json') continue;
      const parser = path.endsWith('package.json')
        ? 'json-stringify'
        : path.endsWith('.md')
          ? 'markdown'
          : 'json';
      expect(
        await format(text, { parser, printWidth: 120, proseWrap: 'preserve', singleQuote: true }),
        path,
      ).toBe(text);
    }
  });

  test('ends every file with one line break, has no tab and no space at the end of a line', () => {
    for (const { path, text } of files.filter(({ path }) => !isArchive(path))) {
      expect(text, path).toMatch(/[^\n]\n$/);
      expect(text, path).not.toMatch(/[\t\r]| \n/);
    }
  });

  test('begins every module with its origin', () => {
    for (const { path, text } of modules.filter((file) => file.kind === 'generated')) {
      expect(text, path).toMatch(
        /^\/\/ Generated from (config\.yaml|operations\/[\w/-]+\.yaml)\. Do not edit: change \1 and build again\.\n/,
      );
    }
  });
});

test('an ordinary linter finds nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-hygiene-'));
  try {
    for (const { id, files } of outputs) {
      for (const { path, text } of files.filter((file) => file.path.startsWith('src/operations/'))) {
        mkdirSync(join(folder, id, 'src/operations'), { recursive: true });
        writeFileSync(join(folder, id, path), text);
      }
    }
    const rules = [
      ...['no-useless-escape', 'no-constant-condition', 'no-extra-boolean-cast', 'no-self-compare'],
      ...['no-unreachable', 'no-var', 'prefer-const', 'no-useless-concat', 'no-empty', 'no-debugger'],
    ];
    const project = {
      plugins: [],
      categories: { correctness: 'off' },
      rules: Object.fromEntries(rules.map((name) => [name, 'error'])),
    };
    writeFileSync(join(folder, 'rules.json'), JSON.stringify(project));
    const lint = join(repository, 'node_modules/oxlint/bin/oxlint');
    const args = [lint, '--config', 'rules.json', '--format', 'unix', '.'];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect({ status, stdout }).toMatchObject({ status: 0 });
    expect(stdout).not.toContain('operations/');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
