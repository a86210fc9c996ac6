/** Restores the line breaks that YAML folded into spaces, so that SQL keeps its lines from the configuration. */
import type { ScalarText } from '../../source.js';
import type { Token } from './token.js';

/** True if the characters from `start` to `end`, which contain no line break, span several lines of the file. */
export function spansLines(text: ScalarText, start: number, end: number): boolean {
  const first = text.spanOf(start, start + 1);
  const last = text.spanOf(end - 1, end);
  return first.source.text.slice(first.start, last.start).includes('\n');
}

/**
 * The original text of white-space tokens (by token index) in which YAML folded a line break: the line break, and the indentation of the
 * next line relative to the least indented line.
 */
export function unfold(text: ScalarText, tokens: readonly Token[]): Map<number, string> {
  const columns = new Map<number, number>();
  for (const [index, token] of tokens.entries()) {
    const isInner = token.kind === 'space' && token.start > 0 && token.end < text.value.length;
    if (!isInner || token.text.includes('\n')) continue;
    if (spansLines(text, token.start - 1, token.end + 1)) columns.set(index, columnOf(text, token.end));
  }
  if (columns.size === 0) return new Map();
  const firstLine = columnOf(text, text.value.search(/\S/));
  const min = [...columns.values()].reduce((a, b) => Math.min(a, b), firstLine);
  return new Map([...columns].map(([index, column]) => [index, `\n${' '.repeat(column - min)}`]));
}

function columnOf(text: ScalarText, at: number): number {
  const { source, start } = text.spanOf(at, at + 1);
  return start - source.text.lastIndexOf('\n', start - 1);
}
