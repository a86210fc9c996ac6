/** What the modules of a service import: which runtime files come along, and which packages it needs. */
import { posix } from 'node:path';

/** The specifiers of all static and dynamic imports of a TypeScript text. */
export function importsOf(text: string): string[] {
  const pattern = /(?:^(?:import|export)\b[^;'"]*?\bfrom\s*|^import\s*|\bimport\(\s*)['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** The package that a specifier names; undefined for relative paths and Node's own modules. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** The paths of the runtime files that the texts at these paths need, directly or through others; sorted. */
export function runtimeClosure(
  files: readonly { readonly path: string; readonly text: string }[],
  runtime: ReadonlyMap<string, string>,
): string[] {
  const needed = new Set<string>();
  const follow = (path: string, text: string): void => {
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith('.')) continue;
      const target = posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
      if (!target.startsWith('src/runtime/') || needed.has(target)) continue;
      const source = runtime.get(target);
      if (source === undefined)
        throw new Error(`${path} imports ${specifier}, which the runtime does not have.`);
      needed.add(target);
      follow(target, source);
    }
  };
  for (const { path, text } of files) follow(path, text);
  return [...needed].sort();
}
