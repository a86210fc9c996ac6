/** What the modules of a service import: which runtime files come along, and which packages it needs. */
import { posix } from 'node:path';

/** A TypeScript file and the specifiers that it imports. */
export interface Importing {
  readonly path: string;
  readonly imports: readonly string[];
}

/**
 * The specifiers of all static and dynamic imports of a TypeScript text of our own, and of the modules and packages whose files it
 * reads: in one with texts of the configuration,
 * such a text could look like an import.
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

/** The runtime files that these files need, directly or through others, sorted by path. */
export function runtimeClosure(
  files: readonly Importing[],
  runtime: ReadonlyMap<string, string>,
): (Importing & { readonly text: string })[] {
  const needed = new Map<string, Importing & { readonly text: string }>();
  const follow = ({ path, imports }: Importing): void => {
    for (const specifier of imports) {
      if (!specifier.startsWith('.')) continue;
      const target = posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
      if (!target.startsWith('src/runtime/') || needed.has(target)) continue;
      const text = runtime.get(target);
      if (text === undefined)
        throw new Error(`${path} imports ${specifier}, which the runtime does not have.`);
      const file = { path: target, imports: importsOf(text), text };
      needed.set(target, file);
      follow(file);
    }
  };
  for (const file of files) follow(file);
  return [...needed.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
