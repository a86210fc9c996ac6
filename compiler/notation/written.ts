/** The type of strings in a notation: YAML, SQL, Markdown … Only the writers in this folder make such strings. */

/** The notations that the compiler and its commands write. `github` is a workflow command of GitHub Actions. */
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
  /** An expression of the configuration, and a text with placeholders for expressions. */
  | 'expression'
  | 'template'
  /** A file that is copied as it is: a template of this package, or a file of the user. */
  | 'copy';

declare const notation: unique symbol;

/** A string in the notation `N`: text from elsewhere in it has passed through the writer of `N`. */
export type Written<N extends Notation = Notation> = string & { readonly [notation]: N };

/** Only for the writers in this folder. */
export function asWritten<N extends Notation>(text: string): Written<N> {
  return text as Written<N>;
}

/**
 * A tag for template literals of the notation. The constant parts are in the notation already; a hole accepts a number, or a string that is
 * written in the same notation. A plain string does not compile there.
 */
export function tagOf<N extends Notation>() {
  return (constants: TemplateStringsArray, ...holes: readonly (Written<N> | number)[]): Written<N> => {
    let text = constants[0] ?? '';
    for (const [index, hole] of holes.entries()) text += `${hole}${constants[index + 1] ?? ''}`;
    return asWritten<N>(text);
  };
}

/** The parts with the separator between them. */
export function joined<N extends Notation>(
  parts: readonly Written<N>[],
  separator: ' ' | ', ' | ',\n' | ',\n  ' | ',\n    ' | '\n' | '\n  ' | '\n\n' | '' | ' AND ' | '\n  AND ',
): Written<N> {
  return asWritten<N>(parts.join(separator));
}

/** Every line except empty ones, after the given number of spaces. */
export function indented<N extends Notation>(text: Written<N>, spaces: number): Written<N> {
  return asWritten<N>(text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces)));
}

/** Without white space at its end. */
export function trimmedEnd<N extends Notation>(text: Written<N>): Written<N> {
  return asWritten<N>(text.trimEnd());
}

/** A file of this package or of the user that is copied as it is. */
export function copied(text: string): Written<'copy'> {
  return asWritten<'copy'>(text);
}

/**
 * A template of this package with its holes filled. A hole that is alone on its line accepts any number of lines, each with the indentation
 * of the hole; without any, the line is removed.
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
  // In one pass: text in a hole is never searched for holes.
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
