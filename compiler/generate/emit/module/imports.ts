/** Imports of the modules of a service. */
import type { ImportedName } from '../../code/code.js';

/** One import declaration; `names` are in the order in which they are written. */
export interface ImportDeclaration {
  readonly specifier: string;
  readonly names: readonly ImportedName[];
}

/**
 * The specifiers of all static and dynamic imports in generated TypeScript, and of the modules and packages whose files it reads. Not for
 * code with strings of the configuration, because such a string could look like an import.
 */
export function importsOf(text: string): string[] {
  const pattern =
    /(?:^(?:import|export)\b[^;'"]*?\bfrom\s*|^import\s*|\bimport\(\s*|\brequire\.resolve\(\s*|\bnew URL\((?='[^']*\.js'))['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** The package that a specifier names; undefined for relative paths and Node's own modules. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
