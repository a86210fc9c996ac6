/** The product's source files, for tests of repository rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ts } from 'ts-morph';
import { repository } from '../helpers/service-fixture.js';

export interface SourceFile {
  /** The path relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** A path relative to the repository, or the name of a package. */
  readonly target: string;
  readonly isTypeOnly: boolean;
}

/** All TypeScript files in a folder, recursively. */
export function sourcesBelow(folder: string): SourceFile[] {
  return filesBelow(folder)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') }));
}

/** The paths of all files in a folder, recursively, sorted. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(repository.length).replaceAll('\\', '/'))
    .sort();
}

const known = new WeakMap<SourceFile, readonly Import[]>();

/** Everything that a file imports or re-exports, including dynamic imports; each file is parsed once. */
export function importsOf(file: SourceFile): readonly Import[] {
  const imports = known.get(file) ?? readImports(file);
  known.set(file, imports);
  return imports;
}

function readImports({ path, text }: SourceFile): Import[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean): void => {
    if (specifier !== undefined && ts.isStringLiteral(specifier))
      found.push({ target: targetOf(path, specifier.text), isTypeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true);
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

function targetOf(path: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
}
