/** The text of import declarations. ts-morph writes it. */
import { type ImportDeclarationStructure, Project, StructureKind } from 'ts-morph';
import { CompilationCache } from './compilation-cache.js';

/** One import declaration; `names` are in the order in which they are written. */
export interface ImportDeclaration {
  readonly specifier: string;
  readonly names: readonly { readonly name: string; readonly isType: boolean }[];
}

/** Writes each list of imports once: most of the operations of a service import the same. */
export class ImportTexts {
  readonly #project = new Project({ useInMemoryFileSystem: true });

  constructor(private readonly written: CompilationCache['imports'] = new CompilationCache().imports) {}

  textOf(imports: readonly ImportDeclaration[]): string {
    const key = JSON.stringify(imports);
    const text = this.written.get(key) ?? this.#write(imports);
    this.written.set(key, text);
    return text;
  }

  #write(imports: readonly ImportDeclaration[]): string {
    const file = this.#project.createSourceFile('/imports.ts', { statements: imports.map(structureOf) });
    const text = file.getFullText();
    this.#project.removeSourceFile(file);
    return text;
  }
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
