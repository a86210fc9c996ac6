/** Renames a user function: every identifier that TypeScript resolves to it, in its file and in files that use it. */
import { posix } from 'node:path';
import { functionsModule, inputType, resultType } from '../../generate/emit/service/function-types.js';
import type { Edit } from '../../read/diagnostics/fix.js';
import type { Source } from '../../read/source.js';
import { fileOfFunction } from '../typescript/exported-function.js';
import { typescript as loadTypeScript, type ts } from '../typescript/load-typescript.js';
import type { FileEdits } from './rename.js';

const typescript = loadTypeScript();

/**
 * Edits to user files that rename the function, and its types as the next build will do; or a sentence if the new name already has a
 * meaning there.
 */
export function renamedCode(
  files: readonly Source[],
  name: string,
  newName: string,
): readonly FileEdits[] | string {
  const types = [
    [inputType(name), inputType(newName)],
    [resultType(name), resultType(newName)],
  ] as const;
  const generated = types.map(([type]) => `export type ${type} = unknown;\n`).join('');
  const code = new Code([...files, { path: `${functionsModule}.ts`, text: generated }]);
  const own = fileOfFunction(name);
  if (code.exportOf(own, newName) !== undefined) return taken(newName, own);
  const names = new Map<string, NewName>();
  const add = (path: string, old: string, next: string): void => {
    const symbol = code.exportOf(path, old);
    if (symbol !== undefined) names.set(old, { symbol, name: next });
  };
  add(own, name, newName);
  for (const [old, next] of types) add(`${functionsModule}.ts`, old, next);
  const edited: FileEdits[] = [];
  for (const source of files) {
    const edits = code.editsOf(source.path, names, { path: own, name, newName });
    if (typeof edits === 'string') return edits;
    if (edits.length > 0) edited.push({ source, edits });
  }
  return edited;
}

/** A symbol with its new name. */
interface NewName {
  readonly symbol: ts.Symbol;
  readonly name: string;
}

/** A file to be renamed with its function. */
interface NewFile {
  readonly path: string;
  readonly name: string;
  readonly newName: string;
}

function taken(name: string, path: string): string {
  return `'${name}' already has another meaning in ${path}.`;
}

/** Promise, which dynamic imports return. Declared here because user files are analyzed without the standard library. */
const library = 'interface Promise<T> { then<R>(next: (value: T) => R): Promise<R>; }\n';

/** User files as TypeScript understands them; packages and generated modules are unknown. */
class Code {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor(files: readonly Source[]) {
    const all = [...files, { path: 'library.d.ts', text: library }];
    const sources = new Map(
      all.map(({ path, text }) => [
        path,
        typescript.createSourceFile(path, text, typescript.ScriptTarget.ES2023, true),
      ]),
    );
    this.#program = typescript.createProgram({
      rootNames: [...sources.keys()],
      options: {
        noLib: true,
        types: [],
        target: typescript.ScriptTarget.ES2023,
        module: typescript.ModuleKind.ESNext,
      },
      host: {
        fileExists: (path) => sources.has(path),
        readFile: (path) => sources.get(path)?.text,
        getSourceFile: (path) => sources.get(path),
        getDefaultLibFileName: () => 'library.d.ts',
        getCurrentDirectory: () => '',
        getCanonicalFileName: (path) => path,
        useCaseSensitiveFileNames: () => true,
        getNewLine: () => '\n',
        writeFile: () => undefined,
        resolveModuleNameLiterals: (literals, from) =>
          literals.map(({ text }) => {
            const resolvedFileName = imported(from, text);
            const isKnown = sources.has(resolvedFileName);
            return {
              resolvedModule: isKnown ? { resolvedFileName, extension: typescript.Extension.Ts } : undefined,
            };
          }),
      },
    });
    this.#checker = this.#program.getTypeChecker();
  }

  /** A module's export with this name. */
  exportOf(path: string, name: string): ts.Symbol | undefined {
    const file = this.#program.getSourceFile(path);
    const module = file && this.#checker.getSymbolAtLocation(file);
    const found = module && this.#checker.getExportsOfModule(module).find((one) => one.name === name);
    const meant = found && this.#meant(found);
    // Exports of other packages are unknown.
    return meant?.declarations === undefined ? undefined : meant;
  }

  editsOf(path: string, names: ReadonlyMap<string, NewName>, file: NewFile): Edit[] | string {
    const edits: Edit[] = [];
    const given = new Set<string>();
    const nodes = nodesIn(this.#program.getSourceFile(path));
    for (const node of nodes) {
      if (typescript.isStringLiteral(node)) edits.push(...importEdit(path, node, file));
      if (!typescript.isIdentifier(node)) continue;
      const next = names.get(node.text);
      const written = next && this.#written(node, next);
      if (next === undefined || written === undefined) continue;
      if (bindsName(node)) {
        if (this.#scopeOf(node).has(next.name)) return taken(next.name, path);
        given.add(next.name);
      }
      edits.push({ start: node.getStart(), end: node.getEnd(), text: written });
    }
    const free = nodes.find(
      (node) => typescript.isIdentifier(node) && given.has(node.text) && this.#isFree(node),
    );
    return free === undefined ? edits : taken(free.getText(), path);
  }

  /** The replacement for an identifier; undefined if it refers to another symbol. */
  #written(node: ts.Identifier, { symbol, name }: NewName): string | undefined {
    const { parent } = node;
    if (typescript.isShorthandPropertyAssignment(parent) && parent.name === node)
      return this.#isMeant(this.#checker.getShorthandAssignmentValueSymbol(parent), symbol)
        ? `${node.text}: ${name}`
        : undefined;
    if (isShorthandBinding(node)) {
      const read = this.#checker.getTypeAtLocation(node.parent.parent).getProperty(node.text);
      return this.#isMeant(read, symbol) ? `${name}: ${node.text}` : undefined;
    }
    return this.#isMeant(this.#checker.getSymbolAtLocation(node), symbol) ? name : undefined;
  }

  #isMeant(found: ts.Symbol | undefined, symbol: ts.Symbol): boolean {
    return found !== undefined && this.#meant(found) === symbol;
  }

  /** The symbol that an import or export refers to, through any number of re-exports. */
  #meant(symbol: ts.Symbol): ts.Symbol {
    const isAlias = (symbol.flags & typescript.SymbolFlags.Alias) !== 0;
    return this.#checker.getExportSymbolOfSymbol(isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol);
  }

  /** Names in scope at an identifier; for the name of a function declaration, names in scope around the function. */
  #scopeOf(node: ts.Identifier): ReadonlySet<string> {
    const { Value, Type, Namespace, Alias } = typescript.SymbolFlags;
    const at = typescript.isFunctionDeclaration(node.parent) ? node.parent.parent : node;
    const found = this.#checker.getSymbolsInScope(at, Value | Type | Namespace | Alias);
    return new Set(found.map(({ name }) => name));
  }

  /** Whether an identifier refers to a symbol outside of the files, such as `fetch`. */
  #isFree(node: ts.Identifier): boolean {
    return bindsName(node) && this.#checker.getSymbolAtLocation(node)?.declarations === undefined;
  }
}

function nodesIn(file: ts.SourceFile | undefined): ts.Node[] {
  const nodes: ts.Node[] = [];
  const add = (node: ts.Node): void => {
    nodes.push(node);
    typescript.forEachChild(node, add);
  };
  if (file !== undefined) add(file);
  return nodes;
}

/** Path of the file that a module imports. */
function imported(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/(?:\.[jt]s)?$/, '.ts');
}

/** Whether the identifier is a shorthand in a pattern: `{ price }` reads a property and declares a variable of the same name. */
function isShorthandBinding({ parent }: ts.Identifier): boolean {
  return (
    typescript.isBindingElement(parent) &&
    parent.propertyName === undefined &&
    parent.dotDotDotToken === undefined &&
    typescript.isObjectBindingPattern(parent.parent)
  );
}

/** Whether the identifier declares or reads a name in its scope, as opposed to a property or an exported name of another module. */
function bindsName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (typescript.isPropertyAccessExpression(parent) || typescript.isPropertyAssignment(parent))
    return parent.name !== node;
  if (typescript.isQualifiedName(parent)) return parent.right !== node;
  if (typescript.isImportSpecifier(parent)) return parent.name === node;
  return !typescript.isExportSpecifier(parent) && !isShorthandBinding(node);
}

/** Edits the import specifier of the function's file. */
function importEdit(from: string, node: ts.StringLiteral, { path, name, newName }: NewFile): Edit[] {
  const written = node.getText().slice(1, -1);
  if (!namesModule(node) || written !== node.text || imported(from, written) !== path) return [];
  const start = node.getStart() + 1 + written.lastIndexOf('/') + 1;
  return [{ start, end: start + name.length, text: newName }];
}

function namesModule({ parent }: ts.StringLiteral): boolean {
  return (
    typescript.isImportDeclaration(parent) ||
    typescript.isExportDeclaration(parent) ||
    (typescript.isCallExpression(parent) && parent.expression.kind === typescript.SyntaxKind.ImportKeyword) ||
    (typescript.isLiteralTypeNode(parent) && typescript.isImportTypeNode(parent.parent))
  );
}
