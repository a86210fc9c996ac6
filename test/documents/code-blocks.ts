/** The blocks of code in a document. */

export interface CodeBlock {
  /** The first word behind the fence: `yaml`, `sh`. */
  readonly language: string;
  /** The words behind it. */
  readonly words: readonly string[];
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

/** All of them, in the order of the document; blocks inside of lists lose their indentation. */
export function codeBlocks(document: string): CodeBlock[] {
  const found: CodeBlock[] = [];
  let open: { indent: string; info: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of document.split('\n').entries()) {
    const [, indent = '', info = ''] = /^( *)```(.*)$/.exec(line) ?? [];
    const isFence = line.trimStart().startsWith('```');
    if (open === undefined) {
      if (isFence) open = { indent, info, line: index + 1, lines: [] };
      continue;
    }
    if (!isFence) {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
      continue;
    }
    const [language = '', ...words] = open.info.trim().split(/\s+/);
    found.push({ language, words, text: open.lines.map((one) => `${one}\n`).join(''), line: open.line });
    open = undefined;
  }
  return found;
}

/** The text two spaces farther in. */
export function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
