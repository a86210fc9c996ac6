/** A user function that operations call: its file, and the position of its export. */
import type { Source } from '../../read/source.js';
import { moduleOf } from './module-imports.js';
import { boundNames, treeOf } from './module-tree.js';
import { typescript, type ts as types } from './load-typescript.js';

/** Path of the function's file, relative to the service's folder. */
export function fileOfFunction(name: string): string {
  return `src/code/${name}.ts`;
}

export interface ExportedName {
  readonly source: Source;
  /** Start of the name. */
  readonly start: number;
}

/** The position at which a function's file exports it by name, including `export *` from another of the files; undefined if it does not. */
export function exportOf(
  name: string,
  files: readonly Source[],
  path = fileOfFunction(name),
  seen = new Set<string>(),
): ExportedName | undefined {
  const source = files.find((file) => file.path === path);
  if (source === undefined || seen.has(path)) return undefined;
  seen.add(path);
  const { statements } = treeOf(source);
  for (const statement of statements) {
    const start = exportedNames(statement)
      .find((node) => node.text === name)
      ?.getStart();
    if (start !== undefined) return { source, start };
  }
  for (const module of statements.flatMap(modulePassedOn)) {
    const found = exportOf(name, files, `${moduleOf(path, module)}.ts`, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Names of functions and variables exported by a statement. */
function exportedNames(statement: types.Statement): types.Identifier[] {
  const ts = typescript();
  if (ts.isExportDeclaration(statement)) {
    const { exportClause, isTypeOnly } = statement;
    if (isTypeOnly || exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
    return exportClause.elements.flatMap(({ name, isTypeOnly: isType }) =>
      ts.isIdentifier(name) && !isType ? [name] : [],
    );
  }
  if (!ts.canHaveModifiers(statement)) return [];
  const kinds = (ts.getModifiers(statement) ?? []).map(({ kind }) => kind);
  const { DeclareKeyword, DefaultKeyword, ExportKeyword } = ts.SyntaxKind;
  if (!kinds.includes(ExportKeyword) || kinds.includes(DefaultKeyword) || kinds.includes(DeclareKeyword))
    return [];
  if (ts.isFunctionDeclaration(statement)) return statement.name === undefined ? [] : [statement.name];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
}

/** The module in `export * from './prices.js'`. */
function modulePassedOn(statement: types.Statement): string[] {
  const ts = typescript();
  if (!ts.isExportDeclaration(statement) || statement.isTypeOnly || statement.exportClause !== undefined)
    return [];
  const { moduleSpecifier } = statement;
  return moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
}
