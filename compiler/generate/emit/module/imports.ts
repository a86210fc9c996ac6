/** Imports of service modules. */
import type { ImportedName } from '../../code/code.js';

/** An import declaration; `names` are in printed order. */
export interface ImportDeclaration {
  readonly specifier: string;
  readonly names: readonly ImportedName[];
}

/**
 * Specifiers of all static and dynamic imports in generated TypeScript, and of modules and packages whose files the code reads. Not safe
 * for code with strings from the configuration, which could look like imports.
 */
export function importsOf(text: string): string[] {
  const pattern =
    /(?:^(?:import|export)\b[^;'"]*?\bfrom\s*|^import\s*|\bimport\(\s*|\brequire\.resolve\(\s*|\bnew URL\((?='[^']*\.js'))['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** The package that a specifier refers to; undefined for relative paths and Node's built-in modules. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
