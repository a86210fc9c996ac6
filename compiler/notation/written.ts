/** The type of strings in a notation such as YAML, SQL or Markdown. Only the writers in this folder create such strings. */

/** The notations that the compiler and its commands write. `github` means GitHub workflow commands. */
export type Notation =
  | 'yaml'
  | 'json'
  | 'sql'
  | 'typescript'
  | 'markdown'
  | 'environment'
  | 'html'
  | 'xml'
  | 'mermaid'
  | 'github'
  | 'terminal'
  /** An expression of the configuration, and a string with placeholders. */
  | 'expression'
  | 'template'
  /** A file that is copied unchanged: a template of this package or a user file. */
  | 'copy';

declare const notation: unique symbol;

/** A string in the notation `N`: all other text in it has been escaped by the writer of `N`. */
export type Written<N extends Notation = Notation> = string & { readonly [notation]: N };

/** Only for use by the writers in this folder. */
export function asWritten<N extends Notation>(text: string): Written<N> {
  return text as Written<N>;
}

/**
 * Creates a tag for template literals in the notation. The constant parts are already in the notation; substitutions must be numbers or
 * strings in the same notation. Plain strings fail to compile.
 */
export function tagOf<N extends Notation>() {
  return (constants: TemplateStringsArray, ...holes: readonly (Written<N> | number)[]): Written<N> => {
    let text = constants[0] ?? '';
    for (const [index, hole] of holes.entries()) text += `${hole}${constants[index + 1] ?? ''}`;
    return asWritten<N>(text);
  };
}

/** Joins the parts with a separator. */
export function joined<N extends Notation>(
  parts: readonly Written<N>[],
  separator: ' ' | ', ' | ',\n' | ',\n  ' | ',\n    ' | '\n' | '\n  ' | '\n\n' | '' | ' AND ' | '\n  AND ',
): Written<N> {
  return asWritten<N>(parts.join(separator));
}

/** Indents every non-empty line by the given number of spaces. */
export function indented<N extends Notation>(text: Written<N>, spaces: number): Written<N> {
  return asWritten<N>(text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces)));
}

/** Removes trailing white space. */
export function trimmedEnd<N extends Notation>(text: Written<N>): Written<N> {
  return asWritten<N>(text.trimEnd());
}

/** A file of this package or of the user that is copied unchanged. */
export function copied(text: string): Written<'copy'> {
  return asWritten<'copy'>(text);
}

/**
 * Fills the holes of a template. A hole that is alone on its line accepts any number of lines, each indented like the hole; if empty, the
 * line is removed.
 */
export function filled<N extends Notation>(
  template: Written<'copy'>,
  holes: Readonly<Record<string, Written<N> | readonly Written<N>[]>>,
): Written<N> {
  const passed = (hole: string): string | readonly string[] => {
    const value = holes[hole];
    if (value === undefined) throw new Error(`A template has a hole '${hole}' that nothing fills.`);
    return value;
  };
  // In a single pass, so that inserted text is not searched for holes.
  const text = template.replaceAll(
    /^( *)\{\{(\w+)\}\}\n|\{\{(\w+)\}\}/gm,
    (_, indent: string | undefined, lines: string | undefined, inline: string | undefined) =>
      indent === undefined || lines === undefined
        ? [passed(inline ?? '')].flat().join('\n')
        : [passed(lines)]
            .flat()
            .map((line) => `${indent}${line}\n`)
            .join(''),
  );
  return asWritten<N>(text);
}
