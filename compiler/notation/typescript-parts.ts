/** Selects the parts of a TypeScript template of this package. */
import { asWritten, type Written } from './written.js';

export interface TemplateParts {
  /** The parts before `core`. */
  readonly first: readonly Written<'typescript'>[];
  /** The parts from `core` on. */
  readonly last: readonly Written<'typescript'>[];
}

/**
 * A line `// #part name` begins a part. Inside a part, a line that ends with `//? name` belongs to the part of that name, and `//? !name` to
 * templates without it.
 */
export function typescriptParts(template: Written<'copy'>, used: ReadonlySet<string>): TemplateParts {
  const parts = template.split(/^\/\/ #part /m).slice(1);
  const named = parts.map((part) => {
    const end = part.indexOf('\n');
    return { name: part.slice(0, end), text: linesOf(part.slice(end + 1), used) };
  });
  const core = named.findIndex(({ name }) => name === 'core');
  const chosen = (from: typeof named): Written<'typescript'>[] =>
    from.filter(({ name }) => used.has(name)).map(({ text }) => asWritten<'typescript'>(text));
  return { first: chosen(named.slice(0, core)), last: chosen(named.slice(core)) };
}

function linesOf(text: string, used: ReadonlySet<string>): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const [, code, not, name] = /^(.*?) \/\/\? (!?)(\w+)$/.exec(line) ?? [];
      if (code === undefined || name === undefined) return [line];
      return used.has(name) === (not === '') ? [code] : [];
    })
    .join('\n');
}
