/** Adds the parts of a TypeScript template of this package to a module. */
import { joined, asWritten, type Written } from './written.js';

/** The generated code: the beginning of the module, and the code between the parts before `core` and those from `core` on. */
export interface AroundParts {
  readonly head: Written<'typescript'>;
  readonly middle: Written<'typescript'>;
}

/**
 * The module with the used parts of the template. A line `// #part name` begins a part. Inside a part, a line that ends with `//? name`
 * belongs to modules with the part of that name, and `//? !name` to modules without it.
 */
export function withParts(
  { head, middle }: AroundParts,
  template: Written<'copy'>,
  used: ReadonlySet<string>,
): Written<'typescript'> {
  const parts = template
    .split(/^\/\/ #part /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { name: part.slice(0, end), text: linesOf(part.slice(end + 1), used) };
    });
  const core = parts.findIndex(({ name }) => name === 'core');
  const chosen = (from: typeof parts): Written<'typescript'>[] =>
    from.filter(({ name }) => used.has(name)).map(({ text }) => asWritten<'typescript'>(text));
  return joined([head, ...chosen(parts.slice(0, core)), middle, ...chosen(parts.slice(core))], '\n');
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
