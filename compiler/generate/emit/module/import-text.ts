/** The text of import declarations. ts-morph writes it. */
import type { ImportDeclarationStructure } from 'ts-morph';
import { Project, StructureKind } from './ts-morph.js';

/** One import declaration; `names` are in the order in which they are written. */
export interface ImportDeclaration {
  readonly specifier: string;
  readonly names: readonly { readonly name: string; readonly isType: boolean }[];
}

/** The texts of some lists of imports. */
export function importTexts(lists: readonly (readonly ImportDeclaration[])[]): string[] {
  const project = new Project({ useInMemoryFileSystem: true });
  return lists.map((imports) => {
    const file = project.createSourceFile('/imports.ts', { statements: imports.map(structureOf) });
    const text = file.getFullText();
    project.removeSourceFile(file);
    return text;
  });
}

function structureOf({ specifier, names }: ImportDeclaration): ImportDeclarationStructure {
  const onlyTypes = names.every(({ isType }) => isType);
  return {
    kind: StructureKind.ImportDeclaration,
    moduleSpecifier: specifier,
    isTypeOnly: onlyTypes,
    namedImports: names.map(({ name, isType }) => ({ name, isTypeOnly: isType && !onlyTypes })),
  };
}
