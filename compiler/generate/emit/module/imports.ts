/** Imports of the modules of a service. */
import { stringLiteral } from '../../../notation/typescript-writer.js';

/** One import declaration; `names` are in the order in which they are written. */
export interface ImportDeclaration {
  readonly specifier: string;
  readonly names: readonly { readonly name: string; readonly isType: boolean }[];
}

/** Its code, ready for formatting. */
export function importText({ specifier, names }: ImportDeclaration): string {
  const onlyTypes = names.every(({ isType }) => isType);
  const listed = names.map(({ name, isType }) => (isType && !onlyTypes ? `type ${name}` : name));
  return `import ${onlyTypes ? 'type ' : ''}{ ${listed.join(', ')} } from ${stringLiteral(specifier)};`;
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

/** The imports of names of a text of our own. */
export function declaredIn(text: string): ImportDeclaration[] {
  return [...text.matchAll(/^import \{ ([^}]*) \} from '([^']+)';$/gm)].map(
    ([, names = '', specifier = '']) => ({
      specifier,
      names: names
        .split(', ')
        .map((name) => ({ name: name.replace(/^type /, ''), isType: name.startsWith('type ') })),
    }),
  );
}
