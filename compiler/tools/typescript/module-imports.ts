/** Imports of a user module: declarations, re-exports, `import(…)` and types. */
import { posix } from 'node:path';
import type { Input } from '../../compile.js';
import type { ImportDeclaration } from '../../generate/emit/module/imports.js';
import { contextModule } from '../../generate/plan/requests/own-routes-plan.js';
import type { Source } from '../../read/source.js';
import { nodesIn, propertiesRead, treeOf } from './module-tree.js';
import { typescript, type ts as types } from './load-typescript.js';

type ImportedNames = ImportDeclaration['names'];

export type OwnImports = Required<Pick<Input, 'hasOwnRoutes' | 'ownImports'>>;

/** The facts about user modules that a compilation needs. Only modules whose text contains a word of such an import are parsed. */
export function ownImportsIn(sources: readonly Source[]): OwnImports {
  // A user module has the same name as the generated one.
  const isTaken = sources.some(({ path }) => path === `${contextModule}.ts`);
  return {
    hasOwnRoutes:
      !isTaken && importsWith(/\/context\b/, sources).some(({ specifier }) => specifier === contextModule),
    ownImports: () => importsWith(/@apikiln|express/, sources),
  };
}

function importsWith(word: RegExp, sources: readonly Source[]): ImportDeclaration[] {
  return sources.filter(({ text }) => word.test(text)).flatMap(importsOfUserCode);
}

/** Modules of the service are named by their path relative to the service's folder, without extension. */
export function importsOfUserCode(source: Source): ImportDeclaration[] {
  return importsIn(treeOf(source)).map(({ specifier, names }) => ({
    specifier: moduleOf(source.path, specifier),
    names,
  }));
}

/** All strings written in a module, including import specifiers. */
export function stringsIn(source: Source): string[] {
  const ts = typescript();
  return nodesIn(treeOf(source)).flatMap((node) => (ts.isStringLiteralLike(node) ? [node.text] : []));
}

/** The target of a specifier in the file at this path. */
export function moduleOf(path: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '');
}

/** Imports with specifiers as written. */
export function importsIn(file: types.SourceFile): ImportDeclaration[] {
  const nodes = nodesIn(file);
  return nodes.flatMap((node) => {
    const specifier = specifierOf(node);
    return specifier === undefined ? [] : [{ specifier, names: importedNames(node, nodes) }];
  });
}

/** The module that the node imports; undefined for other kinds of nodes. */
function specifierOf(node: types.Node): string | undefined {
  const ts = typescript();
  let specifier: types.Node | undefined;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) specifier = node.moduleSpecifier;
  else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    specifier = node.arguments[0];
  else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    specifier = node.argument.literal;
  else if (ts.isExternalModuleReference(node)) specifier = node.expression;
  return specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier.text : undefined;
}

/** The imported names; for a module imported as a whole, the members that are read. */
function importedNames(node: types.Node, nodes: readonly types.Node[]): ImportedNames {
  const ts = typescript();
  if (ts.isImportDeclaration(node)) {
    const bindings = node.importClause?.namedBindings;
    if (bindings === undefined) return [];
    if (ts.isNamespaceImport(bindings)) return membersOf(bindings.name, nodes);
    return specifiersIn(bindings.elements, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
  }
  if (ts.isExportDeclaration(node))
    return node.exportClause !== undefined && ts.isNamedExports(node.exportClause)
      ? specifiersIn(node.exportClause.elements, node.isTypeOnly)
      : [];
  if (ts.isImportTypeNode(node)) {
    const name = node.qualifier && firstOf(node.qualifier);
    return name === undefined ? [] : [{ name, isType: true }];
  }
  return ts.isCallExpression(node) ? loadedNames(node, nodes) : [];
}

function specifiersIn(
  elements: Iterable<types.ImportSpecifier | types.ExportSpecifier>,
  areTypes: boolean,
): ImportedNames {
  return [...elements].map(({ propertyName, name, isTypeOnly }) => ({
    name: (propertyName ?? name).text,
    isType: areTypes || isTypeOnly,
  }));
}

/** The first name in `Call.Options`. */
function firstOf(name: types.EntityName): string {
  return typescript().isIdentifier(name) ? name.text : firstOf(name.left);
}

/** The members used of `import(…)`: `const { fail } = await import(…)`, `(await import(…)).fail`, `import(…).then(({ fail }) => …)`. */
function loadedNames(node: types.CallExpression, nodes: readonly types.Node[]): ImportedNames {
  const ts = typescript();
  let value: types.Node = node;
  while (ts.isAwaitExpression(value.parent) || ts.isParenthesizedExpression(value.parent))
    value = value.parent;
  const { parent } = value;
  if (ts.isVariableDeclaration(parent)) return boundFrom(parent.name, nodes);
  if (!ts.isPropertyAccessExpression(parent)) return [];
  if (value !== node) return [{ name: parent.name.text, isType: false }];
  const [next] = ts.isCallExpression(parent.parent) ? parent.parent.arguments : [];
  if (next === undefined || !(ts.isArrowFunction(next) || ts.isFunctionExpression(next))) return [];
  return next.parameters.slice(0, 1).flatMap(({ name }) => boundFrom(name, nodes));
}

function boundFrom(name: types.BindingName, nodes: readonly types.Node[]): ImportedNames {
  const ts = typescript();
  if (ts.isIdentifier(name)) return membersOf(name, nodes);
  if (!ts.isObjectBindingPattern(name)) return [];
  return propertiesRead(name).map((read) => ({ name: read, isType: false }));
}

/** The members of a name that a module reads. */
function membersOf({ text }: types.Identifier, nodes: readonly types.Node[]): ImportedNames {
  const ts = typescript();
  return nodes.flatMap((node): ImportedNames => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression))
      return node.expression.text === text ? [{ name: node.name.text, isType: false }] : [];
    if (ts.isQualifiedName(node) && ts.isIdentifier(node.left))
      return node.left.text === text ? [{ name: node.right.text, isType: true }] : [];
    return [];
  });
}
