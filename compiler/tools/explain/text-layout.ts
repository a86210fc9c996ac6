/** Lines of a text for terminals: a label, and behind it what may need several lines. */
import { visible } from '../../read/diagnostics/visible.js';

/** `if      PARAM(q) != NULL()`. */
export function labelled(label: string, text: string, width = 7): string[] {
  const shown = visible(label);
  const column = Math.max(width, shown.length) + 2;
  const [first = '', ...others] = wrapped(visible(text), 100 - column);
  return [
    `${shown.padEnd(column)}${first}`.trimEnd(),
    ...others.map((line) => `${' '.repeat(column)}${line}`),
  ];
}

/** The lines as they are, such as those of a statement. */
export function plainLines(label: string, text: string, width = 7): string[] {
  const column = Math.max(width, label.length) + 2;
  return text
    .split(/\r\n|\r|\n/)
    .map((line, index) => `${(index === 0 ? label : '').padEnd(column)}${visible(line)}`.trimEnd());
}

/** At spaces; a word that is longer keeps its line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
